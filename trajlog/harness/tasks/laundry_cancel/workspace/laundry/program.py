"""Programs as text: `fill; wash 60 20; rinse 5 x2; spin 10`."""

from dataclasses import dataclass


class ProgramError(ValueError):
    """A program that no machine can run."""


@dataclass(frozen=True)
class Step:
    kind: str
    seconds: int
    target: int | None = None

    def __str__(self):
        return self.kind if self.target is None else f"{self.kind} {self.target}"


KINDS = {"fill": 0, "wash": 2, "soak": 1, "rinse": 1, "spin": 1}


class Program:
    def __init__(self, name, steps):
        self.name = name
        self.steps = tuple(steps)

    @classmethod
    def parse(cls, name, text):
        steps = []
        for part in text.split(";"):
            words = part.split()
            if not words:
                continue
            times = int(words.pop()[1:]) if words[-1].startswith("x") else 1
            kind, *numbers = words
            if KINDS.get(kind) != len(numbers):
                raise ProgramError(f"{name}: {part.strip()!r}")
            numbers = [int(number) for number in numbers]
            seconds = numbers[-1] if numbers else 4
            target = numbers[0] if len(numbers) == 2 else None
            steps += [Step(kind, seconds, target)] * times
        return cls(name, steps)

    def seconds(self):
        """How long it takes, with the cooling of the heater."""
        return sum(step.seconds + (3 if step.target else 0) for step in self.steps)
