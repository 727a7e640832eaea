"""From beds to jobs on the clock."""

from dataclasses import dataclass, field

from irrigation.clock import DayClock


@dataclass
class Valve:
    number: int
    log: list
    is_open: bool = False

    def open(self, minute):
        self.is_open = True
        self.log.append((minute, self.number, "open"))

    def close(self, minute, minutes):
        self.is_open = False
        self.log.append((minute, self.number, f"closed after {minutes}"))


@dataclass
class Bed:
    name: str
    valve: Valve
    slots: list = field(default_factory=list)


class Planner:
    def __init__(self, clock=None):
        self.clock = clock or DayClock()
        self.litres = {}

    def schedule(self, beds, flow=10):
        for bed in beds:
            for start, minutes in bed.slots:
                def finish(bed=bed):
                    bed.valve.close(self.clock.now, minutes)
                    self.litres[bed.name] = self.litres.get(bed.name, 0) + minutes * flow

                self.clock.at(start, lambda bed=bed: bed.valve.open(self.clock.now))
                self.clock.at(start + minutes, finish)

    def rain_delay(self, minutes):
        self.clock.delay(minutes)
