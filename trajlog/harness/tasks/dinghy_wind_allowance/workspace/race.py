"""Results of a race by time on distance."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Boat:
    """Seconds per mile for each point of sail."""

    name: str
    beat: int
    reach: int
    run: int

    def allowance(self, sailed):
        return sum(getattr(self, point) * miles for point, miles in sailed.items())


@dataclass
class Entry:
    boat: Boat
    marks: list = field(default_factory=list)

    @property
    def elapsed(self):
        return self.marks[-1] if self.marks else None


class Race:
    """Marks are the seconds from the start at which a boat ended each leg."""

    def __init__(self, course, log):
        self.course = course
        self.log = log
        self.entries = {}

    def enter(self, boat):
        self.entries[boat.name] = Entry(boat)

    def mark(self, name, second):
        entry = self.entries[name]
        if entry.marks and second <= entry.marks[-1]:
            raise ValueError(f"{name} was at its last mark at {entry.marks[-1]} s")
        entry.marks.append(second)

    def winds(self, entry):
        times = [0, *entry.marks]
        return [self.log.during(a, b) for a, b in zip(times, times[1:], strict=False)]

    def corrected(self, entry):
        """Elapsed time less what the boat is allowed, in whole seconds."""
        sailed = self.course.sailed(self.winds(entry))
        return round(entry.elapsed - entry.boat.allowance(sailed))

    def finished(self):
        return [entry for entry in self.entries.values() if len(entry.marks) == len(self.course.legs)]

    def results(self):
        rows = sorted((self.corrected(entry), entry.boat.name) for entry in self.finished())
        places = []
        for seconds, name in rows:
            tied = places and places[-1][2] == seconds
            places.append((places[-1][0] if tied else len(places) + 1, name, seconds))
        return places
