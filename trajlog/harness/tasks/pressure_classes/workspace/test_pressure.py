import pytest
from pressure.diary import Diary
from pressure.reading import DiaryError
from pressure.table import class_rows, render

MONTH = """
2024-05-01 07:30 118/76 64
           19:10 133/80
2024-05-02 08:00 128/91 70
"""


def test_three_classes():
    assert class_rows(Diary.parse(MONTH)) == [
        ('low', 0, 0, 0),
        ('normal', 1, 33, 33),
        ('raised', 1, 34, 67),
        ('high', 1, 33, 100),
        ('very high', 0, 0, 100),
    ]


def test_render_of_halves():
    diary = Diary.parse("2024-05-01 07:30 118/76\n20:00 165/80")
    assert render(diary).splitlines() == [
        'low          0    0 %    0 %',
        'normal       1   50 %   50 %',
        'raised       0    0 %   50 %',
        'high         0    0 %   50 %',
        'very high    1   50 %  100 %',
        'mean 142/78',
    ]


def test_empty():
    assert (class_rows(Diary()), render(Diary()), Diary().mean()) == ([], "", None)


def test_bad_lines():
    with pytest.raises(DiaryError, match="line 2"):
        Diary.parse("2024-05-01 07:30 118/76\n7:3 118/76")
    with pytest.raises(DiaryError, match="cannot be"):
        Diary.parse("2024-05-01 07:30 76/118")
