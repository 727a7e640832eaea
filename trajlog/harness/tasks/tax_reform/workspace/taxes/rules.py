"""Rules of one year."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Rules:
    """`brackets` are (from this income on, percent) in rising order; amounts are whole units of money."""

    allowance: int
    brackets: tuple
    child_relief: int = 0
    surcharge_from: int | None = None

    def changed(self, **changes):
        if "brackets" in changes:
            changes["brackets"] = tuple(map(tuple, changes["brackets"]))
        return replace(self, **changes)


YEARS = {
    "2023": Rules(10000, ((0, 15), (20000, 25), (60000, 42)), 500),
    "2024": Rules(11000, ((0, 14), (20000, 25), (60000, 42)), 500, 50000),
    "2025": Rules(12000, ((0, 14), (22000, 24), (66000, 42)), 600),
}
