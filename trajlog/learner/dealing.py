"""Microbatches to ranks: equal counts, at most one apart, and even cost. Pure; every rank deals alike."""

from collections.abc import Sequence

from trajlog.learner.cost import seconds
from trajlog.learner.packing import pack, pack_for

PACK_SECONDS = 0.05
"""What a microbatch costs whatever its length: launches, adapters' copies. An assumption that keeps microbatches few;
balance hardly depends on it."""


class Dealer:
    """Packs one optimizer step's chains as they come, deals the packs, and remembers what each rank has been given.

    dealer = Dealer(2)
    dealer.deal_chains([9000, 7000, 6000], 16384)               # [[[1, 2]], [[0]]]: by rank, its microbatches
    dealer.deal_chains([8000, 7000, 1200], 16384, last=True)    # [[[1]], [[0, 2]]]: one would do, two end even
    """

    def __init__(self, num_ranks: int, *, lockstep: bool = False) -> None:
        """`lockstep`: ranks meet in every layer of every pass (a sharded base), not only at the end of the step."""
        self.counts = [0] * num_ranks
        self.seconds = [0.0] * num_ranks
        self._lockstep = lockstep

    def deal_chains(
        self,
        lengths: Sequence[int],
        max_tokens: int,
        together: Sequence[int] | None = None,
        *,
        last: bool = False,
        shared: int = 0,
    ) -> list[list[list[int]]]:
        """By rank, its microbatches, indices of `lengths`; `max_tokens`, `together` and `shared` as in `pack`.

        In lockstep, a multiple of the ranks' number, of even cost, so that every round is full. Otherwise as few as
        possible, with each chain given to the rank that has the least to do; only in the `last` of a step as many more
        (at most one for each rank) as make the busiest rank least busy. One rank gets what `pack` makes.
        """
        if self._lockstep:
            packs = pack(lengths, max_tokens, together, multiple_of=len(self.counts), shared=shared)
            return self._by_rank(packs, self.deal([_cost(lengths, indices, shared) for indices in packs]))
        packs = pack(lengths, max_tokens, together, shared=shared)
        loads = [_cost(lengths, indices, shared) for indices in packs]
        options = [(packs, self._rounds(loads))]
        most = min(len(packs) + (len(self.counts) if last else 0), len(lengths))
        for num_packs in range(len(packs), most + 1) if len(self.counts) > 1 else ():
            owners = self._owners(num_packs)
            empty = PACK_SECONDS + seconds([shared])
            begun = [s + empty * owners.count(rank) for rank, s in enumerate(self.seconds)]
            if (found := pack_for(lengths, max_tokens, together, owners, begun, shared)) is not None:
                options.append((found, owners))
        packs, ranks = min(options, key=lambda option: max(self._loads(lengths, *option, shared)))
        self.seconds = self._loads(lengths, packs, ranks, shared)
        for rank in ranks:
            self.counts[rank] += 1
        return self._by_rank(packs, ranks)

    def deal(self, seconds: Sequence[float]) -> list[int]:
        """Rank of each microbatch, by what it costs.

        Costliest first, each to the rank that has the least so far among those with the fewest microbatches: the n-th
        microbatches of all ranks cost about the same, which is what ranks in lockstep wait for, and the sums even out
        over the rounds.
        """
        ranks = self._rounds(seconds)
        for rank, cost in zip(ranks, seconds, strict=True):
            self.counts[rank] += 1
            self.seconds[rank] += cost
        return ranks

    def level(self) -> list[int]:
        """How many empty microbatches each rank adds to have as many as any; they count from now on."""
        most = max(self.counts)
        missing = [most - count for count in self.counts]
        self.counts = [most] * len(self.counts)
        return missing

    @property
    def balance(self) -> float:
        """Mean over ranks of the cost given out, over the largest: 1 is even."""
        largest = max(self.seconds)
        return sum(self.seconds) / len(self.seconds) / largest if largest > 0 else 1.0

    def _rounds(self, costs: Sequence[float]) -> list[int]:
        counts, loads, ranks = list(self.counts), list(self.seconds), [0] * len(costs)
        for index in sorted(range(len(costs)), key=lambda i: (-costs[i], i)):
            ranks[index] = rank = _next(counts, loads)
            counts[rank] += 1
            loads[rank] += costs[index]
        return ranks

    def _owners(self, num_packs: int) -> list[int]:
        """Whose the next microbatches are."""
        counts, owners = list(self.counts), []
        for _ in range(num_packs):
            owners.append(rank := _next(counts, self.seconds))
            counts[rank] += 1
        return owners

    def _loads(
        self, lengths: Sequence[int], packs: Sequence[Sequence[int]], ranks: Sequence[int], shared: int
    ) -> list[float]:
        loads = list(self.seconds)
        for indices, rank in zip(packs, ranks, strict=True):
            loads[rank] += _cost(lengths, indices, shared)
        return loads

    def _by_rank(self, packs: Sequence[list[int]], ranks: Sequence[int]) -> list[list[list[int]]]:
        dealt = list(zip(packs, ranks, strict=True))
        return [[indices for indices, owner in dealt if owner == rank] for rank in range(len(self.counts))]


def _next(counts: Sequence[int], loads: Sequence[float]) -> int:
    """The rank with the fewest microbatches, and of those with the least to do."""
    return min(range(len(counts)), key=lambda rank: (counts[rank], loads[rank], rank))


def _cost(lengths: Sequence[int], indices: Sequence[int], shared: int) -> float:
    return PACK_SECONDS + seconds((lengths[i] for i in indices), shared)
