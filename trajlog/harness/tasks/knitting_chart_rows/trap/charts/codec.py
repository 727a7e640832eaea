"""Charts to bytes and back.

After the head (magic, name, width, list of stitches) come instructions, until the data ends:

    PLAIN n (stitch count)*n   a row, as runs of equal stitches
    COPY d                     a row that was written d instructions of a row ago (PLAIN and COPY alike)
    AGAIN n                    the row just made, n times more
"""

from itertools import groupby

from charts.model import Chart
from charts.varint import Reader, put_number, put_text

MAGIC = b"KC1"
PLAIN, COPY, AGAIN = range(3)
WINDOW = 8


class ChartFormatError(ValueError):
    """Data that is no chart."""


class Recent:
    """The rows that COPY can reach."""

    def __init__(self):
        self._rows = []

    def add(self, row):
        self._rows.append(row)
        del self._rows[:-WINDOW]

    def distance(self, row):
        """How far back the row is, or None."""
        for distance, known in enumerate(reversed(self._rows), 1):
            if known == row:
                return distance
        return None

    def back(self, distance):
        if not 1 <= distance <= len(self._rows):
            raise ChartFormatError(f"no row {distance} back")
        return self._rows[-distance]


def encode(chart):
    out = bytearray(MAGIC)
    put_text(out, chart.name)
    put_number(out, chart.width)
    names = sorted(chart.stitch_counts())
    put_number(out, len(names))
    for name in names:
        put_text(out, name)
    recent = Recent()
    for row, group in groupby(chart.rows):
        distance = recent.distance(row)
        if distance is None:
            _put_plain(out, row, names)
        else:
            out.append(COPY)
            put_number(out, distance)
        recent.add(row)
        more = len(list(group)) - 1
        if more:
            out.append(AGAIN)
            put_number(out, more)
    return bytes(out)


def _put_plain(out, row, names):
    runs = [(names.index(name), len(list(run))) for name, run in groupby(row)]
    out.append(PLAIN)
    put_number(out, len(runs))
    for index, count in runs:
        put_number(out, index)
        put_number(out, count)


def decode(data):
    reader = Reader(data)
    if reader.take(len(MAGIC)) != MAGIC:
        raise ChartFormatError("not a chart")
    chart = Chart(reader.text(), reader.number())
    names = [reader.text() for _ in range(reader.number())]
    recent = Recent()
    while not reader.at_end:
        (code,) = reader.take(1)
        if code == PLAIN:
            row = _take_plain(reader, names)
        elif code == COPY:
            row = recent.back(reader.number())
        elif code == AGAIN:
            row = chart.rows[-1]
            for _ in range(reader.number() - 1):
                chart.add_row(row)
        else:
            raise ChartFormatError(f"instruction {code} at {reader.position - 1}")
        if code == PLAIN:
            recent.add(row)
        chart.add_row(row)
    return chart


def _take_plain(reader, names):
    row = []
    for _ in range(reader.number()):
        index, count = reader.number(), reader.number()
        row += [names[index]] * count
    return tuple(row)
