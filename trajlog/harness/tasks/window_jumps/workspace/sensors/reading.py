"""Readings of one sensor."""

import csv
from dataclasses import dataclass


class BadReading(ValueError):
    pass


@dataclass(frozen=True)
class Reading:
    minute: float  # after midnight
    value: float
    is_valid: bool = True


def read(lines):
    """Yield readings from lines such as `07:30,4.5` or `07:30,4.5,bad`."""
    for number, row in enumerate(csv.reader(lines), 1):
        if not row or row[0].startswith("#"):
            continue
        try:
            hours, minutes = row[0].split(":")
            reading = Reading(int(hours) * 60 + float(minutes), float(row[1]), row[2:] != ["bad"])
        except (ValueError, IndexError):
            raise BadReading(f"line {number}: {','.join(row)}") from None
        yield reading


def valid(readings):
    return (reading for reading in readings if reading.is_valid)


def calibrated(readings, offset, factor=1.0):
    for reading in readings:
        yield Reading(reading.minute, reading.value * factor + offset, reading.is_valid)
