import pytest
from hours import StayError, merged, minutes, without
from sheet import Season, Sheet


def test_hedda():
    season = Season(required=180)
    season.add(Sheet.parse("monday", "hedda 18:00-21:00 18:30-19:15\nole 18:00-19:00 20:00-21:00"))
    assert season.report() == ["hedda 3:00", "ole 2:00 *"]


def test_breaks():
    sheet = Sheet.parse("tuesday", "break 19:00-19:15\nole 18:00-20:00\nliv 19:05-19:30")
    assert [minutes(sheet.counted(who)) for who in ("ole", "liv", "nils")] == [105, 15, 0]


def test_overlap_and_touch():
    assert merged([(30, 50), (10, 35), (50, 60), (70, 70)]) == [(10, 60)]


def test_wrong_stay():
    with pytest.raises(StayError, match="1:00 to 0:30"):
        without([(60, 30)], [])
