"""Microbatches to ranks: equal counts, at most one apart, and even cost. Pure; every rank deals alike."""

from collections.abc import Sequence


class Dealer:
    """Deals one optimizer step's microbatches as they come, and remembers what each rank has been given.

    dealer = Dealer(2)
    dealer.deal([1.2, 0.9, 0.9])    # [0, 1, 1]: two to rank 1, which had less
    dealer.deal([0.7])              # [0]: counts stay within one of each other
    """

    def __init__(self, num_ranks: int) -> None:
        self.counts = [0] * num_ranks
        self.seconds = [0.0] * num_ranks

    def deal(self, seconds: Sequence[float]) -> list[int]:
        """Rank of each microbatch, by what it costs.

        Costliest first, each to the rank that has the least so far among those with the fewest microbatches: the n-th
        microbatches of all ranks cost about the same, which is what ranks that meet in every layer (a sharded base)
        wait for, and the sums even out over the rounds.
        """
        ranks = [0] * len(seconds)
        for index in sorted(range(len(seconds)), key=lambda i: (-seconds[i], i)):
            fewest = min(self.counts)
            chosen = min(
                (rank for rank, count in enumerate(self.counts) if count == fewest),
                key=lambda rank: (self.seconds[rank], rank),
            )
            ranks[index] = chosen
            self.counts[chosen] += 1
            self.seconds[chosen] += seconds[index]
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
