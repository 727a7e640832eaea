import pytest
from seating import Chart, load, save


@pytest.fixture
def hall():
    chart = Chart()
    for number in range(1, 12):
        chart.add_table(str(number), 2)
    return chart


def test_wishes_come_first(hall):
    hall.wish("Ada", "3")
    assert hall.seat(["Ben", "Ada", "Cy"]) == {"1": ["Ben", "Cy"], "3": ["Ada"]}


def test_same_tables_after_loading(hall, tmp_path):
    guests = ["Ada", "Ben", "Cy", "Dee", "Eve"]
    save(hall, tmp_path / "gala.json")
    assert load(tmp_path / "gala.json").seat(guests) == {"1": ["Ada", "Ben"], "2": ["Cy", "Dee"], "3": ["Eve"]}


def test_unknown_table(hall):
    with pytest.raises(LookupError, match="Ada wishes to sit at table 12"):
        hall.wish("Ada", "12")


def test_free_seats(hall):
    assert hall.free_seats(["Ada", "Ben", "Cy"]) == 19
