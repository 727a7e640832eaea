"""Chains to microbatches of bounded size and even cost. Pure."""

from collections.abc import Sequence

from trajlog.learner.cost import seconds


def pack(
    lengths: Sequence[int], max_tokens: int, together: Sequence[int] | None = None, shared: int = 0
) -> list[list[int]]:
    """Indices of `lengths` in microbatches of at most `max_tokens` tokens, the costliest microbatch first.

    Every index is in exactly one microbatch; inside one they rise. Indices with one value of `together` share a
    microbatch, unless they exceed it: then each goes where it fits. The same arguments give the same packing.
    How many microbatches: what first fit takes, longest first, which is at most 11/9 of the least possible, plus one.
    Where there is room, each then goes to the microbatch of least cost (cost.py), so that they are equally long.
    `shared` tokens at the beginning of every chain, fewer than any has, count once in a microbatch.
    Raises ValueError for a length that is not within 1..max_tokens: callers leave such chains out beforehand.

    >>> pack([300, 700, 200, 900], 1000)
    [[3], [1], [0, 2]]
    >>> pack([300, 300, 300], 700), pack([300, 300, 300], 700, shared=200)
    ([[0, 2], [1]], [[0, 1, 2]])
    """
    for index, length in enumerate(lengths):
        if not 1 <= length <= max_tokens:
            raise ValueError(f"chain {index} has {length} tokens; a microbatch holds 1 to {max_tokens}")
    rests, room, once = [length - shared for length in lengths], max_tokens - shared, seconds([shared])
    units = _units(rests, room, range(len(lengths)) if together is None else together)
    sizes = [sum(rests[i] for i in unit) for unit in units]
    costs = [seconds((lengths[i] for i in unit), shared) - once for unit in units]
    bins = _first_fit(sizes, room)
    bins = _even(sizes, costs, room, len(bins)) or bins
    packed = [sorted(i for unit in chosen for i in units[unit]) for chosen in bins]
    return sorted(packed, key=lambda indices: (-seconds((lengths[i] for i in indices), shared), indices))


def _units(lengths: Sequence[int], max_tokens: int, together: Sequence[int]) -> list[list[int]]:
    """What is placed as one."""
    by_key: dict[int, list[int]] = {}
    for index, key in enumerate(together):
        by_key.setdefault(key, []).append(index)
    units: list[list[int]] = []
    for indices in by_key.values():
        fits = sum(lengths[i] for i in indices) <= max_tokens
        units += [indices] if fits else [[i] for i in indices]
    return units


def _first_fit(sizes: Sequence[int], max_tokens: int) -> list[list[int]]:
    bins: list[list[int]] = []
    room: list[int] = []
    for unit in sorted(range(len(sizes)), key=lambda u: (-sizes[u], u)):
        place = next((b for b, free in enumerate(room) if free >= sizes[unit]), None)
        if place is None:
            place = len(bins)
            bins.append([])
            room.append(max_tokens)
        bins[place].append(unit)
        room[place] -= sizes[unit]
    return bins


def _even(sizes: Sequence[int], costs: Sequence[float], max_tokens: int, num_bins: int) -> list[list[int]] | None:
    """Costliest unit first, each to the cheapest bin with room; None where that does not go into `num_bins`."""
    bins: list[list[int]] = [[] for _ in range(num_bins)]
    room, spent = [max_tokens] * num_bins, [0.0] * num_bins
    for unit in sorted(range(len(sizes)), key=lambda u: (-costs[u], u)):
        places = [b for b in range(num_bins) if room[b] >= sizes[unit]]
        if not places:
            return None
        place = min(places, key=lambda b: (spent[b], b))
        bins[place].append(unit)
        room[place] -= sizes[unit]
        spent[place] += costs[unit]
    return [b for b in bins if b]
