"""Who plays which task next: the fold of `.control` and `.liveness` and the decisions it allows. Pure.

Feed events that count (control.ControlFollower) with their append times, then ask `decide`. Deciding changes nothing:
a decision takes effect when its events are read back, so a restart that reads the log stands where the last one did.

Rules:

- A slot is taken by what its worker's newest heartbeat says it runs, and by assignments not finished since.
- The open group that lacks fewest members, in-flight ones counted, gets the next free slot. A group is opened only
  when none lacks any, and not while paused, beyond max_open_groups, or after max_episodes assignments.
- Paused: from high_water_groups sealed, untrained groups on, until there are no more than low_water_groups. Groups
  already open are still completed: half a group would only wait until it is thrown away.
- An episode not mentioned by its worker for lease_s (nor since this scheduler began, nor since an outage of the log) is
  abandoned, at once when its worker has left; its group gets another, and its worker none until it is heard of again.
  One that its worker finished is the assembler's to judge, unless its group was closed lease_s ago without a verdict
  for it (the record of its end cannot be read). One that ended in error or overlong is replaced, too, up to
  FAILURES_PER_MEMBER.
- off_policy_strategy wait: only while running + queued members stay within (max_off_policy_steps + 1) steps' worth,
  and no group is opened that could make an open one too old by being trained before it.
- The curriculum says which task opens the next group, its estimate how many members that group gets.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

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

FAILURES_PER_MEMBER = 3
"""Error and overlong episodes per wanted member after which a group is filled no further: it fails every time."""


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


class _Episode(msgspec.Struct):
    """An episode without a verdict."""

    episode_id: str
    group_id: str
    worker: str
    task_id: str
    mentioned: datetime
    """Append time of the assignment or of the newest heartbeat that names it."""
    finished: bool = False
    unusable: bool = False


class _Group(msgspec.Struct):
    """A group without a verdict."""

    group_id: str
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


class _Worker(msgspec.Struct):
    num_slots: int
    running: frozenset[str]
    seen: datetime
    leaving: bool


class Scheduling:
    """The fold. `tasks` are what groups may be opened for."""

    def __init__(self, config: RunConfig, tasks: Sequence[CurriculumTask]) -> None:
        self._config = config
        self.curriculum = Curriculum(tasks, config.seed)
        smallest, self._largest = config.group.sizes()
        waits = config.staleness.off_policy_strategy == "wait"
        self._smallest = self._largest if waits else smallest  # wait counts trajectories: steps must be of one size
        self._episodes: dict[str, _Episode] = {}
        self._groups: dict[str, _Group] = {}
        self._closed: set[str] = set()
        self._assigned_ids: set[str] = set()
        self._workers: dict[str, _Worker] = {}
        self._silenced: dict[str, datetime] = {}
        """Append time of the newest abandonment per worker."""
        self._sealed: dict[str, int] = {}
        """Sealed groups that no surviving train_step has consumed, and their members."""
        self._consumed: dict[str, tuple[int, int]] = {}
        """Consumed sealed groups: step and members."""
        self._began: datetime | None = None
        self.num_assigned = 0
        self.paused = False

    def control(self, append_time: datetime, event: Event) -> None:
        """Take in an event of `.control` that counts."""
        match event:
            case SchedulerStarted():
                self._began = append_time
            case EpisodeAssigned(group_id=str(group_id), episode_id=str(episode_id)):
                self._assigned(append_time, group_id, episode_id, event)
            case EpisodeVerdict(episode_id=str(episode_id)):
                self._judged(append_time, episode_id, event)
            case GroupVerdict(group_id=str(group_id)):
                self._groups.pop(group_id, None)
                self._lease_anew(append_time, group_id)
                if event.verdict == "rejected" and group_id not in self._closed:
                    self._rivals(-1)
                elif group_id not in self._closed:
                    self._sealed[group_id] = int(event.numbers.get("members", self._largest))
                self._closed.add(group_id)
            case TrainStep():
                for name in (*event.groups_trained, *(rejected.group_id for rejected in event.groups_rejected)):
                    if name in self._sealed:
                        self._consumed[name] = (event.step, self._sealed.pop(name))
                        self._rivals(0 if name in event.groups_trained else -1)
            case LearnerStarted():
                undone = [name for name, (step, _) in self._consumed.items() if step > event.step]
                self._sealed |= {name: self._consumed.pop(name)[1] for name in undone}
                self._rivals(len(undone))
        if len(self._sealed) >= self._config.scheduler.high_water_groups:
            self.paused = True
        elif len(self._sealed) <= self._config.scheduler.low_water_groups:
            self.paused = False

    def _lease_anew(self, append_time: datetime, group_id: str) -> None:
        """A closed group's finished episodes get their verdicts from the assembler within a lease, or never."""
        for episode in self._episodes.values():
            if episode.group_id == group_id and episode.finished:
                episode.mentioned = append_time

    def _assigned(self, append_time: datetime, group_id: str, episode_id: str, event: EpisodeAssigned) -> None:
        if episode_id in self._assigned_ids:
            return  # the same record once more
        self._assigned_ids.add(episode_id)
        if group_id not in self._closed:  # its verdict may have come just before the assignment
            if group_id not in self._groups:
                size = event.group_size or self._largest  # an older log's groups are of one size
                opened = (event.curriculum_phase, event.success_estimate)
                self._rivals(+1)
                rivals = len(self._groups) + len(self._sealed)
                self._groups[group_id] = _Group(group_id, event.task_id, size, *opened, rivals)
                self.curriculum.opened(event.task_id)
            self._groups[group_id].num_assigned += 1
        self.num_assigned += 1
        self._episodes[episode_id] = _Episode(episode_id, group_id, event.worker, event.task_id, append_time)

    def _judged(self, append_time: datetime, episode_id: str, event: EpisodeVerdict) -> None:
        episode = self._episodes.pop(episode_id, None)
        if episode is None:
            return  # it has its verdict already: the first counts
        if event.verdict in ("error", "overlong", "abandoned"):
            self._lost(episode, failure=event.verdict != "abandoned")
        if event.verdict == "abandoned":
            self._silenced[episode.worker] = append_time
        if event.outcome not in (None, "error"):
            self.curriculum.finished(event.task_id, event.outcome == "solved", event.debugger_fits)

    def _lost(self, episode: _Episode, failure: bool) -> None:
        """The episode will not be a member of its group."""
        group = self._groups.get(episode.group_id)
        if group is not None and not episode.unusable:
            group.num_unusable += 1
            group.num_failures += failure
        episode.unusable = True

    def liveness(self, append_time: datetime, event: Event) -> None:
        """Take in a heartbeat. Read `.control` further than `.liveness`, so that what it names is known."""
        if not isinstance(event, Heartbeat) or event.role != "worker":
            return
        running = frozenset(event.running)
        self._workers[event.producer] = _Worker(event.num_slots, running, append_time, event.leaving)
        for episode_id in running:
            if episode_id in self._episodes:
                self._episodes[episode_id].mentioned = append_time
        for finished in event.finished:
            episode = self._episodes.get(finished.episode_id)
            if episode is not None:
                episode.finished = True
                if finished.outcome == "error":
                    self._lost(episode, failure=True)

    def begin_leases(self, now: datetime) -> None:
        """Give every worker a lease from `now` on to be heard: the log did not answer for a while, or we slept."""
        self._began = now

    def decide(self, now: datetime, mint: Callable[[], str]) -> list[Assign | Abandon]:
        """What to append now; call again once it is read back, until nothing is left. `mint` gives new ids.

        Abandonments come alone, so that what follows counts them; at most one group is opened at a time.
        """
        abandoned = self._silent(now)
        if abandoned:
            return list(abandoned)
        slots = self._free_slots(now)
        lacking = {group.group_id: lack for group in self._groups.values() if (lack := self._lack(group)) > 0}
        budget = self._admitted(sum(slots.values()))
        assigned: Counter[str] = Counter()
        decisions: list[Assign | Abandon] = []
        while budget > 0 and lacking:
            group = self._groups[min(lacking, key=lambda name: lacking[name])]
            decisions.append(self._assign(group, assigned, slots, mint))
            budget -= 1
            lacking[group.group_id] -= 1
            if lacking[group.group_id] == 0:
                del lacking[group.group_id]
        if budget > 0 and self._may_open(len(decisions)):
            task_id = self.curriculum.next_task()
            success = self.curriculum.success(task_id)
            size = choose_group_size(success, self._smallest, self._largest)
            group = _Group(mint(), task_id, size, self.curriculum.phase, success, rivals=0)
            for _ in range(min(budget, size)):
                decisions.append(self._assign(group, assigned, slots, mint))
        return decisions

    def _assign(self, group: _Group, assigned: Counter[str], slots: Counter[str], mint: Callable[[], str]) -> Assign:
        worker = max(sorted(slots), key=lambda name: slots[name])
        slots[worker] -= 1
        attempt = group.num_assigned + assigned[group.group_id]
        assigned[group.group_id] += 1
        chosen = (group.size, group.phase, group.success)
        return Assign(group.group_id, mint(), worker, group.task_id, attempt, *chosen)

    def _silent(self, now: datetime) -> list[Abandon]:
        lease = timedelta(seconds=self._config.scheduler.lease_s)
        silent = []
        for episode in self._episodes.values():
            worker = self._workers.get(episode.worker)
            left = worker is not None and worker.leaving and not episode.finished
            since = max(episode.mentioned, self._began or episode.mentioned)
            judged_by_scheduler = not episode.finished or episode.group_id in self._closed
            if judged_by_scheduler and (left or now >= since + lease):
                silent.append(Abandon(episode.group_id, episode.episode_id, episode.worker, episode.task_id))
        return silent

    def _free_slots(self, now: datetime) -> Counter[str]:
        """Free slots per live worker that has any."""
        lease = timedelta(seconds=self._config.scheduler.lease_s)
        taken: dict[str, set[str]] = {}
        for episode in self._episodes.values():
            if not episode.finished:
                taken.setdefault(episode.worker, set()).add(episode.episode_id)
        free = Counter[str]()
        for name, worker in self._workers.items():
            heard = name not in self._silenced or worker.seen > self._silenced[name]
            if heard and not worker.leaving and now < worker.seen + lease:
                free[name] = worker.num_slots - len(worker.running | taken.get(name, set()))
        return +free

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
        settings, staleness = self._config.scheduler, self._config.staleness
        if staleness.off_policy_strategy == "wait":
            most = (staleness.max_off_policy_steps + 1) * self._config.learner.groups_per_step - 1
            own = len(self._groups) + len(self._sealed)
            if own > most or any(group.rivals + 1 > most for group in self._groups.values()):
                return False
        spent = 0 < settings.max_episodes <= self.num_assigned + num_planned
        return not self.paused and not spent and len(self._groups) < settings.max_open_groups

    def _admitted(self, num_free: int) -> int:
        """How many of the free slots off_policy_strategy lets be used."""
        staleness = self._config.staleness
        if staleness.off_policy_strategy == "drop":
            return num_free
        members_per_step = self._config.learner.groups_per_step * self._largest
        limit = (staleness.max_off_policy_steps + 1) * members_per_step
        return min(num_free, limit - len(self._episodes) - sum(self._sealed.values()))
