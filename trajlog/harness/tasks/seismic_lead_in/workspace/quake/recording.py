"""Recordings of a station: a head and 16-bit samples, read block by block."""

import struct
from array import array
from dataclasses import dataclass

_HEAD = struct.Struct("<4sHI")
MAGIC = b"SEIS"


class RecordingError(ValueError):
    """A file that is no recording."""


@dataclass(frozen=True)
class Head:
    rate: int
    count: int

    def seconds(self, sample):
        return round(sample / self.rate, 3)


def write_recording(stream, rate, samples):
    stream.write(_HEAD.pack(MAGIC, rate, len(samples)))
    stream.write(array("h", samples).tobytes())


class Recording:
    """Reads an open binary stream. `blocks(size)` goes on where the last block ended."""

    def __init__(self, stream):
        self._stream = stream
        data = stream.read(_HEAD.size)
        if len(data) < _HEAD.size or not data.startswith(MAGIC):
            raise RecordingError("not a recording")
        _, rate, count = _HEAD.unpack(data)
        self.head = Head(rate, count)
        self.position = 0

    def seek(self, sample):
        if not 0 <= sample <= self.head.count:
            raise RecordingError(f"there is no sample {sample}")
        self._stream.seek(_HEAD.size + 2 * sample)
        self.position = sample

    def blocks(self, size):
        """(number of the first sample, samples) until the recording ends; the last block may be shorter."""
        buffer = array("h", bytes(2 * size))
        while self.position < self.head.count:
            view = memoryview(buffer)[: self.head.count - self.position]
            if self._stream.readinto(view) < 2 * len(view):
                raise RecordingError(f"the recording breaks off after sample {self.position}")
            start = self.position
            self.position += len(view)
            yield start, view
