import json

from routes.archive import dumps, loads
from routes.model import Place, Plan, Tour


def many_tours():
    depot = Place("depot", 0, 0)
    tours = []
    for number in range(12):
        stops = [depot, *(Place(f"p{number}.{i}", number, i) for i in range(1, 4)), depot]
        tours.append(Tour(f"driver {number}", stops, slack=number))
    return Plan("2024-05-01", tours)


def test_many_tours_keep_their_legs():
    plan = many_tours()
    loaded = loads(dumps(plan))
    for before, after in zip(plan.tours, loaded.tours, strict=True):
        assert [leg.minutes for leg in after.legs()] == [leg.minutes for leg in before.legs()]
        assert [leg.target.name for leg in after.legs()] == [leg.target.name for leg in before.legs()]
        assert after.legs()[0].origin is loaded.tours[0].stops[0]
    assert [leg.minutes for leg in loaded.tours[7].legs()] == [15, 8, 8, 17]
    assert (loaded.minutes(), [tour.minutes() for tour in loaded.tours[:4]]) == (468, [6, 12, 18, 24])


def test_equal_places_stay_separate():
    kiosk, twin = Place("kiosk", 2, 2), Place("kiosk", 2, 2)
    loaded = loads(dumps(Plan("2024-05-01", [Tour("ada", [kiosk, twin]), Tour("ben", [twin, kiosk])])))
    first, second = loaded.tours[0].stops
    assert first is not second
    assert loaded.tours[1].stops[0] is second
    assert len(loaded.places()) == 2
    assert [stop.name for tour in loaded.tours for stop in tour.stops] == ["kiosk", "kiosk", "kiosk", "kiosk"]


def test_packing_twice_gives_the_same_text():
    plan = many_tours()
    first, second = dumps(plan), dumps(plan)
    assert first == second
    assert [loads(text).minutes() for text in (first, second)] == [468, 468]


def test_a_place_may_lead_back_to_itself():
    here, there = Place("here", 0, 0), Place("there", 1, 1)
    here.next_hint, there.next_hint = there, here
    loaded = loads(dumps(Plan("2024-05-01", [Tour("ada", [here])])))
    stop = loaded.tours[0].stops[0]
    assert stop.next_hint.name == "there"
    assert stop.next_hint.next_hint is stop


def test_shared_place_is_written_once():
    rows = json.loads(dumps(many_tours()))["rows"]
    assert sum(kind == "place" for kind, _ in rows) == 37
    assert sum(kind == "leg" for kind, _ in rows) == 48
