"""Turning lists for the cheese cellar."""

from datetime import date, timedelta

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Wheel:
    """A wheel that is turned every `every` days, for `weeks` weeks after it came into the cellar."""

    def __init__(self, number, kind, laid, every=3, weeks=6):
        self.number = number
        self.kind = kind
        self.laid = laid
        self.every = every
        self.ripe = laid + timedelta(weeks=weeks)

    def turnings(self):
        day = self.laid + timedelta(days=self.every)
        while day < self.ripe:
            yield day
            day += timedelta(days=self.every)


def week_start(day, first="mon"):
    """The first day of the week of `day`, for weeks that begin on `first`."""
    behind = day.weekday() - DAYS.index(first)
    return day - timedelta(days=behind)


def week_label(day, first="mon"):
    begin = week_start(day, first)
    end = begin + timedelta(days=6)
    return f"{begin:%d %b} - {end:%d %b %Y}"


def week_list(wheels, day, first="mon"):
    """Pairs (date, wheel number) for the week of `day`."""
    begin = week_start(day, first)
    due = [(turn, wheel.number) for wheel in wheels for turn in wheel.turnings() if week_start(turn, first) == begin]
    return sorted(due)


def load_per_week(wheels, first="mon"):
    """Turnings for each week that has any, by the date on which it begins."""
    load = {}
    for wheel in wheels:
        for turn in wheel.turnings():
            begin = week_start(turn, first)
            load[begin] = load.get(begin, 0) + 1
    return dict(sorted(load.items()))


def busiest(wheels, first="mon"):
    load = load_per_week(wheels, first)
    if not load:
        return None
    return max(load, key=lambda begin: (load[begin], -begin.toordinal()))


def parse_wheels(text):
    """Lines `number kind date [every]`."""
    wheels = []
    for line in text.splitlines():
        if line.strip():
            number, kind, laid, *every = line.split()
            wheels.append(Wheel(int(number), kind, date.fromisoformat(laid), *map(int, every)))
    return wheels
