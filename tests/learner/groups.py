"""Sealed groups made by hand for tests."""

from collections.abc import Sequence

from trajlog.schemas.base import Producer
from trajlog.schemas.generation import VersionRun
from trajlog.schemas.group_sealed import Chain, GroupSealed, Member, TurnSpan, chains_digest

PRODUCER = Producer("test")


Runs = Sequence[tuple[int, int]]
"""Policy version and number of tokens, as in VersionRun."""


def chain(
    member: int,
    pieces: Sequence[tuple[int, int, int] | tuple[int, Runs]],
    first_turn: int = 0,
    unscored: Sequence[int] = (),
    logprob: float = -6.0,
) -> Chain:
    """Pieces are (context tokens, generated tokens, policy version) or (context tokens, runs of generated tokens), one
    turn each. Token ids count up from 2."""
    mask: list[bool] = []
    turns = []
    for turn, (context, *sampled) in enumerate(pieces, first_turn):
        runs = sampled[0] if len(sampled) == 1 else [(sampled[1], sampled[0])]
        generated = sum(num_tokens for _, num_tokens in runs)
        mask += [False] * context
        start = len(mask)
        mask += [True] * generated
        turns.append(TurnSpan(turn, start, len(mask), tuple(VersionRun(*run) for run in runs)))
    logprobs = tuple(logprob if m and i not in unscored else None for i, m in enumerate(mask))
    ids = tuple(2 + (7 * member + i) % 500 for i in range(len(mask)))
    return Chain(member, ids, tuple(mask), logprobs, tuple(turns))


def sealed(
    group_id: str, chains: Sequence[Chain], rewards: Sequence[float], run_id: str = "run", task_id: str = "task"
) -> GroupSealed:
    """A full group of `len(rewards)` members."""
    members = []
    for index, reward in enumerate(rewards):
        own = [c for c in chains if c.member == index]
        tokens = sum(sum(c.loss_mask) for c in own)
        turns = sum(len(c.turns) for c in own)
        members.append(Member(f"{group_id}-{index}", "solved" if reward > 0 else "failed", reward, tokens, turns))
    versions = [run.policy_version for c in chains for t in c.turns for run in t.policy_versions]
    return GroupSealed(
        **PRODUCER.stamp(run_id, group_id=group_id),
        task_id=task_id,
        sealed_because="full",
        policy_version_min=min(versions),
        policy_version_max=max(versions),
        members=tuple(members),
        chains=tuple(chains),
        tokens_sha256=chains_digest(chains),
    )


def simple_group(group_id: str, version: int = 0, size: int = 4, run_id: str = "run") -> GroupSealed:
    """Members of one chain and two turns, rewards 1, 0, 1, 0, ... ."""
    chains = [chain(m, [(5, 3 + m, version), (2, 4, version)]) for m in range(size)]
    return sealed(group_id, chains, [float(m % 2 == 0) for m in range(size)], run_id=run_id)
