import pytest
from routes.archive import dumps, load, loads, save
from routes.model import Place, Plan, Tour
from routes.unpack import UnpackError


@pytest.fixture
def depot():
    return Place("depot", 0, 0)


def test_one_tour_comes_back(depot, tmp_path):
    tour = Tour("ada", [depot, Place("mill", 3, 4), depot], slack=1)
    save(Plan("2024-05-01", [tour]), tmp_path / "plan.json")
    loaded = load(tmp_path / "plan.json")
    assert loaded.tour_of("ada").minutes() == 16
    assert [stop.name for stop in loaded.tours[0].stops] == ["depot", "mill", "depot"]


def test_places_shared_by_tours_stay_shared(depot):
    first = Tour("ada", [depot, Place("mill", 3, 4)])
    second = Tour("ben", [depot, Place("port", 9, 1)])
    loaded = loads(dumps(Plan("2024-05-01", [first, second])))
    loaded.tours[0].stops[0].name = "garage"
    assert [place.name for place in loaded.places()] == ["garage", "mill", "port"]


def test_every_tour_keeps_its_own_legs(depot):
    mill, port, fair, zoo = Place("mill", 3, 4), Place("port", 9, 1), Place("fair", 5, 5), Place("zoo", 2, 8)
    first = Tour("ada", [depot, mill, fair, zoo, depot])
    second = Tour("ben", [depot, port, mill, fair, depot])
    plan = Plan("2024-05-01", [first, second])
    loaded = loads(dumps(plan))
    assert [leg.target.name for leg in loaded.tour_of("ada").legs()] == ["mill", "fair", "zoo", "depot"]
    assert [leg.target.name for leg in loaded.tour_of("ben").legs()] == ["port", "mill", "fair", "depot"]
    assert loaded.minutes() == plan.minutes()


def test_unknown_format_is_refused():
    with pytest.raises(UnpackError, match="format 7"):
        loads('{"format": 7}')
