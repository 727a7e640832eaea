"""Reads timetable lines.

    X1 06:10 Mo-Fr express not school | Depot Mill:3 *Ford:2 Port:4.5

Left of the bar the line, its departure, the days and what is special; right of it the stops with the minutes
driven from the previous one. `*` marks stops that express buses pass.
"""

from timegrid import TripBuilder, TripError


def parse_stops(text):
    """Triples of name, driving time in half minutes and whether only local buses halt."""
    stops = []
    for word in text.split():
        name, _, minutes = word.partition(":")
        stops.append((name.lstrip("*"), round(2 * float(minutes or 0)), name.startswith("*")))
    return stops


def describe(builder, words, stops):
    """The builder, with the special words of the line added."""
    words = list(words)
    while words:
        word = words.pop(0)
        if word == "express":
            for name, _, is_local in stops:
                if is_local:
                    builder.leave_out(name)
        elif word == "not" and words and words[0] == "school":
            words.pop(0)
            builder.not_on_holidays()
        elif word == "from" and words:
            builder.begin_at(words.pop(0))
        else:
            raise TripError(f"unknown word {word!r}")
    return builder


def parse_trip(text):
    left, bar, right = text.partition("|")
    if not bar:
        raise TripError(f"no stops in {text!r}")
    line, leaves, days, *words = left.split()
    hour, minute = leaves.split(":")
    builder = TripBuilder(line).leaving(int(hour), int(minute)).on_days(*days.split("-"))
    stops = parse_stops(right)
    for name, drive, _ in stops:
        builder = builder.stop(name, drive)
    return describe(builder, words, stops).build()


def load_trips(text):
    return [parse_trip(row) for row in text.splitlines() if row.strip() and not row.startswith("#")]


def departures(trips, stop, day, is_holiday=False):
    """Pairs of line and arrival at `stop`, in the order of the file."""
    return [
        (trip.line, trip.arrival(stop))
        for trip in trips
        if trip.runs(day, is_holiday) and stop in trip.stops()
    ]
