"""Chains to microbatches of bounded size. Pure."""

from collections.abc import Sequence


def pack(lengths: Sequence[int], max_tokens: int) -> list[list[int]]:
    """Indices of `lengths` in microbatches of at most `max_tokens` tokens: first fit, longest first.

    Every index is in exactly one microbatch; inside one they rise. The same lengths give the same packing.
    First fit decreasing uses at most 11/9 of the least possible number of microbatches, plus one.
    Raises ValueError for a length that is not within 1..max_tokens: callers leave such chains out beforehand.

    >>> pack([300, 700, 200, 900], 1000)
    [[3], [0, 1], [2]]
    """
    bins: list[list[int]] = []
    room: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: (-lengths[i], i)):
        length = lengths[index]
        if not 1 <= length <= max_tokens:
            raise ValueError(f"chain {index} has {length} tokens; a microbatch holds 1 to {max_tokens}")
        place = next((b for b, free in enumerate(room) if free >= length), None)
        if place is None:
            place = len(bins)
            bins.append([])
            room.append(max_tokens)
        bins[place].append(index)
        room[place] -= length
    return [sorted(b) for b in bins]
