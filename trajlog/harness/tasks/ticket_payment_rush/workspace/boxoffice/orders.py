"""Orders of tickets."""

from dataclasses import dataclass, field

PRICES = {"A": 4500, "B": 3200, "C": 1900}


@dataclass
class Order:
    number: int
    customer: str
    seats: list
    state: str = "new"
    receipt: str = ""
    history: list = field(default_factory=list)

    def cents(self):
        total = sum(PRICES.get(seat[0], 1500) for seat in self.seats)
        return total - total // 10 if len(self.seats) >= 5 else total

    def go(self, state):
        self.state = state
        self.history.append(state)
