from drones import Control, Mission, read_plan
from drones.drone import Drone
from drones.statistics import summary


def mission(name, plan="takeoff 20; wait 2; land", **options):
    return Mission(Drone(name, **options), read_plan(plan))


def test_followers_of_a_leader_with_low_battery():
    control = Control("a", "b", "c")
    short = control.add(mission("short", "takeoff 20; wait 1; photo gate", drain=3), leader="lead")
    long = control.add(mission("long", "takeoff 20; wait 9"), leader="lead")
    lead = control.add(mission("lead", "takeoff 20; wait 30", drain=30))
    ticks = control.run()
    assert (ticks, control.log, control.report()) == (
        4,
        ['1 short starts in a', '1 long starts in b', '1 lead starts in c',
        '3 lead returning: battery', '3 long returning: after lead', '3 short landed',
        '4 long aborted', '4 lead aborted'],
        {'aborted': 2, 'landed': 1},
    )
    assert summary([short, long, lead]) == [
        'lead: aborted (battery), 0 %, no photos', 'long: aborted (after lead), 96 %, no photos',
        'short: landed, 85 %, gate',
    ]


def test_corridor_is_given_once():
    control = Control("a")
    for name in ("one", "two", "three"):
        control.add(mission(name))
    control.order_abort("one", 4)
    control.order_abort("one", 5)
    seen = []
    while control.now < 9:
        control.tick()
        seen.append((len(control.places()), control.tower.waiting(), control.tower.free()))
    assert (seen, control.log) == (
        [(1, ['two', 'three'], []), (1, ['two', 'three'], []), (1, ['two', 'three'], []),
        (0, ['two', 'three'], ['a']), (1, ['three'], []), (1, ['three'], []), (1, ['three'], []),
        (0, ['three'], ['a']), (1, [], [])],
        ['1 one starts in a', '4 one landed', '5 two starts in a', '8 two landed',
        '9 three starts in a'],
    )


def test_abort_of_a_waiting_mission():
    control = Control("a")
    for name, leader in (("one", None), ("two", "one"), ("three", None)):
        control.add(mission(name), leader)
    control.tick()
    answers = [control.abort("two"), control.abort("two"), control.abort("one"), control.abort("one")]
    control.run()
    assert (answers, control.log, control.report()) == (
        [True, False, True, False],
        ['1 one starts in a', '1 two cancelled: operator', '1 one returning: operator',
        '2 one aborted', '3 three starts in a', '6 three landed'],
        {'aborted': 1, 'cancelled': 1, 'landed': 1},
    )


def test_answer_for_a_landed_mission():
    control = Control("a", "b")
    control.add(mission("one", "takeoff 20"))
    control.add(mission("two", "takeoff 20; wait 1"), leader="one")
    answers = []
    for _ in range(4):
        control.tick()
        answers.append((control.now, control.abort("one"), control.report()))
    assert (answers, control.log) == (
        [(1, True, {'returning': 2}), (2, False, {'aborted': 2}), (3, False, {'aborted': 2}),
        (4, False, {'aborted': 2})],
        ['1 one starts in a', '1 two starts in b', '1 one returning: operator',
        '1 two returning: after one', '2 one aborted', '2 two aborted'],
    )


def test_landing_while_returning():
    control = Control("a")
    control.add(mission("one", "takeoff 40; fly 20 0"))
    control.add(mission("two", "takeoff 20"), leader="one")
    control.order_abort("one", 3, "storm")
    for at in (4, 5, 6):
        control.order_abort("one", at)
    control.run()
    assert (control.log, control.report(), control.tower.free()) == (
        ['1 one starts in a', '3 one returning: storm', '3 two cancelled: after one', '6 one aborted'],
        {'aborted': 1, 'cancelled': 1}, ['a'],
    )
