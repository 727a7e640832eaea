"""Checks of a program before it runs."""

from dataclasses import dataclass

from robot.program import HOME


@dataclass(frozen=True)
class Cell:
    """The space the arm may use, and how fast."""

    low: tuple = (-600, -600, 0)
    high: tuple = (600, 600, 900)
    speed: int = 500
    guard_below: int = 0

    def holds(self, point):
        return all(low <= value <= high for low, value, high in zip(self.low, point, self.high, strict=True))


def findings(program, cell):
    """Lines about steps that leave the cell, are too fast or come down without a guard."""
    at = HOME
    for number, step in enumerate(program.flat(), 1):
        target = step.end(at)
        if target != at:
            name = f"step {number} ({step.kind})"
            if not cell.holds(target):
                yield f"{name}: {'/'.join(map(str, target))} is outside"
            if step.speed > cell.speed:
                yield f"{name}: speed {step.speed}"
            if target[2] < cell.guard_below and not hasattr(step, "limit"):
                yield f"{name}: no guard at height {target[2]}"
        at = target
