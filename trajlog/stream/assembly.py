"""Rollouts to groups: the fold of one partition of `.rollouts` and the decisions it allows. Pure.

Feed every record in offset order (`Assembly.read`), tell the verdicts in the log (`Ledger.learn`), ask for decisions
(`Assembly.decide`). Deciding changes nothing: a decision takes effect when its events are learned, so one whose
transaction failed never happened.

A group is closed for one of these reasons, by the first that holds:

1. full: as many usable members as its episodes say (`group_size`), the first to complete in offset order;
2. timeout: `seal_timeout_s` after its first usable member, with at least `min_group_size` of them, else too_few;
3. expired: no usable member and no event for `seal_timeout_s`.

`open_limit_s` after its first event a group is closed as if 2 or 3 held: no group is open for longer, so that is how
far back a restart has to read.

Usable is a complete trajectory that no verdict has taken out (error, overlong, abandoned). A group closed as full or
timeout is sealed unless stale (fewer than `min_group_size` members have a turn fresh enough) or zero_variance.

Deciding looks at groups that changed since it last found nothing for them, and at those whose time has come: ten
thousand open groups cost a decision no more than ten.
"""

import math
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import heappop, heappush
from typing import Literal, NamedTuple

import msgspec

from trajlog.config import RunConfig
from trajlog.schemas import EpisodeVerdict, Event, EventBatch, GroupVerdict, PolicyPublished
from trajlog.schemas.columns import Columns
from trajlog.schemas.episode_finished import Outcome
from trajlog.schemas.episode_verdict import EpisodeVerdictName
from trajlog.stream.staleness import judge_staleness
from trajlog.stream.trajectory import Addressed, Begin, Finish, Trajectory, facts

Reason = Literal["full", "timeout", "stale", "zero_variance", "too_few", "expired"]


class EpisodeDecision(msgspec.Struct, frozen=True):
    """A verdict for one episode."""

    group_id: str
    episode_id: str
    verdict: EpisodeVerdictName
    task_id: str
    outcome: Outcome | None
    reward: float | None
    debugger_fits: bool | None = None
    reason: str | None = None
    """For people: what is wrong with it, on error and overlong."""


class GroupDecision(msgspec.Struct, frozen=True):
    """A verdict for one group and for the episodes that have finished in it."""

    group_id: str
    task_id: str
    reason: Reason
    episodes: tuple[EpisodeDecision, ...]
    members: tuple[Trajectory, ...]
    """The sealed members in order of completion; empty when the group is rejected."""
    numbers: dict[str, float]

    @property
    def sealed(self) -> bool:
        return bool(self.members)


class Ledger:
    """What `.control` says already: verdicts (of all partitions) and the newest policy version."""

    def __init__(self) -> None:
        self.episodes: set[str] = set()
        """Episodes that have a verdict."""
        self.closed: dict[str, bool] = {}
        """Groups that have a verdict, and whether they were full: what finishes later is surplus then, else late."""
        self.policy_version = 0
        """Newest published: the version that the next step trains."""
        self.forgot = False
        """Whether verdicts are missing here that are in the log."""
        self._learned: deque[tuple[datetime, str, bool]] = deque()
        """When what was learned, oldest first; True for a group."""

    def learn(self, event: Event, append_time: datetime | None = None) -> None:
        """Take in an event of `.control`. Repeats change nothing: the first verdict counts. What is learned with its
        append time can be forgotten."""
        match event:
            case EpisodeVerdict(episode_id=str(episode_id)) if episode_id not in self.episodes:
                self.episodes.add(episode_id)
                if append_time is not None:
                    self._learned.append((append_time, episode_id, False))
            case GroupVerdict(group_id=str(group_id)) if group_id not in self.closed:
                numbers = event.numbers
                self.closed[group_id] = numbers.get("finished", 0.0) >= numbers.get("group_size", math.inf)
                if append_time is not None:
                    self._learned.append((append_time, group_id, True))
            case PolicyPublished():
                self.policy_version = max(self.policy_version, event.policy_version)

    def forget(self, before: datetime) -> None:
        """Let go of verdicts that were appended before."""
        self.forgot = self.forgot or bool(self._learned and self._learned[0][0] < before)
        while self._learned and self._learned[0][0] < before:
            _, name, is_group = self._learned.popleft()
            if is_group:
                del self.closed[name]
            else:
                self.episodes.discard(name)


class _Group:
    """An open group."""

    def __init__(self, group_id: str, number: int, offset: int, append_time: datetime) -> None:
        self.group_id = group_id
        self.number = number
        """Groups opened before it."""
        self.first_offset = offset
        self.first_event = append_time
        self.last_event: datetime | None = None
        self.began = False
        """Whether the first event of one of its episodes was seen: only then is it judged."""
        self.task_id: str | None = None
        self.group_size: int | None = None
        """What its episodes say; None: the settings' (they were recorded before groups had sizes of their own)."""
        self.trajectories: dict[str, Trajectory] = {}
        self.completed: dict[str, datetime] = {}
        """Complete episodes in the order of the records that completed them, with those records' append times."""
        self.judged: _Judged | None = None
        """As of its newest event; None when something changed since."""
        self.due: datetime | None = None
        """When to look at it, though nothing changes; None before it was looked at."""

    def drop(self, episode_id: str) -> int:
        """Let go of an episode; returns the bytes that it held."""
        self.completed.pop(episode_id, None)
        self.judged = None
        return self.trajectories.pop(episode_id).num_bytes


class _Judged(NamedTuple):
    """A group's episodes, judged."""

    faults: tuple[EpisodeDecision, ...]
    usable: tuple[Trajectory, ...]
    """In order of completion."""


class Assembly:
    """Fold of one partition of `.rollouts`."""

    def __init__(self, config: RunConfig, ledger: Ledger) -> None:
        self._config = config
        self._ledger = ledger
        self._groups: dict[str, _Group] = {}
        self.num_bytes = 0
        """Held by open groups, about."""
        self._leftover: dict[str, EpisodeDecision] = {}
        self._num_opened = 0
        self._holders: dict[str, tuple[str, ...]] = {}
        """Per episode the groups that hold events of it: one, unless a producer is wrong."""
        self._not_begun: set[str] = set()
        self._changed: set[str] = set()
        """Groups that may have a decision now, whatever the time is."""
        self._due: list[tuple[datetime, str]] = []
        """A heap of the times at which all other groups are to be looked at again."""

    def read(self, offset: int, append_time: datetime, batch: EventBatch | Columns) -> None:
        """Take in a record. Raises DecodeError, and takes nothing of it, when its columns cannot be read."""
        self.take(offset, append_time, facts(batch))

    def take(self, offset: int, append_time: datetime, found: Iterable[Addressed]) -> None:
        """Take in the facts of a record."""
        for group_id, episode_id, seq, fact in found:
            if group_id is None or episode_id is None or seq is None:
                continue  # nothing it could belong to
            is_judged = episode_id in self._ledger.episodes
            if group_id in self._ledger.closed:
                if isinstance(fact, Finish) and not is_judged:
                    self._finished_after_closing(group_id, episode_id, fact)
                continue
            group = self._groups.get(group_id)
            if group is None:
                group = self._groups[group_id] = _Group(group_id, self._num_opened, offset, append_time)
                self._num_opened += 1
                self._not_begun.add(group_id)
            if is_judged:  # its group gets a verdict all the same, also when no other episode follows
                group.last_event = append_time
                if isinstance(fact, Begin):
                    group.task_id = group.task_id or fact.task_id
                    group.group_size = group.group_size or fact.group_size
                self._touched(group, began=isinstance(fact, Begin))
                continue
            trajectory = group.trajectories.get(episode_id)
            if trajectory is None:
                trajectory = group.trajectories[episode_id] = Trajectory(episode_id)
                self._holders[episode_id] = (*self._holders.get(episode_id, ()), group_id)
                self.num_bytes += trajectory.num_bytes
            held = trajectory.num_bytes
            if not trajectory.add(seq, fact):
                continue
            self.num_bytes += trajectory.num_bytes - held
            group.judged = None
            self._touched(group, began=trajectory.began)
            group.last_event = append_time
            group.task_id = group.task_id or trajectory.task_id
            group.group_size = group.group_size or trajectory.group_size
            if trajectory.complete:
                group.completed[episode_id] = append_time

    def _touched(self, group: _Group, *, began: bool) -> None:
        if began and not group.began:
            group.began = True
            self._not_begun.discard(group.group_id)
        self._changed.add(group.group_id)

    def settle(self, events: Iterable[Event] | None = None) -> None:
        """Let go of what has a verdict; call it after the ledger learned `events` (None: anything)."""
        if events is None:
            judged = [e for e in (*self._holders, *self._leftover) if e in self._ledger.episodes]
            closed = [group_id for group_id in self._groups if group_id in self._ledger.closed]
        else:
            verdicts = [event for event in events if isinstance(event, EpisodeVerdict | GroupVerdict)]
            judged = [str(event.episode_id) for event in verdicts if isinstance(event, EpisodeVerdict)]
            closed = [str(event.group_id) for event in verdicts if isinstance(event, GroupVerdict)]
        for episode_id in judged:
            for group_id in self._holders.pop(episode_id, ()):
                self.num_bytes -= self._groups[group_id].drop(episode_id)
                self._changed.add(group_id)
            self._leftover.pop(episode_id, None)
        groups = (self._groups[group_id] for group_id in dict.fromkeys(closed) if group_id in self._groups)
        for group in sorted(groups, key=lambda group: group.number):
            self._let_go(group)
            for trajectory in group.trajectories.values():
                if trajectory.finish is not None:
                    self._finished_after_closing(group.group_id, trajectory.episode_id, trajectory.finish)

    def _let_go(self, group: _Group) -> None:
        del self._groups[group.group_id]
        self._not_begun.discard(group.group_id)
        self._changed.discard(group.group_id)
        for episode_id, trajectory in group.trajectories.items():
            self.num_bytes -= trajectory.num_bytes
            self._holders[episode_id] = tuple(g for g in self._holders[episode_id] if g != group.group_id)
            if not self._holders[episode_id]:
                del self._holders[episode_id]

    def _finished_after_closing(self, group_id: str, episode_id: str, finish: Finish) -> None:
        name: EpisodeVerdictName = "surplus" if self._ledger.closed[group_id] else "late"
        name = "error" if finish.outcome == "error" else name
        decision = EpisodeDecision(
            group_id, episode_id, name, finish.task_id, finish.outcome, finish.reward, finish.debugger_fits
        )
        self._leftover.setdefault(episode_id, decision)

    def decide(self, now: datetime | None) -> Iterator[EpisodeDecision | GroupDecision]:
        """Every decision that holds at `now` (None: time does not run, so nothing times out). Groups come in the
        order of their first offset."""
        yield from self._leftover.values()
        while now is not None and self._due and self._due[0][0] <= now:
            due, group_id = heappop(self._due)
            known = self._groups.get(group_id)
            if known is not None and known.due == due:
                known.due = None
                self._changed.add(group_id)
        for group in sorted((self._groups[group_id] for group_id in self._changed), key=lambda group: group.number):
            faults, usable = self._judge(group) if group.began else ((), ())
            reason = self._closing(group, usable, now) if group.began else None
            yield from faults
            if reason is not None:
                yield self._close(group, usable, reason)
            elif not faults:
                self._wait(group, usable)

    def _wait(self, group: _Group, usable: Sequence[Trajectory]) -> None:
        """There is nothing to decide about this group until it changes or its time has come."""
        self._changed.discard(group.group_id)
        if not group.began:
            return
        due = self._deadline(group, usable)
        if group.due is None or due < group.due:
            group.due = due
            heappush(self._due, (due, group.group_id))

    def abandon(self, now: datetime) -> None:
        """Let go of groups that expired and of which no episode's beginning is known: stray events of a group whose
        verdict is forgotten. They get none."""
        for group in [self._groups[group_id] for group_id in self._not_begun]:
            if self._closing(group, (), now) is not None:
                self._let_go(group)

    def missing(self) -> float:
        """Members that the fullest open group lacks; infinity without an open group."""
        lacking = (self._size(group) - len(group.completed) for group in self._groups.values())
        return max(0.0, min(lacking, default=math.inf))

    def largest(self) -> tuple[str, int] | None:
        """The open group that holds most, and its bytes."""
        sizes = ((sum(t.num_bytes for t in g.trajectories.values()), g.group_id) for g in self._groups.values())
        num_bytes, group_id = max(sizes, default=(0, ""))
        return (group_id, num_bytes) if group_id else None

    def _size(self, group: _Group) -> int:
        return group.group_size or self._config.group.group_size

    def _judge(self, group: _Group) -> _Judged:
        if group.judged is None:
            faults = {id(t): self._fault(group, t) for t in group.trajectories.values()}
            completed = (group.trajectories[episode_id] for episode_id in group.completed)
            group.judged = _Judged(
                tuple(fault for fault in faults.values() if fault is not None),
                tuple(trajectory for trajectory in completed if faults[id(trajectory)] is None),
            )
        return group.judged

    def _fault(self, group: _Group, trajectory: Trajectory) -> EpisodeDecision | None:
        """What takes a trajectory out of its group at once, if anything."""
        limit = self._config.episode.context_limit
        if trajectory.broken is not None:
            return _judged(group.group_id, trajectory, "error", trajectory.broken)
        if trajectory.longest_chain_tokens > limit:
            reason = f"a chain of {trajectory.longest_chain_tokens} tokens is over the context limit {limit}"
            return _judged(group.group_id, trajectory, "overlong", reason)
        finish = trajectory.finish
        if finish is not None and finish.outcome == "error":
            return _judged(group.group_id, trajectory, "error", "its outcome is error")
        if trajectory.complete and finish is not None and trajectory.num_generated_tokens == 0:
            name: EpisodeVerdictName = "overlong" if finish.outcome == "context_full" else "error"
            return _judged(group.group_id, trajectory, name, "it generated no token")
        return None

    def _closing(self, group: _Group, usable: Sequence[Trajectory], now: datetime | None) -> Reason | None:
        if len(usable) >= self._size(group):
            return "full"
        if now is None or now < self._deadline(group, usable):
            return None
        if usable:
            return "timeout" if len(usable) >= self._config.group.min_group_size else "too_few"
        return "expired"

    def _deadline(self, group: _Group, usable: Sequence[Trajectory]) -> datetime:
        """When a group that is not full is closed."""
        settings = self._config.group
        latest = group.first_event + timedelta(seconds=settings.longest_open_s())
        since = group.completed[usable[0].episode_id] if usable else group.last_event
        return latest if since is None else min(latest, since + timedelta(seconds=settings.seal_timeout_s))

    def _close(self, group: _Group, usable: Sequence[Trajectory], reason: Reason) -> GroupDecision:
        settings, version = self._config.group, self._ledger.policy_version
        full = reason == "full"
        group_size = self._size(group)
        members = usable[:group_size]
        staleness = judge_staleness(
            [trajectory.oldest_versions() for trajectory in members],
            version,
            max_off_policy_steps=self._config.staleness.max_off_policy_steps,
            min_group_size=settings.min_group_size,
        )
        fresh = [t for index, t in enumerate(members) if index not in staleness.excluded]
        rewards = [t.finish.reward for t in fresh if t.finish is not None and t.finish.reward is not None]
        mean = math.fsum(rewards) / len(rewards) if rewards else 0.0
        std = math.sqrt(math.fsum((r - mean) ** 2 for r in rewards) / len(rewards)) if rewards else 0.0
        if reason in ("full", "timeout"):
            if staleness.rejected:
                reason = "stale"
            elif not std > settings.min_reward_std:
                reason = "zero_variance"
        sealed = reason in ("full", "timeout")
        judged = []
        for index, trajectory in enumerate(members):
            stale = index in staleness.excluded and reason not in ("too_few", "expired")
            name: EpisodeVerdictName = "stale" if stale else "sealed" if sealed else "rejected"
            judged.append(_judged(group.group_id, trajectory, name))
        left = {t.episode_id for t in members}
        for trajectory in group.trajectories.values():
            finished = trajectory.finish is not None and trajectory.episode_id not in left
            if finished and self._fault(group, trajectory) is None:
                judged.append(_judged(group.group_id, trajectory, "surplus" if full else "late"))
        versions = [run.policy_version for trajectory in members for run in trajectory.versions()]
        numbers = {
            "finished": len(usable),
            "members": len(fresh) if sealed else 0,
            "group_size": group_size,
            "min_group_size": settings.min_group_size,
            "num_stale": len(staleness.excluded),
            "num_masked_turns": len(staleness.masked),
            "reward_mean": mean,
            "reward_std": std,
            "policy_version": version,
        }
        if versions:
            numbers["oldest_version"] = min(versions)
        return GroupDecision(
            group_id=group.group_id,
            task_id=group.task_id or "unknown",
            reason=reason,
            episodes=tuple(judged),
            members=tuple(fresh) if sealed else (),
            numbers={name: float(value) for name, value in numbers.items()},
        )

    def low_water(self, closing: Collection[str] = ()) -> int | None:
        """First offset of the oldest group that is open and not about to close: everything from there on is needed
        after a restart. None: nothing is."""
        return next((g.first_offset for g in self._groups.values() if g.group_id not in closing), None)


def _judged(
    group_id: str, trajectory: Trajectory, verdict: EpisodeVerdictName, reason: str | None = None
) -> EpisodeDecision:
    finish = trajectory.finish
    return EpisodeDecision(
        group_id=group_id,
        episode_id=trajectory.episode_id,
        verdict=verdict,
        task_id=trajectory.task_id or "unknown",
        outcome=None if finish is None else finish.outcome,
        reward=None if finish is None else finish.reward,
        debugger_fits=None if finish is None else finish.debugger_fits,
        reason=reason,
    )
