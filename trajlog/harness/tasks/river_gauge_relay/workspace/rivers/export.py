"""Readings for the office of waters, as CSV."""

import csv
import io

COLUMNS = ("gauge", "river", "time", "level", "alarm")


def export(gauges, book):
    """All readings by gauge, in the order in which they were entered."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name, gauge in sorted(gauges.items()):
        for reading in book.readings(name):
            over = "x" if reading.level >= gauge.alarm else ""
            writer.writerow([name, gauge.river, reading.clock(), reading.level, over])
    return text.getvalue()
