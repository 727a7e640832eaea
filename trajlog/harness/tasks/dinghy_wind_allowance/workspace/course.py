"""Courses and what is sailed on each leg."""

from dataclasses import dataclass

from wind import off_wind

BEAT, REACH, RUN = "beat", "reach", "run"


@dataclass(frozen=True)
class Leg:
    heading: float
    miles: float

    def point_of_sail(self, wind):
        angle = off_wind(self.heading, wind)
        if angle < 60:
            return BEAT
        return RUN if angle > 120 else REACH


class Course:
    def __init__(self, name, legs):
        self.name = name
        self.legs = list(legs)

    @classmethod
    def parse(cls, text):
        """`name: heading/miles heading/miles ...`, with `xN` for rounds."""
        name, _, rest = text.partition(":")
        legs, rounds = [], 1
        for word in rest.split():
            if word.startswith("x"):
                rounds = int(word[1:])
                continue
            heading, miles = word.split("/")
            legs.append(Leg(float(heading), float(miles)))
        return cls(name.strip(), legs * rounds)

    def miles(self):
        return sum(leg.miles for leg in self.legs)

    def sailed(self, winds):
        """Miles on each point of sail for one wind per leg."""
        sums = {BEAT: 0.0, REACH: 0.0, RUN: 0.0}
        for leg, wind in zip(self.legs, winds, strict=True):
            sums[leg.point_of_sail(wind)] += leg.miles
        return sums
