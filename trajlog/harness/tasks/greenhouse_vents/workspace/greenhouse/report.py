"""What happened in the zones."""

from greenhouse.climate import Reading


def parse_readings(text):
    """Lines `zone celsius humidity [wind]`."""
    readings = []
    for line in text.splitlines():
        fields = line.split()
        if fields:
            readings.append(Reading(fields[0], float(fields[1]), *map(int, fields[2:])))
    return readings


def summary(zone):
    travelled = sum(abs(after - before) for before, after in zone.vent.moves)
    return f"{zone.name}: {zone.vent.opening} % ({len(zone.vent.moves)} moves, {travelled}; " \
           f"{zone.stale} stale, {zone.failed} failed)"
