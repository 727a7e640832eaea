"""Result lists of a marathon."""

from dataclasses import dataclass

from timing import as_time, read_crossings

POINTS_PER_MINUTE = 5
LIMIT_S = 6 * 3600


@dataclass(frozen=True)
class Result:
    """Points are given for every full minute under the limit."""

    bib: int
    name: str
    team: str
    seconds: int

    @property
    def points(self):
        return max(0, (LIMIT_S - self.seconds) // 60) * POINTS_PER_MINUTE

    def line(self):
        return f"{self.name} {as_time(self.seconds)}"


class Results:
    """Holds the results in the order of crossing."""

    def __init__(self, field, text):
        crossings, self.stopped = read_crossings(text)
        self._field = field
        self._results = []
        for crossing in crossings:
            if crossing.bib in field:
                runner = field.runner(crossing.bib)
                self._results.append(Result(crossing.bib, runner.name, runner.team, crossing.seconds))

    def fastest(self):
        return sorted(self._results, key=lambda result: result.seconds)

    def slowest(self, count):
        return self.fastest()[::-1][:count]

    def by_points(self):
        """Most points first."""
        return sorted(self._results, key=lambda result: result.points)[::-1]

    def by_class(self):
        """A dict of age class and its results, most points first; classes in alphabetical order."""
        classes = {}
        for result in self.by_points():
            classes.setdefault(self._field.age_class(result.bib), []).append(result)
        return dict(sorted(classes.items()))

    def teams(self, scorers=3):
        """Pairs of team and points of its best runners, most points first."""
        points = {}
        for result in self._results:
            points.setdefault(result.team, []).append(result.points)
        totals = [(team, sum(sorted(each, reverse=True)[:scorers])) for team, each in points.items()]
        return sorted(totals, key=lambda pair: pair[1])[::-1]

    def sheet(self):
        """Lines of the printed list; equal times share a place."""
        lines, place, before = [], 0, None
        for number, result in enumerate(self.fastest(), start=1):
            if result.seconds != before:
                place, before = number, result.seconds
            lines.append(f"{place:3} {result.line()}")
        return lines
