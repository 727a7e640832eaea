from hours import merged, without
from sheet import Season, Sheet


def test_many_within_one():
    assert merged([(0, 100), (10, 20), (15, 30), (90, 110), (5, 95), (120, 125), (110, 112)]) == [
        (0, 112), (120, 125),
    ]


def test_breaks_within_breaks():
    found = without([(0, 60), (50, 200)], [(20, 90), (30, 40), (85, 95), (150, 160), (195, 300), (152, 153)])
    assert found == [(0, 20), (95, 150), (160, 195)]


def test_same_begin():
    assert merged([(5, 50), (5, 10), (5, 7), (60, 80), (60, 61)]) == [(5, 50), (60, 80)]


def test_full_time():
    sheet = Sheet.parse("w", "eva 17:30-21:30 18:00-19:00\nbo 17:30-20:00 19:00-21:00\njan 17:30-19:30 19:30-21:30")
    assert [who for who in ("eva", "bo", "jan") if sheet.full_time(who)] == ["eva", "jan"]


def test_season():
    season = Season(required=300)
    uma = "uma 18:45-19:30 18:50-19:00 21:00-22:15"
    season.add(Sheet.parse("a", "break 19:00-20:00 19:10-19:20\nkim 18:00-21:00\n" + uma))
    season.add(Sheet.parse("b", "kim 9:00-12:00 9:30-10:00 10:00-10:30\numa 8:00-9:00 8:00-8:10"))
    assert season.report() == ["kim 5:00", "uma 2:30 *"]
