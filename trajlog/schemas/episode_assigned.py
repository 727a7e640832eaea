"""episode_assigned: the scheduler gives a worker's free slot an episode of a group."""

from typing import ClassVar

from trajlog.schemas.base import Count, Event, Index, Name, Topic


class EpisodeAssigned(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "episode_assigned"
    version: ClassVar[int] = 2
    topic: ClassVar[Topic] = "control"

    epoch: Count
    """Scheduler's epoch."""
    worker: Name
    """`producer` of the worker incarnation it is for."""
    task_id: Name
    attempt: Index
    group_size: Index | None = None
    """Members that the group is filled with; from version 2 on, as all below."""
    curriculum_phase: Index | None = None
    """1 debugger acquisition, 2 abstention (docs/scheduling.md), when the group was opened."""
    success_estimate: float | None = None
    """Estimated success rate of the task when the group was opened, 0..1."""
