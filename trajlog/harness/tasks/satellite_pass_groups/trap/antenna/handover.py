"""From one satellite to the next."""

from dataclasses import dataclass
from itertools import pairwise

from antenna.passes import GAP, passes
from antenna.sightings import clock


@dataclass(frozen=True)
class Handover:
    second: int
    old: str
    new: str
    pause: int

    def line(self):
        return f"{clock(self.second)} {self.old} -> {self.new} after {self.pause} s"


def handovers(sightings, gap=GAP):
    """Changes from one satellite to another (or to a new pass of the same one)."""
    for old, new in pairwise(passes(sightings, gap)):
        yield Handover(new.rise, old.satellite, new.satellite, new.rise - old.fall)


def longest_pause(sightings, gap=GAP):
    return max((handover.pause for handover in handovers(sightings, gap)), default=0)
