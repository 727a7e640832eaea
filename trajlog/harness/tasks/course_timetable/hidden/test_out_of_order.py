from timetable import Course, Timetable


def test_days_come_in_week_order():
    table = Timetable([Course("Yoga", "Sun", 600), Course("Chess", "Wed", 1080), Course("Choir", "Mon", 1140)])
    table.add(Course("Judo", "Wed", 1000))
    assert list(table.week().items()) == [
        ("Mon", ["19:00 Choir"]),
        ("Wed", ["16:40 Judo", "18:00 Chess"]),
        ("Sun", ["10:00 Yoga"]),
    ]


def test_same_start_keeps_the_order_of_entry():
    table = Timetable([Course("Zoology", "Tue", 500), Course("Botany", "Fri", 480), Course("Art", "Tue", 500)])
    table.add(Course("Early", "Tue", 420))
    assert table.sheet() == 'Tue: 07:00 Early, 08:20 Zoology, 08:20 Art\nFri: 08:00 Botany'


def test_busiest_day_counts_scattered_courses():
    courses = [("A", "Fri"), ("B", "Tue"), ("C", "Fri"), ("D", "Tue"), ("E", "Wed"), ("F", "Fri"), ("G", "Tue")]
    table = Timetable([Course(name, day, 600 + 10 * i) for i, (name, day) in enumerate(courses)])
    counted = [table.busiest_day()]
    table.move("B", "Wed", 600)
    counted.append(table.busiest_day())
    assert counted == ["Tue", "Fri"]
