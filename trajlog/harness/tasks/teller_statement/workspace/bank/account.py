"""Accounts and their bookings."""

from dataclasses import dataclass, field

KINDS = ("savings", "giro", "loan")


class BankError(Exception):
    """A request that the bank turns down."""


@dataclass(frozen=True)
class Booking:
    cents: int
    text: str


@dataclass
class Account:
    """Whoever reads or changes the bookings holds `lock`."""

    number: str
    owner: str
    kind: str
    lock: object
    bookings: list = field(default_factory=list)

    @property
    def balance(self):
        return sum(booking.cents for booking in self.bookings)

    def book(self, cents, text):
        if cents < 0 and self.kind != "loan" and self.balance + cents < 0:
            raise BankError(f"account {self.number} holds only {self.balance}")
        self.bookings.append(Booking(cents, text))
