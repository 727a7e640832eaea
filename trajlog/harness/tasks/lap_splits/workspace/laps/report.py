"""Tables of laps."""

from datetime import timedelta

from laps.clock import show, show_difference
from laps.targets import differences, is_star


def table(activity, target):
    lines = [activity.name]
    for lap, difference in zip(activity.moving, differences(activity, target)):
        star = " *" if is_star(difference) else ""
        lines.append(f"{lap.metres:>6} m {show(lap.duration):>9} {show_difference(difference):>9}{star}")
    lines.append(f"{activity.metres:>6} m {show(activity.duration):>9}")
    return lines


def balance(activity, target):
    """The difference after each lap, added up."""
    total = timedelta(0)
    out = []
    for difference in differences(activity, target):
        total += difference
        out.append(show_difference(total))
    return out


def paces(activity):
    return [show(lap.pace) + "/km" for lap in activity.moving]
