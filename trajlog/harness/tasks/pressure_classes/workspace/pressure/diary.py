"""The diary as text: `2024-05-01 07:30 128/82 64`; the day may be left out if it is that of the line before."""

import re

from pressure.reading import DiaryError, Reading

LINE = re.compile(r"(?:(\d{4}-\d\d-\d\d)\s+)?(\d\d):(\d\d)\s+(\d+)/(\d+)(?:\s+(\d+))?$")


class Diary:
    def __init__(self, readings=()):
        self.readings = sorted(readings, key=lambda reading: (reading.day, reading.minute))

    @classmethod
    def parse(cls, text):
        day, readings = None, []
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            match = LINE.match(line.strip())
            if match is None:
                raise DiaryError(f"line {number}: {line.strip()!r}")
            day = match[1] or day
            if day is None:
                raise DiaryError(f"line {number}: no day yet")
            pulse = int(match[6]) if match[6] else None
            minute = int(match[2]) * 60 + int(match[3])
            readings.append(Reading(day, minute, int(match[4]), int(match[5]), pulse))
        return cls(readings)

    def between(self, first, last):
        return Diary(reading for reading in self.readings if first <= reading.day <= last)

    def part(self, name):
        return Diary(reading for reading in self.readings if reading.part_of_day == name)

    def mean(self):
        """Mean pressure as whole numbers."""
        count = len(self.readings)
        if not count:
            return None
        sums = (sum(r.systolic for r in self.readings), sum(r.diastolic for r in self.readings))
        return tuple((2 * total + count) // (2 * count) for total in sums)
