"""Which bytes are fetched by whom."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Segment:
    index: int
    start: int
    stop: int

    def __len__(self):
        return self.stop - self.start


def split(size, segment_size):
    """Cut `size` bytes into segments; the last one may be shorter."""
    if segment_size < 1:
        raise ValueError("segment_size must be at least 1")
    starts = range(0, size, segment_size)
    return [Segment(index, start, min(start + segment_size, size)) for index, start in enumerate(starts)]
