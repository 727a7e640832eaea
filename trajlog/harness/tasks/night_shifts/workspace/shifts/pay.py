"""Hours and pay."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta

from shifts.spans import Span

NIGHT_FROM, NIGHT_TO = time(23), time(6)
NIGHT_PERCENT = 25


@dataclass
class Hours:
    minutes: int = 0
    night: int = 0

    def add(self, minutes, night):
        self.minutes += minutes
        self.night += night


def nights(zone, span):
    """The nights that a span may touch."""
    day = zone.local(span.start).date() - timedelta(days=1)
    while day <= zone.local(span.end).date():
        start = zone.moment(datetime.combine(day, NIGHT_FROM))
        end = zone.moment(datetime.combine(day + timedelta(days=1), NIGHT_TO))
        yield Span(start, end)
        day += timedelta(days=1)


def night_minutes(zone, span):
    return sum(span.shared(night) for night in nights(zone, span))


def by_person(plan):
    table = {person: Hours() for person in plan.people()}
    for shift in plan.shifts:
        table[shift.person].add(shift.span.minutes, night_minutes(plan.zone, shift.span))
    return table


def by_week(plan, person):
    """ISO week of the start -> minutes."""
    weeks = {}
    for shift in plan.of(person):
        year, week, _ = plan.zone.local(shift.span.start).isocalendar()
        label = f"{year}-W{week:02d}"
        weeks[label] = weeks.get(label, 0) + shift.span.minutes
    return weeks


def pay(hours, rate):
    """Cents for hours at `rate` cents an hour, half up."""
    hundredths = hours.minutes * 100 + hours.night * NIGHT_PERCENT
    return (hundredths * rate + 3000) // 6000
