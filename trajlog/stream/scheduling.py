"""Who plays which task next: the fold of `.control` and `.liveness` and the decisions it allows. Pure.

Feed events that count (control.ControlFollower) with their append times, then ask `decide`. Deciding changes nothing:
a decision takes effect when its events are read back, so a restart that reads the log stands where the last one did.

Rules:

- The open group that lacks fewest members, in-flight ones counted, gets the next free slot. A group is opened only
  when none lacks any, and not while paused, beyond max_open_groups, or after max_episodes assignments.
- Paused: from high_water_groups sealed, untrained groups on, until there are no more than low_water_groups. Groups
  already open are still completed: half a group would only wait until it is thrown away.
- An episode of which its worker is silent for lease_s is abandoned (leases.py), and its group gets another. One that
  ended in error or overlong is replaced, too, up to FAILURES_PER_MEMBER.
- off_policy_strategy wait: no group is opened that could make an open one, or be made by one, older than
  max_off_policy_steps by being trained before it.
- The curriculum says which task opens the next group, its estimate how many members that group gets.

An event changes what it names, and `decide` looks at free slots and groups that lack members only, so that ten thousand
slots cost a decision no more than ten (benchmarks/scale.py). Slots and leases are in leases.py; here are the groups.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from heapq import heapify, heapreplace

import msgspec

from trajlog.config import RunConfig
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    GroupVerdict,
    Heartbeat,
    LearnerStarted,
    SchedulerStarted,
    TrainStep,
)
from trajlog.stream.curriculum import Curriculum, CurriculumTask
from trajlog.stream.group_size import choose_group_size
from trajlog.stream.leases import EpisodeInFlight, Leases

_ALWAYS = datetime.min.replace(tzinfo=UTC)

FAILURES_PER_MEMBER = 3
"""Error and overlong episodes per wanted member after which a group is filled no further: it fails every time."""

KEEP_IDS = timedelta(hours=1)
"""An assignment that is in the log twice counts once when its second record comes within this time, or while its
episode is without a verdict."""


class Assign(msgspec.Struct, frozen=True):
    """Give `worker` an episode."""

    group_id: str
    episode_id: str
    worker: str
    task_id: str
    attempt: int
    group_size: int
    """Members that the group is filled with."""
    curriculum_phase: int | None
    """When the group was opened, like success_estimate; both None for a group that an older version opened."""
    success_estimate: float | None


class Abandon(msgspec.Struct, frozen=True):
    """Give up an episode of a silent worker."""

    group_id: str
    episode_id: str
    worker: str
    task_id: str


class _Group(msgspec.Struct):
    """A group without a verdict."""

    group_id: str
    number: int
    """Groups opened before it."""
    task_id: str
    size: int
    """Members wanted."""
    phase: int | None
    success: float | None
    """Curriculum's phase and the task's estimated success when the group was opened."""
    rivals: int
    """Groups that were or can be trained before it: open or queued when it was opened, or opened since, less those
    that were rejected."""
    num_assigned: int = 0
    num_unusable: int = 0
    num_failures: int = 0
    """Of the unusable ones, those that are not their worker's fault: error and overlong."""


class Scheduling:
    """The fold. `tasks` are what groups may be opened for."""

    def __init__(self, config: RunConfig, tasks: Sequence[CurriculumTask]) -> None:
        self._config = config
        self.curriculum = Curriculum(tasks, config.seed)
        self._smallest, self._largest = config.group.sizes()
        self._leases = Leases(config.scheduler.lease_s)
        self._groups: dict[str, _Group] = {}
        self._closed: set[str] = set()
        self._assigned_ids: set[str] = set()
        """Episodes assigned lately: since the time below, and in a period as long or longer before it."""
        self._assigned_before: set[str] = set()
        self._ids_since = _ALWAYS
        self._num_opened = 0
        self._lacking: dict[str, int] = {}
        """Open groups that need more episodes, and how many."""
        self._sealed: set[str] = set()
        """Sealed groups that no surviving train_step has consumed."""
        self._consumed: dict[str, int] = {}
        """Consumed sealed groups and their step."""
        self.num_assigned = 0
        self.paused = False

    @property
    def num_sealed(self) -> int:
        """Sealed groups that no surviving train_step has consumed."""
        return len(self._sealed)

    def control(self, append_time: datetime, event: Event) -> None:
        """Take in an event of `.control` that counts."""
        match event:
            case SchedulerStarted():
                self._leases.begin(append_time)
            case EpisodeAssigned(group_id=str(group_id), episode_id=str(episode_id)):
                self._assigned(append_time, group_id, episode_id, event)
            case EpisodeVerdict(episode_id=str(episode_id)):
                self._judged(append_time, episode_id, event)
            case GroupVerdict(group_id=str(group_id)):
                self._groups.pop(group_id, None)
                self._lacking.pop(group_id, None)
                self._leases.group_closed(append_time, group_id)
                if event.verdict == "rejected" and group_id not in self._closed:
                    self._rivals(-1)
                elif group_id not in self._closed:
                    self._sealed.add(group_id)
                self._closed.add(group_id)
            case TrainStep():
                for name in (*event.groups_trained, *(rejected.group_id for rejected in event.groups_rejected)):
                    if name in self._sealed:
                        self._sealed.remove(name)
                        self._consumed[name] = event.step
                        if name not in event.groups_trained:
                            self._rivals(-1)
            case LearnerStarted():
                undone = [name for name, step in self._consumed.items() if step > event.step]
                for name in undone:
                    del self._consumed[name]
                self._sealed.update(undone)
                self._rivals(len(undone))
        if len(self._sealed) >= self._config.scheduler.high_water_groups:
            self.paused = True
        elif len(self._sealed) <= self._config.scheduler.low_water_groups:
            self.paused = False

    def _assigned(self, append_time: datetime, group_id: str, episode_id: str, event: EpisodeAssigned) -> None:
        if any(episode_id in known for known in (self._leases, self._assigned_ids, self._assigned_before)):
            return  # the same record once more
        if append_time > self._ids_since + KEEP_IDS:
            self._assigned_before, self._assigned_ids, self._ids_since = self._assigned_ids, set(), append_time
        self._assigned_ids.add(episode_id)
        if group_id not in self._closed:  # its verdict may have come just before the assignment
            if group_id not in self._groups:
                size = event.group_size or self._largest  # an older log's groups are of one size
                opened = (event.curriculum_phase, event.success_estimate)
                self._rivals(+1)
                rivals = len(self._groups) + len(self._sealed)
                self._groups[group_id] = _Group(group_id, self._num_opened, event.task_id, size, *opened, rivals)
                self._num_opened += 1
                self.curriculum.opened(event.task_id)
            self._groups[group_id].num_assigned += 1
            self._count_lack(self._groups[group_id])
        self.num_assigned += 1
        self._leases.assigned(EpisodeInFlight(episode_id, group_id, event.worker, event.task_id, append_time))

    def _judged(self, append_time: datetime, episode_id: str, event: EpisodeVerdict) -> None:
        episode = self._leases.judged(append_time, episode_id, abandoned=event.verdict == "abandoned")
        if episode is None:
            return
        if event.verdict in ("error", "overlong", "abandoned"):
            self._lost(episode, failure=event.verdict != "abandoned")
        if event.outcome not in (None, "error"):
            self.curriculum.finished(event.task_id, event.outcome == "solved", event.debugger_fits)

    def _lost(self, episode: EpisodeInFlight, failure: bool) -> None:
        """The episode will not be a member of its group."""
        group = self._groups.get(episode.group_id)
        if group is not None and not episode.unusable:
            group.num_unusable += 1
            group.num_failures += failure
            self._count_lack(group)
        episode.unusable = True

    def _count_lack(self, group: _Group) -> None:
        lack = self._lack(group)
        if lack > 0:
            self._lacking[group.group_id] = lack
        else:
            self._lacking.pop(group.group_id, None)

    def liveness(self, append_time: datetime, event: Event) -> None:
        """Take in a heartbeat. Read `.control` further than `.liveness`, so that what it names is known."""
        if isinstance(event, Heartbeat) and event.role == "worker":
            for episode in self._leases.heartbeat(append_time, event):
                self._lost(episode, failure=True)

    def begin_leases(self, now: datetime) -> None:
        """Give every worker a lease from `now` on to be heard: the log did not answer for a while, or we slept."""
        self._leases.begin(now)

    def decide(self, now: datetime, mint: Callable[[], str]) -> list[Assign | Abandon]:
        """What to append now; call again once it is read back, until nothing is left. `mint` gives new ids.

        Abandonments come alone, so that what follows counts them; at most one group is opened at a time.
        """
        if silent := self._silent(now):
            return list(silent)
        slots = [(-free, name) for name, free in self._leases.free_slots(now).items()]
        heapify(slots)  # most free slots first, then by name
        budget = -sum(free for free, _ in slots)
        decisions: list[Assign | Abandon] = []
        lacking = [(lack, self._groups[name].number, name) for name, lack in self._lacking.items()]
        for lack, _, name in sorted(lacking) if budget > 0 else ():
            decisions += self._assign(self._groups[name], min(lack, budget), slots, mint)
            budget -= min(lack, budget)
        if budget > 0 and self._may_open(len(decisions)):
            task_id = self.curriculum.next_task()
            success = self.curriculum.success(task_id)
            size = choose_group_size(success, self._smallest, self._largest)
            group = _Group(mint(), self._num_opened, task_id, size, self.curriculum.phase, success, rivals=0)
            decisions += self._assign(group, min(budget, size), slots, mint)
        return decisions

    def _silent(self, now: datetime) -> list[Abandon]:
        silent = self._leases.silent(now, self._closed)
        return [Abandon(e.group_id, e.episode_id, e.worker, e.task_id) for e in silent]

    def _assign(self, group: _Group, num: int, slots: list[tuple[int, str]], mint: Callable[[], str]) -> list[Assign]:
        """Next `num` episodes of a group, each for the worker with most free slots; takes the slots from the heap."""
        made = []
        for attempt in range(group.num_assigned, group.num_assigned + num):
            free, worker = slots[0]
            heapreplace(slots, (free + 1, worker))
            chosen = (group.size, group.phase, group.success)
            made.append(Assign(group.group_id, mint(), worker, group.task_id, attempt, *chosen))
        return made

    def _lack(self, group: _Group) -> int:
        """Episodes that the group still needs."""
        if group.num_failures >= FAILURES_PER_MEMBER * group.size:
            return 0
        return group.size - (group.num_assigned - group.num_unusable)

    def _rivals(self, change: int) -> None:
        """So many groups were opened or wait again (positive) or were rejected (negative): rivals of every open one."""
        for group in self._groups.values():
            group.rivals += change

    def _may_open(self, num_planned: int) -> bool:
        """Whether a group may be opened, beside `num_planned` assignments that are about to be made."""
        settings, staleness = self._config.scheduler, self._config.staleness
        if staleness.off_policy_strategy == "wait":
            most = (staleness.max_off_policy_steps + 1) * self._config.learner.groups_per_step - 1
            own = len(self._groups) + len(self._sealed)
            if own > most or any(group.rivals + 1 > most for group in self._groups.values()):
                return False
        spent = 0 < settings.max_episodes <= self.num_assigned + num_planned
        return not self.paused and not spent and len(self._groups) < settings.max_open_groups
