"""Compare laps with targets."""

from laps.clock import whole_seconds


class Even:
    """The same pace for every lap."""

    def __init__(self, pace):
        self._pace = pace

    def duration(self, number, lap):
        return self._pace * lap.metres / 1000


class Negative:
    """Each lap a little faster than the one before; `step` is taken off the pace."""

    def __init__(self, pace, step):
        self._pace = pace
        self._step = step

    def duration(self, number, lap):
        return (self._pace - self._step * number) * lap.metres / 1000


class Previous:
    """The laps of an earlier activity; laps that it does not have are compared with its best pace."""

    def __init__(self, activity):
        self._laps = activity.moving
        self._best = activity.best().pace

    def duration(self, number, lap):
        pace = self._laps[number].pace if number < len(self._laps) else self._best
        return pace * lap.metres / 1000


def differences(activity, target):
    """For each lap that is no rest, how much longer than the target it took."""
    return [lap.duration - target.duration(number, lap) for number, lap in enumerate(activity.moving)]


def is_star(difference):
    return whole_seconds(difference) < 0
