"""The assembler's fold twice over one partition, with a run's own limits and with others; replay_verdicts.py says why.

The first fold takes a decision only where it was recorded, so its verdicts are the run's. The second takes it there
too, where both give it, and at once where only the other limits do.
"""

from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec

from trajlog.config import RunConfig
from trajlog.schemas import EpisodeVerdict, Event, GroupVerdict, Producer
from trajlog.stream.assembler import POLL_S
from trajlog.stream.assembly import Assembly, EpisodeDecision, GroupDecision, Ledger
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.recorded import partition_name
from trajlog.stream.staleness import judge_staleness

_LOOK = timedelta(seconds=POLL_S)
_PRODUCER = Producer("replay")


class Fate(msgspec.Struct, frozen=True):
    """What became of a group."""

    verdict: str
    """sealed, rejected, or open: no verdict."""
    reason: str | None = None
    members: tuple[str, ...] = ()
    """Episodes that were sealed, by name."""
    trained: str | None = None
    """At the learner: trained, the reason of a rejection, or waiting; None for a group that was not sealed."""

    def __str__(self) -> str:
        return self.verdict if self.reason is None else f"{self.verdict}: {self.reason}"


class GroupReplay(msgspec.Struct, frozen=True, kw_only=True):
    """One group, as it was and as it would have been."""

    group_id: str
    task_id: str
    partition: int
    recorded: Fate
    replayed: Fate
    reproduced: bool
    """Whether the run's own limits gave the recorded verdict, its numbers included."""

    @property
    def changed(self) -> bool:
        return self.recorded != self.replayed

    def __str__(self) -> str:
        was, new = (", ".join(filter(None, (str(f), f.trained))) for f in (self.recorded, self.replayed))
        members = f"members {len(self.recorded.members)} -> {len(self.replayed.members)}"
        return f"group {self.group_id} of {self.task_id}: {was} -> {new}; {members}"


class Learned(NamedTuple):
    offset: int
    append_time: datetime
    event: Event


class RecordedControl(NamedTuple):
    """`.control`, as far as it matters here."""

    inputs: list[Learned]
    """What assemblers take from others: policy versions, and the scheduler's verdicts."""
    groups: dict[str, GroupVerdict]
    """First verdict of each group, in offset order."""
    episodes: dict[str, EpisodeVerdict]
    """First verdict of each episode that counts."""
    sealed: dict[str, set[str]]
    """Members of each sealed group."""
    consumed: dict[str, tuple[str, int]]
    """Of each group that a surviving train_step trained or rejected: which, and the version that judged it."""


class _Outcome(NamedTuple):
    """A decision about a group, without its tokens."""

    decision: GroupDecision
    members: tuple[str, ...]
    versions: list[dict[int, int]]


class _Fold:
    """The assembler's fold with some limits, and what it has decided."""

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.ledger = Ledger()
        self.assembly = Assembly(config, self.ledger)
        self.groups: dict[str, _Outcome] = {}
        self.episodes: dict[str, EpisodeDecision] = {}

    def accept(self, decision: EpisodeDecision | GroupDecision) -> None:
        judged = decision.episodes if isinstance(decision, GroupDecision) else (decision,)
        verdicts: list[Event] = []
        for episode in judged:
            self.episodes.setdefault(episode.episode_id, episode)
            verdicts.append(_episode_verdict(episode))
        if isinstance(decision, GroupDecision):
            ids = tuple(member.episode_id for member in decision.members)
            versions = [member.oldest_versions() for member in decision.members]
            light = msgspec.structs.replace(decision, members=())
            self.groups[decision.group_id] = _Outcome(light, ids, versions)
            verdicts.append(_group_verdict(decision))
        for event in verdicts:
            self.ledger.learn(event)
        self.assembly.settle(verdicts)

    def fate(self, group_id: str, consumed: tuple[str, int] | None) -> Fate:
        """Its second judgement is of the version that the learner had when it judged the group."""
        outcome = self.groups.get(group_id)
        if outcome is None:
            return Fate("open")
        if not outcome.members:
            return Fate("rejected", outcome.decision.reason)
        trained = "waiting"
        if consumed is not None:
            what, version = consumed
            stale = judge_staleness(
                outcome.versions,
                version,
                max_off_policy_steps=self.config.staleness.max_off_policy_steps,
                min_group_size=self.config.group.min_group_size,
            ).rejected
            trained = "stale" if stale else "trained" if what == "stale" else what
        return Fate("sealed", outcome.decision.reason, tuple(sorted(outcome.members)), trained)


class PartitionReplay:
    """Both folds over one partition."""

    def __init__(self, tp: TopicPartition, config: RunConfig, other: RunConfig, control: RecordedControl) -> None:
        self._tp = tp
        self._control = control
        self._control_name = partition_name(TopicPartition(config.topic("control"), 0))
        self._own, self._other = _Fold(config), _Fold(other)
        self._inputs = deque(control.inputs)
        self._decoder = Decoder()
        self._looked: datetime | None = None
        self._seen: dict[str, str] = {}
        """Every group that has an event here, and its task."""
        self._members: set[str] = set()
        """Every episode that has an event here."""

    def run(self, records: Iterator[LogRecord]) -> None:
        """Feed everything, decide wherever a decision is recorded, and in between."""
        source = _Peeked(records)
        for verdict in self._control.groups.values():
            reached = verdict.offsets.get(partition_name(self._tp))
            if verdict.group_partition == self._tp.partition and reached is not None:
                self._feed(source, reached, verdict.offsets.get(self._control_name, 0))
                self._decide(verdict.logical_time, str(verdict.group_id))
        self._feed(source, None, None)
        self._decide(self._looked, None)

    def _feed(self, records: "_Peeked", until: int | None, control_until: int | None) -> None:
        """What was read up to these offsets (None: all there is), older things first."""
        while True:
            record = records.head if records.head and (until is None or records.head.offset < until) else None
            known = self._inputs[0] if self._inputs else None
            if known is not None and control_until is not None and known.offset >= control_until:
                known = None
            times = [item.append_time for item in (record, known) if item is not None]
            if not times:
                return
            if self._looked is None or min(times) - self._looked >= _LOOK:
                self._decide(min(times), None)
            if record is not None and record.append_time == min(times):
                self._read(record)
                records.next()
            else:
                event = self._inputs.popleft().event
                for fold in (self._own, self._other):
                    fold.ledger.learn(event)
                    fold.assembly.settle([event])

    def _read(self, record: LogRecord) -> None:
        batch = self._decoder.batch(record)
        if batch is None:
            return
        columns = batch.batch
        tasks = columns.column("task_id").to_pylist() if "task_id" in columns.schema.names else [None] * len(columns)
        ids = (columns.column(name).to_pylist() for name in ("group_id", "episode_id"))
        for group_id, episode_id, task_id in zip(*ids, tasks, strict=True):
            if group_id is not None and episode_id is not None:
                self._seen[group_id] = task_id or self._seen.get(group_id, "unknown")
                self._members.add(episode_id)
        for fold in (self._own, self._other):
            fold.assembly.read(record.offset, record.append_time, batch)

    def _decide(self, now: datetime | None, here: str | None) -> None:
        """Take what holds at `now`; `here` is the group whose verdict was recorded at this very moment."""
        own, other = list(self._own.assembly.decide(now)), list(self._other.assembly.decide(now))
        ours = {d.group_id for d in own if isinstance(d, GroupDecision)}
        judged = {d.episode_id for d in own if isinstance(d, EpisodeDecision)}
        for fold, decisions in ((self._own, own), (self._other, other)):
            for decision in decisions:
                if isinstance(decision, GroupDecision):
                    accepted = decision.group_id == here or decision.group_id not in ours
                else:
                    recorded = self._control.episodes.get(decision.episode_id)
                    by_assembler = recorded is not None and recorded.epoch is None
                    accepted = by_assembler or decision.episode_id not in judged
                if accepted:
                    fold.accept(decision)
        self._looked = now

    def groups(self) -> Iterator[GroupReplay]:
        for group_id, task_id in self._seen.items():
            verdict, consumed = self._control.groups.get(group_id), self._control.consumed.get(group_id)
            own = self._own.groups.get(group_id)
            own_fate = self._own.fate(group_id, consumed)
            if verdict is None:
                was = Fate("open")
            elif verdict.verdict == "rejected":
                was = Fate("rejected", verdict.reason)
            else:
                members = tuple(sorted(self._control.sealed.get(group_id, ())))
                was = Fate("sealed", verdict.reason, members, "waiting" if consumed is None else consumed[0])
            yield GroupReplay(
                group_id=group_id,
                task_id=task_id,
                partition=self._tp.partition,
                recorded=was,
                replayed=self._other.fate(group_id, consumed),
                reproduced=own_fate == was
                and (verdict is None or (own is not None and own.decision.numbers == verdict.numbers)),
            )

    def episodes(self) -> dict[str, tuple[str, str, str]]:
        """Verdict recorded, by the own limits, by the others."""
        found: dict[str, tuple[str, str, str]] = {}
        for episode_id in self._members:
            recorded = self._control.episodes.get(episode_id)
            was = "open" if recorded is None else recorded.verdict
            own, new = (fold.episodes.get(episode_id) for fold in (self._own, self._other))
            if recorded is not None and recorded.epoch is not None:
                found[episode_id] = (was, was, was)
            else:
                found[episode_id] = (was, own.verdict if own else "open", new.verdict if new else "open")
        return found


class _Peeked:
    """An iterator of records whose next one can be looked at."""

    def __init__(self, records: Iterator[LogRecord]) -> None:
        self._records = records
        self.head: LogRecord | None = None
        self.next()

    def next(self) -> None:
        self.head = next(self._records, None)


def _stamp(group_id: str, episode_id: str | None = None) -> dict[str, Any]:
    return _PRODUCER.stamp("replay", group_id=group_id, episode_id=episode_id)


def _episode_verdict(decision: EpisodeDecision) -> EpisodeVerdict:
    return EpisodeVerdict(
        **_stamp(decision.group_id, decision.episode_id), verdict=decision.verdict, task_id=decision.task_id
    )


def _group_verdict(decision: GroupDecision) -> GroupVerdict:
    stamp = _stamp(decision.group_id)
    return GroupVerdict(
        **stamp,
        verdict="sealed" if decision.sealed else "rejected",
        reason=decision.reason,
        task_id=decision.task_id,
        group_partition=0,
        logical_time=stamp["emitted_at"],
        offsets={},
        numbers=decision.numbers,
    )
