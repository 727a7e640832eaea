"""Puts trips together.

A builder is a value: every method that describes the trip answers a builder with that added, so that a common
beginning can be kept and continued in several ways.
"""

from timegrid.model import Call, Trip

DAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")


class TripError(ValueError):
    """What was described is no trip."""


class TripBuilder:
    def __init__(self, line, **parts):
        self._line = line
        self._parts = {"legs": (), "left_out": frozenset(), "days": DAYS, "holidays": True, "start": 0,
                       "first": None, **parts}

    def _with(self, **parts):
        return TripBuilder(self._line, **{**self._parts, **parts})

    def leaving(self, hour, minute):
        return self._with(start=120 * hour + 2 * minute)

    def stop(self, name, drive=0):
        """Next stop, `drive` half minutes after the previous one."""
        return self._with(legs=(*self._parts["legs"], (name, drive)))

    def leave_out(self, *names):
        return self._with(left_out=self._parts["left_out"] | set(names))

    def begin_at(self, name):
        return self._with(first=name)

    def on_days(self, first, last):
        start, end = DAYS.index(first), DAYS.index(last)
        if end < start:
            raise TripError(f"days {first}-{last}")
        return self._with(days=DAYS[start : end + 1])

    def not_on_holidays(self):
        return self._with(holidays=False)

    def build(self):
        legs, first = list(self._parts["legs"]), self._parts["first"]
        if first is not None:
            names = [name for name, _ in legs]
            if first not in names:
                raise TripError(f"{self._line} has no stop {first}")
            legs = legs[names.index(first) :]
        now, calls = self._parts["start"], []
        for number, (name, drive) in enumerate(legs):
            now += drive if number else 0
            if name in self._parts["left_out"]:
                continue
            halt = 1 if calls else 0
            calls.append(Call(name, now, now + halt))
            now += halt
        if len(calls) < 2:
            raise TripError(f"{self._line} has fewer than two stops")
        return Trip(self._line, tuple(calls), frozenset(self._parts["days"]), self._parts["holidays"])
