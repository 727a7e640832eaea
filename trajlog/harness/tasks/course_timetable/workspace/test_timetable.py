import pytest
from timetable import Course, Timetable, TimetableError


def autumn():
    return Timetable(
        [
            Course("Algebra", "Mon", 540),
            Course("Logic", "Thu", 600),
            Course("Drawing", "Thu", 720, 90),
            Course("Latin", "Fri", 480),
        ]
    )


def test_week_of_courses_entered_in_order():
    assert autumn().week() == {
        "Mon": ["09:00 Algebra"],
        "Thu": ["10:00 Logic", "12:00 Drawing"],
        "Fri": ["08:00 Latin"],
    }


def test_moved_course_joins_the_others_of_the_day():
    table = autumn()
    table.move("Algebra", "Thu", 840)
    assert table.week() == {"Thu": ["10:00 Logic", "12:00 Drawing", "14:00 Algebra"], "Fri": ["08:00 Latin"]}


def test_names_are_unique():
    with pytest.raises(TimetableError, match="already"):
        autumn().add(Course("Logic", "Mon", 480))


def test_unknown_day_is_refused():
    with pytest.raises(TimetableError, match="no such day: Mo"):
        autumn().move("Latin", "Mo", 500)
