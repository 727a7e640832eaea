"""group_verdict: a group was sealed, or rejected for a reason. The first in offset order counts."""

from typing import ClassVar, Literal

from trajlog.schemas.base import Count, Event, Index, Name, Topic, UtcTime


class GroupVerdict(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "group_verdict"
    topic: ClassVar[Topic] = "control"

    verdict: Literal["sealed", "rejected"]
    reason: Literal["full", "timeout", "stale", "zero_variance", "too_few", "expired"]
    """full and timeout with sealed, the others with rejected."""
    task_id: Name
    group_partition: Index
    """Partition of `.rollouts` and `.groups` that holds the group."""
    logical_time: UtcTime
    """Newest append time read when it was decided."""
    offsets: dict[str, Count]
    """Next offset to read, per `<topic>-<partition>`, when it was decided."""
    numbers: dict[str, float]
    """The numbers behind it: finished, group_size, min_group_size, reward_std, oldest_version, ..."""
