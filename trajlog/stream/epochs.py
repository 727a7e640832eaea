"""Which control events count: those of a scheduler or learner that a newer one replaced do not."""

from typing import Literal

from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    LearnerStarted,
    PolicyPublished,
    SchedulerStarted,
    TrainStep,
)

EPOCH_KINDS = frozenset({SchedulerStarted.kind, LearnerStarted.kind})


class EpochFilter:
    """Ignores control events of a scheduler's or learner's epoch below the highest seen earlier in the log.

    >>> epochs = EpochFilter()
    >>> epochs.admits(scheduler_started(epoch=2)), epochs.admits(episode_assigned(epoch=1))
    (True, False)
    """

    def __init__(self) -> None:
        self.scheduler_epoch = -1
        """Highest seen; -1 before any."""
        self.learner_epoch = -1

    def admits(self, event: Event) -> bool:
        """Whether the event counts; `*_started` events raise the epoch. Feed every event once, in offset order."""
        match event:
            case SchedulerStarted():
                counts = event.epoch > self.scheduler_epoch
                self.scheduler_epoch = max(self.scheduler_epoch, event.epoch)
                return counts
            case LearnerStarted():
                counts = event.epoch > self.learner_epoch
                self.learner_epoch = max(self.learner_epoch, event.epoch)
                return counts
            case EpisodeAssigned():
                return event.epoch >= self.scheduler_epoch
            case EpisodeVerdict():
                return event.epoch is None or event.epoch >= self.scheduler_epoch
            case TrainStep() | PolicyPublished():
                return event.epoch >= self.learner_epoch
        return True

    def highest(self, role: Literal["scheduler", "learner"]) -> int:
        return self.scheduler_epoch if role == "scheduler" else self.learner_epoch
