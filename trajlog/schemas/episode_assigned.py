"""episode_assigned: the scheduler gives a worker's free slot an episode of a group."""

from typing import ClassVar

from trajlog.schemas.base import Count, Event, Index, Name, Topic


class EpisodeAssigned(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "episode_assigned"
    topic: ClassVar[Topic] = "control"

    epoch: Count
    """Scheduler's epoch."""
    worker: Name
    """`producer` of the worker incarnation it is for."""
    task_id: Name
    attempt: Index
