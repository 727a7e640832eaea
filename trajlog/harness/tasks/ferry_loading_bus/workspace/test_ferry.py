import pytest
from ferry.billing import Billing
from ferry.bus import Bus
from ferry.checkin import CheckIn
from ferry.journal import journal
from ferry.planner import Planner


def test_planner_alone():
    bus = Bus()
    planner = Planner(bus, [20, 12])
    desk = CheckIn(bus)
    desk.arrive("A1", "car", 4.2)
    desk.arrive("B2", "lorry", 14.75)
    desk.arrive("C3", "car", 4.5, [3.25])
    assert planner.lanes() == {1: [("A1", 4.2), ("B2", 14.75)], 2: [("C3", 7.75)]}
    assert planner.free() == [0.05, 3.75]


def test_billing_before_planner():
    bus = Bus()
    billing = Billing(bus)
    planner = Planner(bus, [20, 12])
    desk = CheckIn(bus)
    desk.arrive("A1", "car", 4.2)
    desk.arrive("B2", "lorry", 14.75)
    assert billing.bills == {"A1": 6000, "B2": 33000}
    assert planner.lanes() == {1: [("A1", 4.2), ("B2", 14.75)], 2: []}


def test_journal():
    bus = Bus()
    desk = CheckIn(bus)
    desk.arrive("A1", "van", 5.5, [2.5])
    desk.cancel("A1", late=True)
    assert journal(bus) == ["in  A1 van 5.50 + 2.50", "out A1 late"]


def test_plate_cannot_come_twice():
    desk = CheckIn(Bus())
    desk.arrive("A1", "car", 4)
    with pytest.raises(ValueError, match="A1 is checked in already"):
        desk.arrive("A1", "car", 4)


def test_deck_full_is_noted():
    bus = Bus()
    Planner(bus, [4])
    CheckIn(bus).arrive("A1", "car", 4)
    assert bus.errors == [("checked_in", "DeckFull: A1 needs 4 m")]
