"""Kinds of entries."""

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from agenda.codec import register


@dataclass
class Entry:
    title: str
    start: date

    def covers(self, day):
        return self.start == day


@dataclass
class Meeting(Entry):
    length: timedelta = timedelta(hours=1)
    guests: list = field(default_factory=list)

    def covers(self, day):
        first = self.start.date() if isinstance(self.start, datetime) else self.start
        last = (self.start + self.length) if isinstance(self.start, datetime) else self.start
        return first <= day and last >= (datetime.min if isinstance(last, datetime) else date.min).replace(
            day.year, day.month, day.day
        )


def register_entry(tag, kind):
    register(tag, kind, vars, lambda fields: kind(**fields))


register_entry("meeting", Meeting)
register_entry("entry", Entry)
