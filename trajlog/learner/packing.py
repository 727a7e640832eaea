"""Chains to microbatches of bounded size and even cost. Pure."""

from collections.abc import Sequence

from trajlog.learner.cost import seconds


def pack(
    lengths: Sequence[int],
    max_tokens: int,
    together: Sequence[int] | None = None,
    *,
    multiple_of: int = 1,
    shared: int = 0,
) -> list[list[int]]:
    """Indices of `lengths` in microbatches of at most `max_tokens` tokens, the costliest microbatch first.

    Every index is in exactly one microbatch; inside one they rise. Indices with one value of `together` share a
    microbatch, unless they exceed it: then each goes where it fits. The same arguments give the same packing.
    How many microbatches: what first fit takes, longest first, which is at most 11/9 of the least possible, plus one.
    Where there is room, each then goes to the microbatch of least cost (cost.py), so that they are equally long; they
    are then as many as the next multiple of `multiple_of`, if there is something for each. `shared` tokens at the
    beginning of every chain, fewer than any has, count once in a microbatch.
    Raises ValueError for a length that is not within 1..max_tokens: callers leave such chains out beforehand.

    >>> pack([300, 700, 200, 900], 1000)
    [[3], [1], [0, 2]]
    >>> pack([300, 300, 300], 700), pack([300, 300, 300], 700, shared=200)
    ([[0, 2], [1]], [[0, 1, 2]])
    """
    units, sizes, costs = _measured(lengths, max_tokens, together, shared)
    room = max_tokens - shared
    bins = _first_fit(sizes, room)
    more = -len(bins) % multiple_of
    for num_bins in dict.fromkeys((min(len(bins) + more, len(units)), len(bins))):
        if (found := _even(sizes, costs, room, [0] * num_bins, [0.0])) is not None:
            bins = [chosen for chosen in found if chosen]
            break
    packed = [sorted(i for unit in chosen for i in units[unit]) for chosen in bins]
    return sorted(packed, key=lambda indices: (-seconds((lengths[i] for i in indices), shared), indices))


def pack_for(
    lengths: Sequence[int],
    max_tokens: int,
    together: Sequence[int] | None,
    owners: Sequence[int],
    loads: Sequence[float],
    shared: int = 0,
) -> list[list[int]] | None:
    """One microbatch for each of `owners`, ranks that have `loads` seconds to work already, in their order.

    As `pack`, but each goes to the rank of least load whose microbatches have room, so that ranks are equally loaded
    and not microbatches. None where that does not go, or leaves a microbatch empty.
    """
    units, sizes, costs = _measured(lengths, max_tokens, together, shared)
    bins = _even(sizes, costs, max_tokens - shared, owners, loads)
    if bins is None or not all(bins):
        return None
    return [sorted(i for unit in chosen for i in units[unit]) for chosen in bins]


def _measured(
    lengths: Sequence[int], max_tokens: int, together: Sequence[int] | None, shared: int
) -> tuple[list[list[int]], list[int], list[float]]:
    """What is placed as one, with its tokens and its cost, both without what is shared."""
    for index, length in enumerate(lengths):
        if not 1 <= length <= max_tokens:
            raise ValueError(f"chain {index} has {length} tokens; a microbatch holds 1 to {max_tokens}")
    rests, once = [length - shared for length in lengths], seconds([shared])
    units = _units(rests, max_tokens - shared, range(len(lengths)) if together is None else together)
    sizes = [sum(rests[i] for i in unit) for unit in units]
    return units, sizes, [seconds((lengths[i] for i in unit), shared) - once for unit in units]


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


def _even(
    sizes: Sequence[int], costs: Sequence[float], max_tokens: int, owners: Sequence[int], loads: Sequence[float]
) -> list[list[int]] | None:
    """Costliest unit first, each to the owner of least load with room in a bin, there to the cheapest such bin.

    `owners` of each bin, `loads` of each owner to begin with. None where that does not go.
    """
    bins: list[list[int]] = [[] for _ in owners]
    room, spent, loads = [max_tokens] * len(owners), [0.0] * len(owners), list(loads)
    for unit in sorted(range(len(sizes)), key=lambda u: (-costs[u], u)):
        places = [b for b in range(len(owners)) if room[b] >= sizes[unit]]
        if not places:
            return None
        place = min(places, key=lambda b: (loads[owners[b]], spent[b], b))
        bins[place].append(unit)
        room[place] -= sizes[unit]
        spent[place] += costs[unit]
        loads[owners[place]] += costs[unit]
    return bins
