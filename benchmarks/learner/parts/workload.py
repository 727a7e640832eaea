"""The fixed workload: its packs by form, what they waste, and what a whole step of them costs by measured packs."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from . import lengths
from .packs import Pack, one_pack, packs
from .shape import Shape

FIVE = (6211, 4523, 2837, 1629, 1184)
"""Documents of the reference mixed pack; together they fill the context."""


@dataclass(frozen=True)
class Workload:
    """`forms`: packs that are timed, by name. `single` and `mix`: all packs of eight groups of 12."""

    forms: dict[str, Pack]
    single: list[Pack]
    mix: list[Pack]


def make(shape: Shape, device: str, quick: bool, seed: int = 0) -> Workload:
    """Prints the mix's histogram. `quick` shrinks lengths and takes two groups of three."""
    context = 256 if quick else lengths.CONTEXT
    scale = context / lengths.CONTEXT
    size = {"groups": 2, "group_size": 3} if quick else {}
    realistic, single = lengths.realistic(seed, scale=scale, **size), lengths.single(seed, scale=scale, **size)
    mix = packs(realistic, context, shape.vocabulary, device, seed)
    alone = packs(single, context, shape.vocabulary, device, seed)
    five = [round(n * scale) for n in FIVE[:-1]]
    by_cost = sorted(mix, key=pack_cost)
    forms = {
        "one, all scored": one_pack([context], shape.vocabulary, device, seed),
        "five, all scored": one_pack([*five, context - sum(five)], shape.vocabulary, device, seed),
        "one, turns": alone[0],
        "mix, cheapest": by_cost[0],
        "mix, median": by_cost[len(by_cost) // 2],
        "mix, dearest": by_cost[-1],
    }
    num_tokens = [trajectory.num_tokens for trajectory in realistic.trajectories]
    print(f"length mix, seed {seed}: {len(num_tokens)} trajectories, too long and drawn again {realistic.too_long}")
    print("\n".join(lengths.histogram(num_tokens, scale)))
    print(
        f"{len(mix)} packs of at most {context} tokens; documents each {[len(p.lengths) for p in mix]}\n"
        f"tokens used {sum(num_tokens)} / computed {sum(p.num_tokens for p in mix)} (nothing is padded); "
        f"trained {sum(len(p.positions) for p in mix)}; packs are {fill(mix, context):.1%} full"
    )
    return Workload(forms, alone, mix)


def fill(chosen: Sequence[Pack], context: int) -> float:
    """Share of the packs' room that holds tokens."""
    return sum(p.num_tokens for p in chosen) / (len(chosen) * context)


def pack_cost(pack: Pack) -> float:
    """Relative cost of a pack: tokens, and squares of the documents' lengths (equal terms at 14,300 tokens)."""
    return pack.num_tokens + sum(n * n for n in pack.lengths) / 14_300


def projected(measured: Sequence[tuple[Pack, float]], all_packs: Sequence[Pack]) -> float:
    """Seconds of `all_packs` from measured (pack, seconds): least squares on tokens and squared lengths."""
    terms = torch.tensor([_terms(pack) for pack, _ in measured], dtype=torch.float64)
    seconds = torch.tensor([s for _, s in measured], dtype=torch.float64)
    if len({pack.lengths for pack, _ in measured}) < 2:
        return float(seconds.mean()) / pack_cost(measured[0][0]) * sum(pack_cost(p) for p in all_packs)
    solution = torch.linalg.lstsq(terms, seconds[:, None], driver="gelsd").solution
    return float(sum(torch.tensor(_terms(p), dtype=torch.float64) @ solution for p in all_packs))


def _terms(pack: Pack) -> tuple[float, float]:
    return pack.num_tokens / 1e4, sum(n * n for n in pack.lengths) / 1e8
