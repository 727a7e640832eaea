"""Time zones out of a table of offsets."""

import json
from datetime import UTC, datetime, timedelta, tzinfo


class ZoneError(LookupError):
    """There is no such zone."""


class Zone(tzinfo):
    """`changes` are (UTC moment without zone, offset from then on), by time."""

    def __init__(self, name, offset, changes=()):
        self.name = name
        self._offset = offset
        self._changes = list(changes)

    def __repr__(self):
        return f"Zone({self.name!r})"

    def utcoffset(self, when):
        if when is None:
            return None
        wall = when.replace(tzinfo=None)
        offset = self._offset
        for moment, new in self._changes:
            first, last = sorted((moment + offset, moment + new))
            if wall < first or (wall < last and not when.fold):
                break
            offset = new
        return offset

    def dst(self, when):
        return timedelta(0)

    def tzname(self, when):
        return self.name

    def fromutc(self, when):
        utc = when.replace(tzinfo=None)
        offset = self._offset
        fold = 0
        for moment, new in self._changes:
            if utc < moment:
                break
            fold = int(utc < moment + (offset - new))
            offset = new
        return (utc + offset).replace(tzinfo=self, fold=fold)

    def moment(self, wall, is_second=False):
        """The moment when clocks show `wall`, for the first or the second time."""
        return wall.replace(tzinfo=self, fold=int(is_second)).astimezone(UTC)

    def local(self, moment):
        """What clocks show at a moment."""
        return moment.astimezone(self)


def load_zone(path, name):
    with open(path, encoding="utf-8") as file:
        table = json.load(file)
    if name not in table:
        raise ZoneError(f"no zone {name}")
    changes = [
        (datetime.fromisoformat(moment), timedelta(minutes=minutes)) for moment, minutes in table[name]["changes"]
    ]
    return Zone(name, timedelta(minutes=table[name]["offset"]), changes)
