import pytest
from course import Course
from race import Boat, Race
from wind import NoWind, WindLog, mean_wind, shift


def race(course, readings):
    made = Race(Course.parse(course), WindLog(readings))
    made.enter(Boat("Teal", 900, 700, 640))
    made.enter(Boat("Wren", 1010, 720, 690))
    for second in (1000, 1900):
        made.mark("Teal", second)
        made.mark("Wren", second + 60)
    return made


def test_southerly_wind():
    assert race("A: 180/1 0/1", [(0, 170), (600, 190), (1100, 200)]).results() == [(1, "Wren", 260), (2, "Teal", 360)]


def test_northerly_wind():
    assert race("B: 10/1 190/1", [(0, 350), (600, 355), (1100, 349)]).results() == [
        (1, 'Wren', 260), (2, 'Teal', 360),
    ]


def test_mean_across_north():
    assert [mean_wind(x) for x in ([350, 20], [10, 350, 340], [90, 180], [359, 0])] == [5, 353, 135, 359]


def test_no_wind():
    with pytest.raises(NoWind, match="cancel"):
        mean_wind([90, 270])


def test_shifts():
    assert [shift(350, 10), shift(10, 350), shift(90, 270), shift(270, 91)] == [20, -20, 180, -179]


def test_rounds():
    course = Course.parse("C: x2 0/1.5 180/1.5")
    assert (course.miles(), len(course.legs)) == (6.0, 4)
