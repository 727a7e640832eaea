"""When something runs."""

from datetime import datetime, timedelta

from cron.fields import DAY, HOUR, MINUTE, MONTH, WEEKDAY, CronError

SHORTHANDS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
}
SEARCH_DAYS = 4 * 366


class Schedule:
    def __init__(self, text):
        parts = SHORTHANDS.get(text, text).split()
        if len(parts) != 5:
            raise CronError(f"{text!r} has {len(parts)} fields instead of 5")
        self.text = text
        self._minutes, self._hours, self._days, self._months, self._weekdays = (
            field.parse(part) for field, part in zip((MINUTE, HOUR, DAY, MONTH, WEEKDAY), parts, strict=True)
        )
        self._any_day, self._any_weekday = parts[2] == "*", parts[4] == "*"

    def is_on(self, day):
        """If both day and weekday are restricted, either is enough."""
        if day.month not in self._months:
            return False
        by_day = day.day in self._days
        by_weekday = day.isoweekday() % 7 in self._weekdays
        if self._any_day or self._any_weekday:
            return by_day and by_weekday
        return by_day or by_weekday

    def _times(self):
        for hour in sorted(self._hours):
            for minute in sorted(self._minutes):
                yield hour, minute

    def runs(self, start):
        """Moments after `start`; ends when nothing is found for years."""
        day = datetime(start.year, start.month, start.day)
        num_empty = 0
        while num_empty < SEARCH_DAYS:
            num_empty += 1
            if self.is_on(day):
                for hour, minute in self._times():
                    moment = day.replace(hour=hour, minute=minute)
                    if moment > start:
                        num_empty = 0
                        yield moment
            day += timedelta(days=1)
