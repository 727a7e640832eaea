"""train_step: one optimizer step: what it trained, what it rejected, and where the learner stands."""

from typing import ClassVar

import msgspec

from trajlog.schemas.base import Count, Event, Name, Seconds, Sha256, Topic


class RejectedGroup(msgspec.Struct, frozen=True):
    group_id: Name
    reason: Name


class TrainStep(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "train_step"
    version: ClassVar[int] = 2
    topic: ClassVar[Topic] = "control"

    epoch: Count
    step: Count
    """Optimizer steps done, this one included: 1, 2, ... ."""
    policy_version: Count
    """The version that this step made."""
    groups_trained: tuple[Name, ...]
    groups_rejected: tuple[RejectedGroup, ...]
    """Groups rejected at consumption since the step before."""
    metrics: dict[str, float]
    """loss, reward_mean, kl, mismatch_kl, clip_fraction, grad_norm, off_policy_steps_mean, num_tokens, ... ."""
    offsets: dict[str, Count]
    """Next offset to read, per `<topic>-<partition>` of `.groups`."""
    batch_sha256: Sha256
    """Over the tokens_sha256 of the trained groups, in order; with router replay, over their side files', too."""
    duration_s: Seconds
    tensor_digests: dict[str, Sha256] | None = None
    """SHA-256 of every array that the update consumed, taken before it (learner/tensors.py names them); None where
    nothing was trained. From version 2 on."""
