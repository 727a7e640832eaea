"""What happens to a sealed group at the learner's door, and what offsets that leaves. Pure."""

import hashlib
import struct
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from trajlog.config import RunConfig
from trajlog.schemas import GroupSealed
from trajlog.stream.log import TopicPartition
from trajlog.stream.staleness import StalenessVerdict, judge_staleness, oldest_versions


class QueuedGroup(msgspec.Struct, frozen=True):
    """A group that was read and is neither trained nor rejected yet."""

    tp: TopicPartition
    first_offset: int
    """A reader that starts here sees the group again, whole."""
    group: GroupSealed


class JudgedGroup(msgspec.Struct, frozen=True):
    """A queued group, judged against the policy about to be trained. `reason` is None for one that may train."""

    entry: QueuedGroup
    staleness: StalenessVerdict
    overlong: tuple[int, ...]
    """Members that no microbatch can hold, in order."""
    reason: str | None

    @property
    def group(self) -> GroupSealed:
        return self.entry.group

    @property
    def off_policy_steps(self) -> list[int]:
        """Of every turn that trains."""
        return [
            steps
            for member, turns in enumerate(self.staleness.off_policy_steps)
            if member not in self.overlong
            for steps in turns
        ]


def judge(entry: QueuedGroup, policy_version: int, config: RunConfig) -> JudgedGroup:
    """Staleness once more, at consumption, and what else keeps a group from training.

    Reasons: `stale` (fewer than group.min_group_size members left), `overlong` (so few left once the members that no
    microbatch can hold are out, too), `unscored` (no generated token has a rollout logprob). Of a group that may train,
    overlong members leave the loss, and stay in the mean reward (batch.py).
    """
    verdict = judge_staleness(
        oldest_versions(entry.group),
        policy_version,
        max_off_policy_steps=config.staleness.max_off_policy_steps,
        min_group_size=config.group.min_group_size,
    )
    overlong = overlong_members(entry.group, config.learner.max_tokens_per_microbatch)
    num_left = len(entry.group.members) - len({*verdict.excluded, *overlong})
    reason = None
    if verdict.rejected:
        reason = "stale"
    elif overlong and num_left < config.group.min_group_size:
        reason = "overlong"
    elif not any(logprob is not None for chain in entry.group.chains for logprob in chain.rollout_logprobs):
        reason = "unscored"
    return JudgedGroup(entry, verdict, tuple(overlong), reason)


def overlong_members(group: GroupSealed, max_tokens: int) -> list[int]:
    """Members with a chain whose last generated token lies beyond `max_tokens`, in order."""
    return sorted({c.member for c in group.chains if c.turns and c.turns[-1].stop > max_tokens})


def next_offsets(
    positions: Mapping[TopicPartition, int],
    queued: Iterable[QueuedGroup],
    low_water: Mapping[TopicPartition, int | None],
) -> dict[TopicPartition, int]:
    """Where a learner that starts now would read on, per partition: nothing queued or half read is skipped.

    `positions` are the reader's; `low_water` the first part of a record that is not whole yet, or None.
    """
    offsets = dict(positions)
    for tp, waiting in low_water.items():
        if waiting is not None:
            offsets[tp] = min(offsets[tp], waiting)
    for entry in queued:
        offsets[entry.tp] = min(offsets[entry.tp], entry.first_offset)
    return offsets


def batch_digest(groups: Sequence[GroupSealed], *, replays_routing: bool = False) -> str:
    """SHA-256 (hex) over the groups' tokens_sha256 as bytes, in the order trained.

    With router replay each is followed by chain and turn (int32, little-endian) and sha256 of its side files.
    """
    digest = hashlib.sha256()
    for group in groups:
        digest.update(bytes.fromhex(group.tokens_sha256))
        for file in group.routed_experts or () if replays_routing else ():
            digest.update(struct.pack("<ii", file.chain, file.turn) + bytes.fromhex(file.sha256))
    return digest.hexdigest()
