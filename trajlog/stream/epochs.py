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
        """Whether the event counts; what bears an epoch raises it, so a reader that begins in the middle of the log
        knows it soon. Feed every event once, in offset order."""
        match event:
            case SchedulerStarted():
                counts = event.epoch > self.scheduler_epoch
                self.scheduler_epoch = max(self.scheduler_epoch, event.epoch)
                return counts
            case LearnerStarted():
                counts = event.epoch > self.learner_epoch
                self.learner_epoch = max(self.learner_epoch, event.epoch)
                return counts
            case EpisodeAssigned() | EpisodeVerdict() if event.epoch is not None:
                counts = event.epoch >= self.scheduler_epoch
                self.scheduler_epoch = max(self.scheduler_epoch, event.epoch)
                return counts
            case TrainStep() | PolicyPublished():
                counts = event.epoch >= self.learner_epoch
                self.learner_epoch = max(self.learner_epoch, event.epoch)
                return counts
        return True

    def highest(self, role: Literal["scheduler", "learner"]) -> int:
        return self.scheduler_epoch if role == "scheduler" else self.learner_epoch
