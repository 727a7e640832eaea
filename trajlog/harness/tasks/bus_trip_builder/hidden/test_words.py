from timetable import departures, load_trips, parse_trip

STOPS = "| Quay *Weir:1.5 Hall:2 *Inn:3 Gate:1 Farm:6"


def calls(words):
    trip = parse_trip(f"N 23:50 Mo-Su {words} {STOPS}")
    return [(stop, trip.arrival(stop)) for stop in trip.stops()]


def test_several_local_stops():
    assert calls("express") == [('Quay', '23:50'), ('Hall', '23:53+'), ('Gate', '23:58'), ('Farm', '24:04+')]


def test_not_on_school_holidays():
    trips = load_trips(f"1 07:00 Mo-Fr not school {STOPS}\n2 08:00 Mo-Fr {STOPS}\n3 09:00 Sa-Su not school {STOPS}")
    assert [departures(trips, "Hall", "Tu", away) for away in (False, True)] == [
        [('1', '07:04'), ('2', '08:04')], [('2', '08:04')],
    ]


def test_from_a_stop():
    assert calls("from Hall") == [('Hall', '23:50'), ('Inn', '23:53'), ('Gate', '23:54+'), ('Farm', '24:01')]


def test_words_in_any_order():
    found = [calls(words) for words in ("express from Hall not school", "not school from Hall express")]
    assert found[0] == found[1]
    assert found[0] == [('Hall', '23:50'), ('Gate', '23:54'), ('Farm', '24:00+')]
    trip = parse_trip(f"N 05:00 Mo-Su express not school {STOPS}")
    assert [trip.runs("Mo", True), trip.runs("Mo"), len(trip.calls)] == [False, True, 4]
