import pytest
from tickets import Office, Ticket, TicketError
from tickets.office import manifest, unpaid


def test_expired_reservation():
    office = Office(["1A", "1B"])
    ticket = office.book("Ada", 2500)
    assert (office.close_sale(), str(ticket)) == ([101], "101 Ada expired 0.00/25.00")
    assert ticket.machine.history == [("reserve", "draft", "reserved"), ("expire", "reserved", "expired")]


def test_paid_ticket():
    ticket = Ticket(7, "Ben", 1000)
    ticket.fire("reserve")
    ticket.fire("pay", cents=1000)
    assert (ticket.state, ticket.paid) == ("confirmed", 1000)
    assert ticket.events() == ["reserve", "pay", "confirm"]


def test_waiting_line():
    office = Office(["1A"])
    first, second = office.book("Ada", 2500), office.book("Ben", 2500)
    office.cancel(first.number)
    assert (second.state, second.seat, office.seats.plan()) == ("reserved", "1A", {"1A": 102})


def test_events_that_are_not_possible():
    ticket = Ticket(7, "Ben", 1000)
    with pytest.raises(TicketError, match="7: board is not possible when draft"):
        ticket.fire("board")
    assert (ticket.state, ticket.events()) == ("draft", [])


def test_summary():
    office = Office(["1A", "1B"])
    for name in ("Ada", "Ben", "Cyd"):
        office.book(name, 500)
    office.pay(101, 500)
    assert (office.summary(), office.takings()) == ({"confirmed": 1, "draft": 1, "reserved": 1}, 500)


def test_lists_for_the_gangway():
    office = Office(["2B", "1A"])
    tickets = [office.book(name, 800) for name in ("Ada", "Ben", "Cyd")]
    office.pay(102, 800)
    assert (manifest(tickets, 5), unpaid(tickets)) == (["1A  Ben  102"], {101: 800})
