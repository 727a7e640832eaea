"""Reads the sheets of the guides.

    == Old masters
    language = fr
    capacity = 12
    @ Hall 5
    @ Room 3: 12
    - mind the step
    - no flash
    @ Garden 4

A title begins a tour. Settings follow, then the stops: after the `@` the room and the minutes. Remarks stand under
their stop.
"""

from lines import Lookahead, SheetError, numbered
from tours import Stop, Tour


def parse_setting(line):
    name, _, value = line.text.partition("=")
    return name.strip().lower(), value.strip()


def parse_stop(line):
    room, _, minutes = line.text.removeprefix("@").strip().rpartition(" ")
    if not room or not minutes.isdigit():
        raise SheetError(line.number, f"stop {line.text!r}")
    return Stop(room.rstrip(": "), int(minutes))


def take(lines, wanted):
    """The lines up to the first that is not wanted, which stays in `lines`."""
    while (line := lines.peek()) is not None and wanted(line):
        yield next(lines)


def read_stops(lines):
    for line in take(lines, lambda line: line.is_stop or line.is_remark):
        if line.is_remark:
            raise SheetError(line.number, "a remark without a stop")
        stop = parse_stop(line)
        stop.remarks += [remark.text[2:] for remark in take(lines, lambda line: line.is_remark)]
        yield stop


def read_sheet(text):
    """The tours of a sheet."""
    lines, tours = Lookahead(numbered(text)), []
    for line in lines:
        if not line.is_title:
            raise SheetError(line.number, f"{line.text!r} is in no tour")
        tour = Tour(line.text[3:])
        tour.settings.update(parse_setting(setting) for setting in take(lines, lambda line: line.is_setting))
        tour.stops.extend(read_stops(lines))
        tours.append(tour)
    return tours
