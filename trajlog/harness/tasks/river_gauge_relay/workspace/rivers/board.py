"""The board in the town hall."""

from rivers.export import export
from rivers.forecast import level_in, minutes_until

LAST = 4


def line(gauge, watch):
    """One line for a gauge: level, trend, time, and whether there is an alarm."""
    reading = watch.book.current(gauge.name)
    if reading is None:
        return f"{gauge.name}: no reading"
    alarm = " !" if gauge.name in watch.alarms.active() else ""
    return f"{gauge.name}: {reading.level} {watch.book.trend(gauge.name)} {reading.clock()}{alarm}"


def board(gauges, watch):
    """Lines by river, gauges by name, and at the end what waits in the relay."""
    rivers = {}
    for gauge in sorted(gauges.values(), key=lambda gauge: (gauge.river, gauge.name)):
        rivers.setdefault(gauge.river, []).append(line(gauge, watch))
    lines = []
    for river, rows in rivers.items():
        lines.append(river.upper())
        lines += rows
    if watch.relay.num_waiting:
        lines.append(f"({watch.relay.num_waiting} waiting)")
    return lines


def day_summary(gauges, watch):
    """A dict of gauge and number of readings, mean and time of the peak."""
    summary = {}
    for name in sorted(gauges):
        peak = watch.book.peak(name)
        if peak is not None:
            summary[name] = (len(watch.book.levels(name)), watch.book.mean(name), peak.clock())
    return summary


def outlook(gauges, watch, minutes=60):
    """Lines about gauges that will be in alarm soon."""
    lines = []
    for name, gauge in sorted(gauges.items()):
        last = watch.book.readings(name)[-LAST:]
        wait = minutes_until(last, gauge.alarm)
        if wait is not None and wait <= minutes:
            lines.append(f"{name}: alarm level in {wait} min, {level_in(last, minutes)} cm in {minutes} min")
    return lines


def day_file(gauges, watch):
    """The file that is sent at midnight; everything must be dealt with before."""
    if watch.relay.num_waiting:
        raise RuntimeError(f"{watch.relay.num_waiting} messages wait")
    return export(gauges, watch.book)
