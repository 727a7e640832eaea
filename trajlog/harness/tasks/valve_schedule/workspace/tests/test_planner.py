import pytest
from irrigation.clock import DayClock
from irrigation.planner import Bed, Planner, Valve


def test_single_slot():
    log = []
    planner = Planner()
    planner.schedule([Bed("roses", Valve(1, log), [(360, 15)])])
    planner.clock.run_until(600)
    assert log == [(360, 1, "open"), (375, 1, "closed after 15")]
    assert planner.litres == {"roses": 150}


def test_two_beds_use_their_own_valves():
    log = []
    planner = Planner()
    planner.schedule([Bed("roses", Valve(1, log), [(360, 15)]), Bed("beans", Valve(2, log), [(400, 15)])])
    planner.clock.run_until(600)
    assert [(minute, number) for minute, number, _ in log] == [(360, 1), (375, 1), (400, 2), (415, 2)]
    assert planner.litres == {"roses": 150, "beans": 150}


def test_past_minutes_are_refused():
    clock = DayClock()
    clock.run_until(100)
    with pytest.raises(ValueError, match="minute 90 is over"):
        clock.at(90, print)


def test_rain_delay_moves_the_rest_of_the_day():
    log = []
    planner = Planner()
    planner.schedule([Bed("roses", Valve(1, log), [(360, 15)])])
    planner.clock.run_until(365)
    planner.rain_delay(30)
    planner.clock.run_until(600)
    assert log == [(360, 1, "open"), (405, 1, "closed after 15")]
