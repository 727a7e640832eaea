import pytest
from services import Service
from vehicles import Van
from workshop import Workshop, load, month


@pytest.fixture
def workshop():
    return Workshop([Van("AB 1", month(2020, 1), 40_000), Van("CD 2", month(2021, 6), 3_000)])


def test_new_van_needs_nothing(workshop):
    assert "CD 2" not in workshop.plan(month(2021, 8))


def test_all_kinds_that_are_due(workshop):
    assert workshop.plan(month(2022, 1))["AB 1"] == ["Oil", "Tyres", "Air filter", "Cabin filter", "Brake fluid"]


def test_finished_work(workshop):
    workshop.finish("AB 1", ["oil", "air_filter"], month(2020, 12))
    assert workshop.van("AB 1").last(Service.OIL).km == 40_000
    again = load(workshop.dump())
    assert again.van("AB 1").last(Service.AIR_FILTER).month == month(2020, 12)


def test_unknown_work(workshop):
    with pytest.raises(ValueError, match="unknown work 'wax'"):
        workshop.finish("AB 1", ["wax"], month(2020, 12))
