from pressure.diary import Diary
from pressure.reading import Reading
from pressure.table import class_rows, day_parts

VALUES = [(95, 55), (120, 80), (135, 70), (150, 95), (170, 80)]


def diary(*numbers, minute=480):
    readings = []
    for number, (systolic, diastolic) in zip(numbers, VALUES, strict=True):
        readings += [Reading("2024-06-01", minute, systolic, diastolic)] * number
    return readings


def test_many_sizes():
    found = [[row[2:] for row in class_rows(Diary(diary(*numbers)))] for numbers in
             [(1, 1, 1, 1, 2), (0, 3, 0, 4, 0), (3, 3, 3, 1, 1), (1, 0, 0, 0, 7)]]
    assert found == [
        [(17, 17), (16, 33), (17, 50), (17, 67), (33, 100)],
        [(0, 0), (43, 43), (0, 43), (57, 100), (0, 100)],
        [(27, 27), (28, 55), (27, 82), (9, 91), (9, 100)],
        [(13, 13), (0, 13), (0, 13), (0, 13), (87, 100)],
    ]


def test_sum_is_a_hundred():
    rows = [class_rows(Diary(diary(a, b, 1, 2, b))) for a in range(1, 6) for b in range(7)]
    assert {(sum(row[2] for row in table), table[-1][3]) for table in rows} == {(100, 100)}


def test_no_readings_no_share():
    rows = class_rows(Diary(diary(2, 2, 2, 0, 1)))
    assert rows == [
        ('low', 2, 29, 29),
        ('normal', 2, 28, 57),
        ('raised', 2, 29, 86),
        ('high', 0, 0, 86),
        ('very high', 1, 14, 100),
    ]


def test_parts_of_the_day():
    found = day_parts(Diary(diary(1, 1, 0, 4, 0) + diary(0, 5, 1, 0, 1, minute=1100)))
    assert found == {
        'morning': [('low', 1, 17, 17),
                    ('normal', 1, 16, 33),
                    ('raised', 0, 0, 33),
                    ('high', 4, 67, 100),
                    ('very high', 0, 0, 100)],
        'evening': [('low', 0, 0, 0),
                    ('normal', 5, 71, 71),
                    ('raised', 1, 15, 86),
                    ('high', 0, 0, 86),
                    ('very high', 1, 14, 100)],
    }
