"""heartbeat: a worker or engine is alive; what its slots do. Not archived, short retention. A worker's is here, an
engine's on `.engines`: workers read engines' only, or each would read those of all."""

from typing import ClassVar, Literal

import msgspec

from trajlog.schemas.base import Count, Event, Index, Name, Topic
from trajlog.schemas.episode_finished import Outcome


class FinishedEpisode(msgspec.Struct, frozen=True):
    episode_id: Name
    outcome: Outcome


class Heartbeat(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "heartbeat"
    topic: ClassVar[Topic] = "liveness"

    role: Literal["worker", "engine"]
    num_slots: Index
    running: tuple[Name, ...]
    """Episode ids that the slots work on, or have accepted."""
    finished: tuple[FinishedEpisode, ...]
    """Episodes that the incarnation finished, each in at least one heartbeat: their events are in the log already."""
    policy_version: Count | None = None
    endpoint: Name | None = None
    """An engine's URL."""
    leaving: bool = False
    """Last heartbeat before an orderly exit: the lease ends now."""
