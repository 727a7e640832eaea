"""Log lines: `HH:MM:SS LEVEL message`, continued by indented lines."""

from dataclasses import dataclass

LEVELS = ("DEBUG", "INFO", "WARN", "ERROR")


class BadLine(ValueError):
    """A line that is no log line."""


@dataclass(frozen=True)
class Entry:
    seconds: int
    level: str
    message: str

    @property
    def clock(self):
        minutes, seconds = divmod(self.seconds, 60)
        return f"{minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}"


def parse_time(text):
    try:
        hours, minutes, seconds = map(int, text.split(":"))
    except ValueError:
        raise BadLine(f"bad time {text!r}") from None
    return (hours * 60 + minutes) * 60 + seconds


def parse(line):
    """The entry of one line."""
    fields = line.rstrip("\n").split(" ", 2)
    if len(fields) < 3:
        raise BadLine(f"too short: {line!r}")
    time, level, message = fields
    if level not in LEVELS:
        raise BadLine(f"unknown level {level!r}")
    return Entry(parse_time(time), level, message)
