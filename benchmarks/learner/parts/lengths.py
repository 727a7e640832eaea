"""How long the trajectories of the fixed workload are: a length mix drawn from published facts, seeded. Pure.

Eight groups of 12 trajectories train on at most 16,384 tokens each. Facts of the debugger article's audit of a trained
policy, from which the mix is drawn:
- 6,144 tokens hold 71.2% of the solved trajectories and none of the failed ones;
- 16,384 tokens hold 96.3% of the solved ones and 49.4% of the failed ones;
- the policy that reinforcement learning starts from solves 67.5%; no trajectory is longer than 30,000 tokens; an
  episode ends after 50 turns.
Between those points the logarithm of the length is uniform. The shortest solved trajectory has 2,000 tokens: a prompt
and four turns. Trajectories above 16,384 tokens are counted and drawn again, so that 12 of each group train.

A prompt has 1,281 tokens, a turn 176 (fewer turns than 50: longer ones), of which 37% are generated: means of four
demonstrations that the debugger's oracle wrote (lengths 2,999, 3,299, 3,899 and 4,189; 9 to 18 turns).
"""

import random
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log

GROUPS = 8
GROUP_SIZE = 12
CONTEXT = 16_384
SOLVED_SHARE = 0.675
KNOTS = {
    "solved": ((2_000, 0.0), (6_144, 0.712), (16_384, 0.963), (30_000, 1.0)),
    "failed": ((6_144, 0.0), (16_384, 0.494), (30_000, 1.0)),
}
"""By outcome: (tokens, share of trajectories that are no longer)."""
EDGES = (2_000, 4_000, 6_144, 8_192, 12_288, 16_384)
PROMPT_TOKENS = 1_281
TURN_TOKENS = 176
TURN_LIMIT = 50
GENERATED_SHARE = 0.37


@dataclass(frozen=True)
class Trajectory:
    """One chain: `turns` are the half-open ranges of its generated tokens, the only ones that train."""

    group: int
    outcome: str
    num_tokens: int
    turns: tuple[tuple[int, int], ...]

    @property
    def num_generated(self) -> int:
        return sum(stop - start for start, stop in self.turns)


@dataclass(frozen=True)
class Mix:
    """The trajectories that train, and by outcome how many drawn ones were too long."""

    trajectories: tuple[Trajectory, ...]
    too_long: dict[str, int]


def realistic(seed: int = 0, groups: int = GROUPS, group_size: int = GROUP_SIZE, scale: float = 1.0) -> Mix:
    """The length mix. `scale` shrinks every length (for a quick run); 1.0 is the published workload."""
    chance = random.Random(seed)
    trajectories: list[Trajectory] = []
    too_long = {"solved": 0, "failed": 0}
    for group in range(groups):
        members = 0
        while members < group_size:
            outcome = "solved" if chance.random() < SOLVED_SHARE else "failed"
            tokens = round(quantile(outcome, chance.random()))
            if tokens > CONTEXT:
                too_long[outcome] += 1
                continue
            members += 1
            trajectories.append(_trajectory(group, outcome, tokens, scale, chance))
    return Mix(tuple(trajectories), too_long)


def single(seed: int = 0, groups: int = GROUPS, group_size: int = GROUP_SIZE, scale: float = 1.0) -> Mix:
    """Every trajectory fills the context, so that every pack is one document."""
    chance = random.Random(seed)
    members = [
        _trajectory(group, "solved", CONTEXT, scale, chance) for group in range(groups) for _ in range(group_size)
    ]
    return Mix(tuple(members), {"solved": 0, "failed": 0})


def quantile(outcome: str, share: float) -> float:
    """Tokens that `share` of the trajectories of this outcome do not exceed; log-linear between the known points.

    >>> round(quantile("solved", 0.712)), round(quantile("failed", 0.494)), round(quantile("solved", 0.5))
    (6144, 16384, 4398)
    """
    knots = KNOTS[outcome]
    right = max(1, bisect_left([known for _, known in knots], share))
    (low, below), (high, above) = knots[right - 1], knots[right]
    return exp(log(low) + (share - below) / (above - below) * (log(high) - log(low)))


def histogram(lengths: Sequence[int], scale: float = 1.0) -> list[str]:
    """One line per range of lengths that has any, the upper edge included."""
    bounds = (0, *(round(edge * scale) for edge in EDGES))
    counts = [sum(low < n <= high for n in lengths) for low, high in pairwise(bounds)]
    return [
        f"{low + 1:>7,} to {high:>6,} {count:>4}  {'#' * count}"
        for (low, high), count in zip(pairwise(bounds), counts, strict=True)
        if count
    ]


def _trajectory(group: int, outcome: str, tokens: int, scale: float, chance: random.Random) -> Trajectory:
    tokens, prompt = max(8, round(tokens * scale)), max(2, round(PROMPT_TOKENS * scale))
    rest = tokens - prompt
    num_turns = max(1, min(TURN_LIMIT, round(rest / (TURN_TOKENS * scale))))
    cuts = [prompt + round(rest * (turn + chance.uniform(-0.25, 0.25)) / num_turns) for turn in range(1, num_turns)]
    bounds = [prompt, *sorted(cuts), tokens]
    turns = []
    for start, stop in pairwise(bounds):
        # The last turn ends with what was generated; the others with the tool's answer.
        generated = round(GENERATED_SHARE * (stop - start))
        if generated:
            turns.append((stop - generated, stop) if stop == tokens else (start, start + generated))
    return Trajectory(group, outcome, tokens, tuple(turns))
