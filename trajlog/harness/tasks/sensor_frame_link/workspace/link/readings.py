"""Readings of a probe: sequence number and values in hundredths."""

import struct
from dataclasses import dataclass

from link.framing import FrameReader, encode_frame

HEAD = struct.Struct(">HB")


@dataclass(frozen=True)
class Reading:
    probe: int
    sequence: int
    values: tuple

    def encode(self):
        values = [round(value * 100) for value in self.values]
        payload = HEAD.pack(self.sequence, len(values)) + struct.pack(f">{len(values)}h", *values)
        return encode_frame(self.probe, payload)


def decode(channel, payload):
    sequence, count = HEAD.unpack_from(payload)
    values = struct.unpack_from(f">{count}h", payload, HEAD.size)
    return Reading(channel, sequence, tuple(value / 100 for value in values))


class Logger:
    """Keeps the readings of all probes and notes the gaps in their sequences."""

    def __init__(self):
        self._reader = FrameReader()
        self.readings = []
        self.gaps = []
        self._last = {}

    @property
    def stats(self):
        return self._reader.stats

    def receive(self, chunk):
        for channel, payload in self._reader.feed(chunk):
            reading = decode(channel, payload)
            last = self._last.get(channel)
            if last is not None and reading.sequence != (last + 1) % 0x10000:
                self.gaps.append((channel, last, reading.sequence))
            self._last[channel] = reading.sequence
            self.readings.append(reading)
