"""Events that several stations noticed at about the same time."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Pick:
    station: str
    seconds: float
    peak: int


def picks(station, events, head, peak_of):
    return [Pick(station, head.seconds(event.trigger), peak_of(event.samples())) for event in events]


def coincidences(all_picks, within=2.0, stations=2):
    """Groups of picks of at least so many stations, each at most `within` seconds after the first of its group."""
    found, group = [], []
    for pick in sorted(all_picks, key=lambda pick: (pick.seconds, pick.station)):
        if group and pick.seconds - group[0].seconds > within:
            found.append(group)
            group = []
        group.append(pick)
    found.append(group)
    return [group for group in found if len({pick.station for pick in group}) >= stations]


def coincidence_line(group):
    names = ", ".join(f"{pick.station} +{pick.seconds - group[0].seconds:.2f}" for pick in group)
    return f"{group[0].seconds:.2f} s: {names} (peak {max(pick.peak for pick in group)})"
