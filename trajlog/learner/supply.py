"""What the log says of how groups come about: a fold of `.control`, `.liveness` and `.engines`. Pure."""

from collections import Counter
from datetime import datetime

import msgspec

from trajlog.config import RunConfig
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    GroupVerdict,
    Heartbeat,
    LearnerStarted,
    PolicyAcknowledged,
    PolicyPublished,
    SchedulerStarted,
    TrainStep,
)
from trajlog.stream.scheduling import Scheduling

KINDS = frozenset(
    kind.kind
    for kind in (
        EpisodeAssigned,
        EpisodeVerdict,
        GroupVerdict,
        LearnerStarted,
        PolicyAcknowledged,
        PolicyPublished,
        SchedulerStarted,
        TrainStep,
    )
)
"""Of `.control`, that the fold takes in."""


class Heard(msgspec.Struct, frozen=True):
    """The newest heartbeat of a worker or an engine."""

    seen: datetime
    num_slots: int
    num_running: int
    leaving: bool


class OpenGroup(msgspec.Struct):
    """A group without a verdict."""

    size: int
    opened: datetime
    playing: set[str]
    """Episodes that are neither finished nor judged."""
    finished: dict[str, datetime]
    """Episodes that their worker says are over, and not in error, without a verdict; and when it said so first."""


class Supply:
    """Feed `.control` further than the heartbeats, so that the episodes they name are known."""

    def __init__(self, config: RunConfig) -> None:
        self.scheduling = Scheduling(config, ())  # what the scheduler knows; it is never asked for a task here
        self._largest = config.group.sizes()[1]
        self.workers: dict[str, Heard] = {}
        self.engines: dict[str, Heard] = {}
        self.published: tuple[int, datetime] | None = None
        """The newest version and when it was published."""
        self.acknowledged = -1
        """The newest version that an engine has loaded."""
        self.scheduler_began = False
        self.last_assigned: datetime | None = None
        self.groups: dict[str, OpenGroup] = {}
        """Open ones, by id."""
        self._closed: set[str] = set()
        self.rejected: Counter[str] = Counter()
        """Groups rejected since the last step that trained, by reason, by the assembler and by the learner."""
        self.failed: Counter[str] = Counter()
        """Episodes since then that ended in error or overlong."""
        self.last_failure = ""

    def control(self, append_time: datetime, event: Event) -> None:
        """Take in an event of `.control` that counts."""
        self.scheduling.control(append_time, event)
        match event:
            case SchedulerStarted():
                self.scheduler_began = True
            case EpisodeAssigned(group_id=str(group_id), episode_id=str(episode_id)):
                self.last_assigned = append_time
                if group_id not in self._closed:
                    size = event.group_size or self._largest
                    group = self.groups.setdefault(group_id, OpenGroup(size, append_time, set(), {}))
                    group.playing.add(episode_id)
            case EpisodeVerdict(group_id=str(group_id), episode_id=str(episode_id)):
                if group_id in self.groups:
                    self.groups[group_id].playing.discard(episode_id)
                    self.groups[group_id].finished.pop(episode_id, None)
                if event.verdict in ("error", "overlong"):
                    self.failed[event.verdict] += 1
                    self.last_failure = event.reason or self.last_failure
            case GroupVerdict(group_id=str(group_id)):
                self._closed.add(group_id)
                self.groups.pop(group_id, None)
                if event.verdict == "rejected":
                    self.rejected[event.reason] += 1
            case TrainStep():
                if event.groups_trained:
                    self.rejected.clear()
                    self.failed.clear()
                self.rejected.update(rejected.reason for rejected in event.groups_rejected)
            case PolicyPublished():
                self.published = (event.policy_version, append_time)
            case PolicyAcknowledged():
                self.acknowledged = max(self.acknowledged, event.policy_version)

    def liveness(self, append_time: datetime, event: Event) -> None:
        """Take in a heartbeat, of `.liveness` or `.engines`."""
        if not isinstance(event, Heartbeat):
            return
        heard = Heard(append_time, event.num_slots, len(event.running), event.leaving)
        if event.role == "engine":
            self.engines[event.producer] = heard
            return
        self.workers[event.producer] = heard
        over = {finished.episode_id: finished.outcome for finished in event.finished}
        for group in self.groups.values():
            for episode_id in group.playing & over.keys():
                group.playing.remove(episode_id)
                if over[episode_id] != "error":
                    group.finished[episode_id] = append_time
