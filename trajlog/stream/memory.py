"""Which partitions an assembler reads while it holds more than it should. Pure.

Pausing cannot shrink what open groups hold; it keeps groups of other partitions from opening meanwhile. So above the
budget one partition is read at a time, the one whose groups are closest to closing, and only one that has records
unread: without them it could not close anything, and nothing times out while records wait. Once that one is read to its
end the next is read, whatever is held, so the stream never stops: groups that are larger than the budget are completed
above it.
"""

from collections.abc import Mapping
from typing import NamedTuple

from trajlog.stream.log import TopicPartition

LOW_MARK = 0.75
"""Share of the budget under which all partitions are read again."""


class Load(NamedTuple):
    """What a partition's fold holds and waits for."""

    num_bytes: int
    missing: float
    """Members that its fullest group lacks; infinity without an open group."""
    unread: bool
    """Whether records wait behind its position."""


def choose_paused(
    loads: Mapping[TopicPartition, Load], paused: frozenset[TopicPartition], budget_bytes: int
) -> frozenset[TopicPartition]:
    """Partitions not to read now, given those `paused` so far. Never all, and never all that have records unread.

    >>> a, b = TopicPartition("t", 0), TopicPartition("t", 1)
    >>> loads = {a: Load(70, 1, unread=True), b: Load(50, 5, unread=True)}
    >>> choose_paused(loads, frozenset(), budget_bytes=100) == {b}
    True
    """
    held = sum(load.num_bytes for load in loads.values())
    unread = [tp for tp, load in loads.items() if load.unread]
    if not unread or held <= LOW_MARK * budget_bytes:
        return frozenset()
    paused &= loads.keys()
    if held <= budget_bytes and not paused.issuperset(unread):
        return paused
    going = min(unread, key=lambda tp: (loads[tp].missing, tp))
    return frozenset(loads.keys() - {going})
