"""What the log says of training so far: a fold of `.control`, and what a starting learner must do about it. Pure.

A train_step survives unless a later learner_started began from fewer steps: a learner restored from an older
checkpoint does not have that step in its weights, so its groups may be trained again. Versions never come back:
every published version counts, surviving or not.
"""

import msgspec

from trajlog.errors import ConfigError
from trajlog.learner.checkpoint import CheckpointState
from trajlog.schemas import Event, LearnerStarted, PolicyPublished, TrainStep


class History:
    """Feed it the control events that count (ControlFollower), in offset order."""

    def __init__(self) -> None:
        self.steps: list[TrainStep] = []
        """Surviving train_steps; those that trained nothing (rejections alone) repeat the number of the step before."""
        self.published: dict[int, str] = {}
        """Version to sha256."""

    def apply(self, event: Event) -> None:
        match event:
            case LearnerStarted():
                self.steps = [step for step in self.steps if step.step <= event.step]
            case TrainStep():
                self.steps.append(event)
            case PolicyPublished():
                self.published.setdefault(event.policy_version, event.sha256)

    @property
    def highest_version(self) -> int:
        """-1 before any."""
        return max(self.published, default=-1)

    def consumed(self) -> set[str]:
        """Groups that a surviving train_step trained or rejected."""
        return {g for step in self.steps for g in (*step.groups_trained, *(r.group_id for r in step.groups_rejected))}

    def trained(self, step: int) -> bool:
        """Whether the optimizer step of that number is in the surviving history."""
        return any(s.step == step and s.groups_trained for s in self.steps)


class StartPlan(msgspec.Struct, frozen=True):
    """What a learner that starts from a checkpoint appends before anything else."""

    policy_version: int
    """Version that its adapter has from now on."""
    publish: bool
    append_train_step: bool


def plan_start(history: History, checkpoint: CheckpointState | None) -> StartPlan:
    """Compare the newest checkpoint (None at the very first start: version 0 is to be made) with the log.

    `history` must have seen this start's own learner_started. Cases: the log has the checkpoint's step and its
    adapter as the newest version: go on. It lacks the step (killed between checkpoint and log): append both. It
    has later versions (an older checkpoint was restored): publish this adapter under the next free version.
    Raises ConfigError when the log was trained but there is no checkpoint to go on from.
    """
    if checkpoint is None:
        if history.published:
            raise ConfigError(
                f"the log has policy versions up to {history.highest_version}, but there is no checkpoint: restore "
                "the run's checkpoints folder, or start a new run."
            )
        return StartPlan(policy_version=0, publish=True, append_train_step=False)
    missing = checkpoint.train_step is not None and not history.trained(checkpoint.step)
    current = history.published.get(history.highest_version) == checkpoint.adapter_sha256
    publish = missing or not current
    version = history.highest_version + 1 if publish else history.highest_version
    return StartPlan(policy_version=version, publish=publish, append_train_step=missing)
