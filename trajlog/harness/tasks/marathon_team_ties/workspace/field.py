"""Who runs."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Runner:
    bib: int
    name: str
    team: str
    born: int

    def age_class(self, year):
        age = year - self.born
        return "open" if age < 40 else f"M{age // 10 * 10}"


class Field:
    def __init__(self, runners, year):
        self._runners = {runner.bib: runner for runner in runners}
        self.year = year

    def __contains__(self, bib):
        return bib in self._runners

    def runner(self, bib):
        return self._runners[bib]

    def age_class(self, bib):
        return self._runners[bib].age_class(self.year)
