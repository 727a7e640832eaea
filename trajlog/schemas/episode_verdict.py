"""episode_verdict: what became of a rollout. Every episode gets exactly one that counts: the first in offset order."""

from typing import ClassVar, Literal

from trajlog.schemas.base import Count, Event, Name, Reward, Topic
from trajlog.schemas.episode_finished import Outcome

EpisodeVerdictName = Literal["sealed", "surplus", "late", "abandoned", "error", "stale", "overlong", "rejected"]


class EpisodeVerdict(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "episode_verdict"
    version: ClassVar[int] = 2
    topic: ClassVar[Topic] = "control"

    verdict: EpisodeVerdictName
    """sealed: a member of a sealed group. rejected: a member of a group that was rejected (see its group_verdict).
    surplus: finished after its group was full. late: finished after its group's verdict. abandoned: its worker fell
    silent (from the scheduler). error: infrastructure died. stale: every turn too old. overlong: context too long."""
    task_id: Name
    outcome: Outcome | None = None
    reward: Reward | None = None
    reason: str | None = None
    """What is wrong with the episode, in words, on error and overlong."""
    epoch: Count | None = None
    """Scheduler's epoch, on verdicts by the scheduler (abandoned)."""
    debugger_fits: bool | None = None
    """As in episode_finished; from version 2 on."""
