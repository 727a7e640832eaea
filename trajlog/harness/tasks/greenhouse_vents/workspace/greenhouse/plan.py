"""Targets over the day: `06:00 20; 10:30 24.5; 19:00 18`."""

from bisect import bisect_right

from greenhouse.climate import Settings, wanted_opening


class PlanError(ValueError):
    """A plan of the day that makes no sense."""


class DayPlan:
    """The target at a minute of the day is that of the last change before, overnight that of the evening."""

    def __init__(self, changes):
        changes = sorted(changes)
        self._minutes = [minute for minute, _ in changes]
        self._targets = [target for _, target in changes]
        if not changes:
            raise PlanError("no targets")
        if len(set(self._minutes)) < len(changes):
            raise PlanError("two targets for one minute")

    @classmethod
    def parse(cls, text):
        changes = []
        for part in text.split(";"):
            if not part.strip():
                continue
            try:
                clock, target = part.split()
                hours, minutes = map(int, clock.split(":"))
                changes.append((hours * 60 + minutes, float(target)))
            except ValueError:
                raise PlanError(f"no target: {part.strip()!r}") from None
        return cls(changes)

    def target(self, minute):
        return self._targets[bisect_right(self._minutes, minute % 1440) - 1]

    def model(self, clock):
        """A model for a controller; `clock()` gives the minute of the day when it is asked."""
        def evaluate(reading):
            return wanted_opening(reading, Settings(target=self.target(clock())))

        return evaluate
