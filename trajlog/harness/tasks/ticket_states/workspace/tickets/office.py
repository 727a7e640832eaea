"""The ticket office."""

from collections import Counter

from tickets.mail import Mailer
from tickets.seats import SeatPlan
from tickets.ticket import Ticket


class Office:
    def __init__(self, seats, first=101):
        self.seats = SeatPlan(seats)
        self.mailer = Mailer()
        self._tickets = {}
        self._next = first

    def book(self, passenger, cents):
        """A ticket with a seat, or in the waiting line."""
        ticket = Ticket(self._next, passenger, cents)
        self._next += 1
        self._tickets[ticket.number] = ticket
        for listener in (self.mailer, self.seats):
            ticket.machine.listen(listener)
        if self.seats.assign(ticket):
            ticket.fire("reserve")
        return ticket

    def pay(self, number, cents):
        self._tickets[number].fire("pay", cents=cents)

    def cancel(self, number):
        self._tickets[number].fire("cancel")

    def close_sale(self):
        """Reservations without payment expire; the numbers of those tickets."""
        expired = [ticket for ticket in self._tickets.values() if ticket.machine.can("expire")]
        for ticket in expired:
            ticket.fire("expire")
        return [ticket.number for ticket in expired]

    def takings(self):
        return sum(ticket.paid for ticket in self._tickets.values())

    def summary(self):
        return dict(sorted(Counter(ticket.state for ticket in self._tickets.values()).items()))


def manifest(tickets, width=20):
    """The list for the gangway: who may board, by seat."""
    lines = []
    for ticket in sorted(tickets, key=lambda ticket: (ticket.seat or "", ticket.number)):
        if ticket.machine.can("board"):
            lines.append(f"{ticket.seat or '--':<4}{ticket.passenger:<{width}}{ticket.number}")
    return lines


def unpaid(tickets):
    """Tickets that still wait for money, with what is missing in cents."""
    return {ticket.number: ticket.cents - ticket.paid for ticket in tickets if ticket.machine.can("pay")}
