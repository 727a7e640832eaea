from datetime import date

from cellar import Wheel, parse_wheels, week_label, week_list, week_start


def test_monday_weeks():
    wheels = parse_wheels("1 gouda 2024-04-20\n2 brie 2024-04-25 2\n")
    assert [(f"{day:%d.%m.}", number) for day, number in week_list(wheels, date(2024, 4, 30))] == [
        ('29.04.', 1),
        ('29.04.', 2),
        ('01.05.', 2),
        ('02.05.', 1),
        ('03.05.', 2),
        ('05.05.', 1),
        ('05.05.', 2),
    ]


def test_thursday_week_is_complete():
    wheels = [Wheel(7, "comte", date(2024, 4, 30), every=2), Wheel(3, "comte", date(2024, 5, 1), every=4)]
    found = week_list(wheels, date(2024, 5, 2), "thu")
    assert [(f"{day:%d.%m.}", number) for day, number in found] == [
        ('02.05.', 7), ('04.05.', 7), ('05.05.', 3), ('06.05.', 7), ('08.05.', 7),
    ]


def test_label():
    assert week_label(date(2024, 12, 31)) == "30 Dec - 05 Jan 2025"


def test_start_day_itself():
    assert week_start(date(2024, 5, 2), "thu").isoformat() == "2024-05-02"
