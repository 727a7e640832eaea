"""How evenly a step's packs are dealt to 1 to 8 ranks: simulated with the cost model, no GPU and no model.

    python benchmarks/learner/dealing.py                 # 200 steps a row, under a minute
    python benchmarks/learner/dealing.py --quick

Lengths are the seeded mix of parts/lengths.py, packs of at most 16,384 tokens. A pack costs what cost.py says and
PACK_SECONDS (learner/dealing.py) whatever its length. Ways:

- rounds: the fewest packs, the costliest to the rank with least among those with the fewest packs;
- multiple: of even cost, as many in each group as a multiple of the ranks, dealt in rounds: what a sharded base takes;
- by load: each chain to the rank with least, in the step's last group more packs where that helps: a replicated base.

`speedup` is a step's time on one rank, with the fewest packs, over the time of the busiest of the ranks; `below`, the
share of steps in which that is less than 0.975 a rank (1.95 on two). `balance` is rank_balance: mean over largest.
`in lockstep`: the same speedup where the ranks meet in every pass, of each group by itself: each round takes as long as
its costliest pack. Waiting for groups, gathers and sums are not simulated.
"""

import argparse
import json
from collections.abc import Callable
from statistics import fmean

from parts.lengths import CONTEXT, realistic

from trajlog.learner.cost import seconds
from trajlog.learner.dealing import PACK_SECONDS, Dealer
from trajlog.learner.packing import pack

WANTED = 0.975
"""Of the ideal speedup: 1.95 on two ranks."""

Way = Callable[[Dealer, list[int], bool], list[list[list[int]]]]


def rounds(dealer: Dealer, lengths: list[int], last: bool) -> list[list[list[int]]]:
    packs = pack(lengths, CONTEXT)
    ranks = dealer.deal([cost(lengths, indices) for indices in packs])
    return [[p for p, owner in zip(packs, ranks, strict=True) if owner == rank] for rank in range(len(dealer.counts))]


def product(dealer: Dealer, lengths: list[int], last: bool) -> list[list[list[int]]]:
    return dealer.deal_chains(lengths, CONTEXT, last=last)


WAYS: dict[str, tuple[bool, Way]] = {
    "rounds": (False, rounds),
    "multiple": (True, product),
    "by load": (False, product),
}
"""By name, whether the dealer works in lockstep, and the function."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="5 steps a row, fewer rows")
    quick = parser.parse_args().quick
    steps = 5 if quick else 200
    print(f"{steps} steps a row; a pack costs {PACK_SECONDS} s beside its tokens")
    print("group  groups  ranks  way        packs  apart  balance  least  speedup  below  in lockstep")
    facts = {}
    for group_size in (12,) if quick else (12, 8):
        for groups in (4, 8):
            work = [step_lengths(seed, groups, group_size) for seed in range(steps)]
            for num_ranks in (1, 2) if quick else (1, 2, 3, 4, 8):
                for name, (lockstep, way) in WAYS.items():
                    row = simulate(work, num_ranks, lockstep, way)
                    print(
                        f"{group_size:>5}{groups:>8}{num_ranks:>7}  {name:<9}{row['packs']:>7.1f}{row['apart']:>7}"
                        f"{row['balance']:>9.4f}{row['least']:>7.3f}{row['speedup']:>9.3f}{row['below']:>7.3f}"
                        f"{row['lockstep']:>13.3f}",
                        flush=True,
                    )
                    facts[f"{groups} groups of {group_size}, {num_ranks} ranks, {name}"] = row
    print(json.dumps(facts))


def step_lengths(seed: int, groups: int, group_size: int) -> list[list[int]]:
    lengths = [trajectory.num_tokens for trajectory in realistic(seed, groups, group_size).trajectories]
    return [lengths[i : i + group_size] for i in range(0, len(lengths), group_size)]


def simulate(work: list[list[list[int]]], num_ranks: int, lockstep: bool, way: Way) -> dict[str, float]:
    """Means over steps, each of which is its groups' lengths; `least`: of the balance; `apart`: the most."""
    speedups, balances, together, counts, apart = [], [], [], [], 0
    for groups in work:
        dealer, rounds_s, alone_s = Dealer(num_ranks, lockstep=lockstep), 0.0, 0.0
        for number, lengths in enumerate(groups, 1):
            alone_s += sum(cost(lengths, indices) for indices in pack(lengths, CONTEXT))
            dealt = way(dealer, lengths, number == len(groups))
            by_rank = [sorted((cost(lengths, p) for p in own), reverse=True) for own in dealt]
            most = max(map(len, by_rank))
            rounds_s += sum(max(own[i] for own in by_rank if i < len(own)) for i in range(most))
        speedups.append(alone_s / max(dealer.seconds))
        together.append(alone_s / rounds_s)
        balances.append(dealer.balance)
        counts.append(sum(dealer.counts))
        apart = max(apart, max(dealer.counts) - min(dealer.counts))
    return {
        "packs": round(fmean(counts), 2),
        "apart": apart,
        "balance": round(fmean(balances), 4),
        "least": round(min(balances), 4),
        "speedup": round(fmean(speedups), 4),
        "below": round(fmean(speedup < WANTED * num_ranks for speedup in speedups), 4),
        "lockstep": round(fmean(together), 4),
    }


def cost(lengths: list[int], indices: list[int]) -> float:
    return PACK_SECONDS + seconds(lengths[i] for i in indices)


if __name__ == "__main__":
    main()
