import pytest
from timegrid import TripError
from timetable import departures, load_trips, parse_trip

TEXT = """
# summer
7 06:10 Mo-Su | Depot Mill:3 *Ford:2 Port:4.5
X7 06:20 Mo-Fr express | Depot Mill:3 *Ford:2 Port:4.5
"""


def test_plain_line():
    trip = load_trips(TEXT)[0]
    assert trip.stops() == ["Depot", "Mill", "Ford", "Port"]
    assert [trip.arrival(stop) for stop in trip.stops()] == ["06:10", "06:13", "06:15+", "06:20+"]


def test_express_passes_the_ford():
    trip = load_trips(TEXT)[1]
    assert trip.stops() == ["Depot", "Mill", "Port"]
    assert trip.arrival("Port") == "06:30"


def test_days():
    assert departures(load_trips(TEXT), "Mill", "Sa") == [("7", "06:13")]


def test_unknown_word():
    with pytest.raises(TripError, match="slow"):
        parse_trip("7 06:10 Mo-Su slow | Depot Mill:3")
