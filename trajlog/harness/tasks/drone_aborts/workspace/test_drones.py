import pytest
from drones import Control, Mission, MissionError, PlanError, read_plan
from drones.drone import Drone
from drones.statistics import coverage, summary


def mission(name, plan="takeoff 20; wait 2; land", **options):
    return Mission(Drone(name, **options), read_plan(plan))


def test_single_mission():
    control = Control("north")
    flown = control.add(mission("kite", "takeoff 30; fly 15 0; photo roof; fly 0 0"))
    assert control.run() == 8
    assert (control.log, flown.drone.photos, flown.drone.battery) == (
        ['1 kite starts in north', '8 kite landed'], [('roof', (15, 0))], 90,
    )


def test_corridors_are_shared():
    control = Control("north", "south")
    for name in ("a", "b", "c"):
        control.add(mission(name))
    control.tick()
    assert (control.tower.waiting(), control.places()) == (["c"], {"a": ((0, 0), 20), "b": ((0, 0), 20)})
    control.run()
    assert control.log == [
        '1 a starts in north', '1 b starts in south', '4 a landed', '4 b landed',
        '5 c starts in north', '8 c landed',
    ]


def test_abort_in_flight():
    control = Control("north")
    flown = control.add(mission("kite", "takeoff 20; fly 40 0; photo roof"))
    for _ in range(3):
        control.tick()
    assert control.abort("kite")
    control.run()
    assert (control.log, control.report(), flown.drone.place) == (
        ['1 kite starts in north', '3 kite returning: operator', '6 kite aborted'], {'aborted': 1},
        (0, 0),
    )


def test_abort_in_the_tick_of_the_landing():
    control = Control("north")
    kite = control.add(mission("kite"))
    control.order_abort("kite", 4)
    control.run()
    assert (kite.state, kite.reason, control.log) == ("landed", None, ["1 kite starts in north", "4 kite landed"])


def test_low_battery():
    control = Control("north")
    flown = control.add(mission("kite", "takeoff 20; wait 90", drain=5))
    control.run()
    assert summary([flown]) == ["kite: aborted (battery), 10 %, no photos"]
    assert coverage([flown], ["roof"]) == 0


def test_errors():
    for plan, message in (("fly 1 1", "a plan begins with takeoff"), ("takeoff 5\nhover", "line 2: 'hover'")):
        with pytest.raises(PlanError, match=message):
            read_plan(plan)
    kite = mission("kite")
    kite.start()
    with pytest.raises(MissionError, match="kite is flying"):
        kite.start()
