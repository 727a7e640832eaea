"""Bills."""

from dataclasses import dataclass, field
from datetime import date

from meter.history import History
from meter.register import ReadingError, Register


@dataclass
class Bill:
    customer: str
    start: date
    end: date
    lines: list = field(default_factory=list)

    @property
    def energy(self):
        return sum(line.energy for line in self.lines)

    @property
    def total(self):
        return sum(line.cents for line in self.lines)

    def rows(self):
        yield f"{self.customer} {self.start:%d.%m.%y}-{self.end:%d.%m.%y}"
        for line in self.lines:
            yield f"  {line.label:<10}{line.energy:>7} kWh {line.cents / 100:>10.2f}"
        yield f"  {'total':<10}{self.energy:>7} kWh {self.total / 100:>10.2f}"


def bills(history, tariff):
    for period in history.periods:
        yield Bill(history.customer, period.start, period.end, list(tariff.lines(period)))


def load(lines):
    """Read a history.

        customer Ann 5 1                       name, digits, factor
        2024-01-01 412                         a reading
        2024-02-10 exchange 590 6 1 120        last count, digits, factor and first count of the new meter
    """
    lines = iter(lines)
    word, customer, *numbers = next(lines).split()
    if word != "customer":
        raise ReadingError("the history has no customer")
    history = History(customer, Register(*map(int, numbers)))
    for line in lines:
        day, *rest = line.split()
        day = date.fromisoformat(day)
        if rest[0] == "exchange":
            last_count, digits, factor, first_count = map(int, rest[1:])
            history.exchange(day, last_count, Register(digits, factor), first_count)
        else:
            history.read(day, int(rest[0]))
    return history


def forecast(history, days):
    """kWh expected for so many days, from all periods so far, rounded down."""
    used = sum(period.energy for period in history.periods)
    return used * days // sum(period.days for period in history.periods)
