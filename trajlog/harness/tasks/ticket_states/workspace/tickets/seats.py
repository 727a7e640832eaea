"""The seat plan of a crossing."""

TAKEN = ("reserved", "paid", "confirmed", "boarded")


class SeatPlan:
    """Follows the tickets; who waits gets a seat that becomes free."""

    def __init__(self, seats):
        self._seats = dict.fromkeys(seats)
        self._states = {}
        self._waiting = []

    def __call__(self, ticket, event, old, new):
        if ticket.seat is None:
            return
        self._states[ticket.seat] = new
        self._seats[ticket.seat] = ticket.number if new in TAKEN else None
        if new not in TAKEN:
            seat, ticket.seat = ticket.seat, None
            self._offer(seat)

    def assign(self, ticket):
        """A seat for a ticket, or a place in the waiting line (None)."""
        for seat, number in self._seats.items():
            if number is None:
                self._seats[seat] = ticket.number
                ticket.seat = seat
                return seat
        self._waiting.append(ticket)
        return None

    def _offer(self, seat):
        if self._waiting:
            ticket = self._waiting.pop(0)
            ticket.seat = seat
            self._seats[seat] = ticket.number
            ticket.fire("reserve")

    def plan(self):
        return {seat: number or "-" for seat, number in self._seats.items()}

    def states(self):
        return dict(self._states)
