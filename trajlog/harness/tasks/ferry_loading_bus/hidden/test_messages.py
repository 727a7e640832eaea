from ferry.billing import Billing
from ferry.bus import Bus
from ferry.checkin import CheckIn
from ferry.journal import journal
from ferry.planner import Planner


def test_trailers_stay_on_the_plan():
    bus = Bus()
    billing = Billing(bus)
    planner = Planner(bus, [30])
    desk = CheckIn(bus)
    desk.arrive("T1", "van", 5.3, [3.2, 2.1])
    desk.arrive("T2", "car", 4.4, [2.6])
    assert (billing.bills, planner.lanes()) == ({'T1': 13900, 'T2': 8100}, {1: [('T1', 10.6), ('T2', 7.0)]})


def test_journal_keeps_what_was_published():
    bus = Bus()
    Billing(bus)
    desk = CheckIn(bus)
    desk.arrive("T1", "van", 5.3, [3.2])
    desk.arrive("T2", "car", 4.45)
    desk.cancel("T2")
    assert journal(bus) == ['in  T1 van 5.30 + 3.20', 'in  T2 car 4.45', 'out T2']


def test_replay_to_a_late_planner():
    bus = Bus()
    Billing(bus)
    desk = CheckIn(bus)
    desk.arrive("T1", "lorry", 11.3, [6.4])
    desk.arrive("T2", "car", 4.45)
    planner = Planner(bus, [20, 10], replay=True)
    assert (planner.lanes(), planner.free()) == ({1: [('T1', 17.7)], 2: [('T2', 4.45)]}, [1.8, 5.05])


def test_callers_objects_are_their_own():
    bus = Bus()
    heard = []
    bus.attach("note", lambda message: message["lines"].append("seen"))
    bus.attach("note", lambda message: heard.append(message["lines"]))
    lines = ["fog", "swell"]
    bus.publish("note", lines=lines)
    lines.append("changed later")
    bus.past("note")[0][1]["lines"].clear()
    assert (lines, heard, bus.past()) == (
        ['fog', 'swell', 'changed later'], [['fog', 'swell']], [('note', {'lines': ['fog', 'swell']})],
    )


def test_failing_listener_has_no_effect_on_others():
    bus = Bus()
    heard = []

    def spoil(message):
        message["places"].clear()
        raise RuntimeError("spoilt")

    detach = bus.attach("seats", spoil)
    bus.attach("seats", heard.append)
    bus.publish("seats", places=[3, 4])
    detach()
    bus.publish("seats", places=[5])
    assert (heard, bus.errors) == ([{'places': [3, 4]}, {'places': [5]}], [('seats', 'RuntimeError: spoilt')])
