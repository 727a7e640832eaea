"""Tickets and statements."""

from dataclasses import dataclass
from datetime import datetime, timedelta


class TicketError(ValueError):
    pass


@dataclass
class Ticket:
    plate: str
    zone: str
    entered: datetime
    left: datetime | None = None
    fee: int = 0


class Garage:
    def __init__(self, tariffs):
        self._tariffs = tariffs
        self._inside = {}
        self.closed = []

    def enter(self, plate, zone, when):
        if plate in self._inside:
            raise TicketError(f"{plate} is inside already")
        if zone not in self._tariffs:
            raise TicketError(f"no zone {zone}")
        self._inside[plate] = Ticket(plate, zone, datetime.fromisoformat(when))

    def leave(self, plate, when):
        """The fee in cents."""
        if plate not in self._inside:
            raise TicketError(f"{plate} is not inside")
        ticket = self._inside[plate]
        left = datetime.fromisoformat(when)
        if left < ticket.entered:
            raise TicketError(f"{plate} cannot leave before {ticket.entered:%H:%M}")
        ticket.left = left
        ticket.fee = self._tariffs[ticket.zone].fee((left - ticket.entered) // timedelta(minutes=1))
        del self._inside[plate]
        self.closed.append(ticket)
        return ticket.fee

    def statement(self, plate):
        """Lines and total of all stays."""
        stays = [ticket for ticket in self.closed if ticket.plate == plate]
        lines = [f"{t.entered:%d.%m. %H:%M} {t.zone} {t.fee / 100:.2f}" for t in stays]
        return [*lines, f"total {sum(t.fee for t in stays) / 100:.2f}"]
