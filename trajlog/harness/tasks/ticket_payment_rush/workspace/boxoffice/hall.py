"""Seats of a hall."""


class SeatTaken(RuntimeError):
    """The seat is not free."""


class Hall:
    """Rows are letters; seats count from 1. A seat is free, held or sold."""

    def __init__(self, rows, width):
        self._state = {f"{row}{number}": "free" for row in rows for number in range(1, width + 1)}

    def hold(self, seats):
        """Hold all the seats, or none."""
        for seat in seats:
            if self._state.get(seat) != "free":
                raise SeatTaken(seat)
        self._set(seats, "held")

    def sell(self, seats):
        self._set(seats, "sold")

    def release(self, seats):
        self._set(seats, "free")

    def count(self, state):
        return sum(found == state for found in self._state.values())

    def best(self, number):
        """The first free seats side by side in one row; an empty list if there are none."""
        run = []
        for seat, state in self._state.items():
            if state != "free" or (run and run[-1][0] != seat[0]):
                run = []
            if state == "free":
                run.append(seat)
            if len(run) == number:
                return run
        return []

    def _set(self, seats, state):
        for seat in seats:
            self._state[seat] = state
