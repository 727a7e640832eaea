"""The feed of all stations."""

from flow import Flow
from stages import Calibrate, Convert, MarkJumps, Plausible


class Feed:
    def __init__(self, archive, offsets, jump=5.0):
        self.raw = []
        self._flow = Flow([Calibrate(offsets), Convert(), Plausible(), MarkJumps(jump)], archive)

    def collect(self, readings):
        """Store readings; the number of stored ones."""
        readings = list(readings)
        self.raw.extend(readings)
        return self._flow.run(readings)

    def raw_lines(self):
        """The raw data, one line for each reading."""
        return [
            " ".join([reading["station"], str(reading["minute"]), f"{reading['value']:g}{reading['unit']}",
                      *reading["notes"]])
            for reading in self.raw
        ]

    @property
    def dropped(self):
        return self._flow.dropped
