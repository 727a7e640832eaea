"""Tickets for a crossing."""

from tickets.machine import Machine

TABLE = {
    ("draft", "reserve"): "reserved",
    ("reserved", "pay"): "paid",
    ("reserved", "expire"): "expired",
    ("reserved", "cancel"): "cancelled",
    ("paid", "confirm"): "confirmed",
    ("paid", "dun"): "reserved",
    ("paid", "cancel"): "cancelled",
    ("confirmed", "cancel"): "cancelled",
    ("confirmed", "board"): "boarded",
    ("cancelled", "refund"): "refunded",
}


class Ticket:
    def __init__(self, number, passenger, cents, seat=None):
        self.number = number
        self.passenger = passenger
        self.cents = cents
        self.seat = seat
        self.paid = 0
        self.machine = Machine(self, TABLE, "draft")

    @property
    def state(self):
        return self.machine.state

    def events(self):
        return [event for event, _, _ in self.machine.history]

    def fire(self, event, **details):
        self.machine.fire(event, **details)

    def enter_paid(self, cents=0):
        self.paid += cents
        if self.paid >= self.cents:
            self.fire("confirm")
        else:
            self.fire("dun")

    def enter_cancelled(self, **details):
        if self.paid:
            self.fire("refund")

    def enter_refunded(self):
        self.paid = 0

    def __str__(self):
        return f"{self.number} {self.passenger} {self.state} {self.paid / 100:.2f}/{self.cents / 100:.2f}"
