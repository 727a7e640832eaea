"""Staleness: how old a turn is, and what that does to a group. Pure; used at sealing and again at training.

`off_policy_steps(token) = version about to be trained - version that sampled it`, queue time included; 0 is on
policy. A turn is as old as its oldest token. Turns older than the limit are masked; a member without an unmasked
turn is excluded; a group with fewer members left than `min_group_size` is rejected.

Worked example, limit 4, least size 2, version 9 about to be trained; oldest version per turn of three members::

    judge_staleness([{0: 9, 1: 9}, {0: 4, 1: 6}, {0: 3}], 9, max_off_policy_steps=4, min_group_size=2)
    # member 1, turn 0 is 5 steps old: masked; member 2 has no turn left: excluded; 2 members remain: not rejected
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from trajlog.schemas.generation import VersionRun
from trajlog.schemas.group_sealed import GroupSealed


class StalenessVerdict(msgspec.Struct, frozen=True):
    """Outcome for one group. Members are indices into the group, turns are the turns' own numbers."""

    masked: frozenset[tuple[int, int]]
    """(member, turn) pairs that leave the loss and the mean log ratio, but not the length L_i."""
    excluded: tuple[int, ...]
    """Members without any unmasked turn, in order; one that generated nothing is among them."""
    rejected: bool
    off_policy_steps: tuple[tuple[int, ...], ...]
    """Of every turn that is not masked: per member, in turn order."""


def oldest_version(runs: Iterable[VersionRun]) -> int:
    """Version of a turn's oldest token. Raises ValueError for a turn without tokens, which has none."""
    return min(run.policy_version for run in runs if run.num_tokens > 0)


def oldest_versions(group: GroupSealed) -> list[dict[int, int]]:
    """Per member, turn number to oldest version, over the turns that generated anything."""
    members: list[dict[int, int]] = [{} for _ in group.members]
    for chain in group.chains:
        for span in chain.turns:
            if span.stop > span.start:
                found, oldest = members[chain.member], oldest_version(span.policy_versions)
                found[span.turn] = min(oldest, found.get(span.turn, oldest))
    return members


def judge_staleness(
    members: Sequence[Mapping[int, int]],
    trained_version: int,
    *,
    max_off_policy_steps: int,
    min_group_size: int,
) -> StalenessVerdict:
    """Judge one group: `members[i]` maps turn to oldest version; `trained_version` is about to be trained."""
    masked: set[tuple[int, int]] = set()
    kept: list[tuple[int, ...]] = []
    for index, turns in enumerate(members):
        steps = {turn: trained_version - version for turn, version in sorted(turns.items())}
        masked |= {(index, turn) for turn, old in steps.items() if old > max_off_policy_steps}
        kept.append(tuple(old for old in steps.values() if old <= max_off_policy_steps))
    excluded = tuple(index for index, fresh in enumerate(kept) if not fresh)
    return StalenessVerdict(
        masked=frozenset(masked),
        excluded=excluded,
        rejected=len(members) - len(excluded) < min_group_size,
        off_policy_steps=tuple(kept),
    )
