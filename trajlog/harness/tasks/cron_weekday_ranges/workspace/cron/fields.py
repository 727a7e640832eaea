"""The five fields of a schedule: lists of `*`, numbers, names and ranges, each perhaps with `/step`."""

from dataclasses import dataclass, field


class CronError(ValueError):
    """A schedule or table that cannot be read."""


@dataclass(frozen=True)
class Field:
    """`cycle` is set where counting starts again after so many values."""

    title: str
    first: int
    last: int
    names: dict = field(default_factory=dict)
    cycle: int = 0

    def parse(self, text):
        values = set()
        for part in text.split(","):
            values |= self._part(part)
        return frozenset(values)

    def _number(self, text):
        value = self.names.get(text.lower())
        if value is None:
            if not text.isdigit() or not self.first <= int(text) <= self.last:
                raise CronError(f"{self.title}: {text!r} is out of bounds")
            value = int(text)
        return value % self.cycle if self.cycle else value

    def _part(self, part):
        base, slash, step_text = part.partition("/")
        if slash and (not step_text.isdigit() or int(step_text) == 0):
            raise CronError(f"{self.title}: bad step {step_text!r}")
        step = int(step_text) if slash else 1
        if base == "*":
            first, last = self.first, self.last
        elif "-" in base:
            first, last = map(self._number, base.split("-", 1))
        else:
            first = self._number(base)
            last = self.last if slash else first
        if last < first and not self.cycle:
            raise CronError(f"{self.title}: {base} runs backwards")
        return set(range(first, last + 1, step))


def _numbered(words, start):
    return {word: number for number, word in enumerate(words.split(), start)}


MINUTE = Field("minute", 0, 59)
HOUR = Field("hour", 0, 23)
DAY = Field("day", 1, 31)
MONTH = Field("month", 1, 12, _numbered("jan feb mar apr may jun jul aug sep oct nov dec", 1))
WEEKDAY = Field("weekday", 0, 7, _numbered("sun mon tue wed thu fri sat", 0), cycle=7)
