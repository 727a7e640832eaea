"""scheduler_started and learner_started: a single-instance role begins a new epoch.

Every fold ignores events that carry a lower epoch of the same role than the highest seen earlier in the log.
"""

from typing import ClassVar

from trajlog.schemas.base import Count, Event, Topic


class SchedulerStarted(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "scheduler_started"
    topic: ClassVar[Topic] = "control"

    epoch: Count


class LearnerStarted(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "learner_started"
    topic: ClassVar[Topic] = "control"

    epoch: Count
    step: Count
    """Optimizer steps already in the checkpoint it starts from."""
