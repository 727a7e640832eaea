"""Forms of dates, times and lengths."""

from datetime import date, datetime, time, timedelta

from agenda.codec import register

register("day", date, lambda value: value.strftime("%Y-%m-%d"), date.fromisoformat)
register("clock", time, time.isoformat, time.fromisoformat)
register("moment", datetime, datetime.isoformat, datetime.fromisoformat)
register("length", timedelta, timedelta.total_seconds, lambda seconds: timedelta(seconds=seconds))
