"""Figures by satellite."""

from collections import defaultdict

from antenna.passes import passes


def by_satellite(sightings):
    """satellite -> (number of passes, seconds in sight, strongest signal)"""
    found = defaultdict(list)
    for each in passes(sightings):
        found[each.satellite].append(each)
    return {
        satellite: (
            len(group),
            sum(each.seconds for each in group),
            max(sighting.strength for each in group for sighting in each.sightings),
        )
        for satellite, group in sorted(found.items())
    }


def table(sightings):
    rows = by_satellite(sightings).items()
    return [f"{name:<8}{count:>3}{seconds:>6} s{strength:>5}" for name, (count, seconds, strength) in rows]
