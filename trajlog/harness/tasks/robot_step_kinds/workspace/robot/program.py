"""Programs: named lists of steps, some of them subprograms."""

from dataclasses import dataclass, field

from robot.steps import Step

HOME = (0, 0, 0)


@dataclass
class Call(Step):
    """Run a subprogram so many times."""

    name: str
    times: int = 1


@dataclass
class Program:
    name: str
    steps: list = field(default_factory=list)
    subprograms: dict = field(default_factory=dict)

    def add(self, *steps):
        self.steps += steps
        return self

    def flat(self):
        """The steps as they are carried out, subprograms unfolded."""
        yield from self._unfold(self.steps, ())

    def _unfold(self, steps, inside):
        for step in steps:
            if not isinstance(step, Call):
                yield step
                continue
            if step.name in inside:
                raise RecursionError(f"{step.name} calls itself")
            for _ in range(step.times):
                yield from self._unfold(self.subprograms[step.name], (*inside, step.name))

    def seconds(self):
        total, at = 0.0, HOME
        for step in self.flat():
            total += step.seconds(at)
            at = step.end(at)
        return round(total, 3)
