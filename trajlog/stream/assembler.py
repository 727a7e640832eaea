"""The assembler role: reads `.rollouts` as a consumer group, writes sealed groups and verdicts.

Durable steps, all in one transaction of the log: 1 group_sealed to `.groups`; 2 episode and group verdicts to
`.control`; 3 the committed offset: the low water of the groups still open. A process that dies before the
transaction is over leaves nothing; after it, `.control` says which groups have their verdicts, so reading the
overlap again adds none. State is dropped with a partition and built again with it.
"""

import logging
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta

from trajlog.config import RunConfig
from trajlog.errors import DecodeError, LogError, LogUnavailable, MemberReplaced
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    GroupSealed,
    GroupVerdict,
    Member,
    NewRecord,
    PolicyPublished,
    Producer,
    TrainStep,
    TurnRouting,
    encode,
)
from trajlog.schemas.sealing import encode_sealed
from trajlog.stream.assembly import Assembly, EpisodeDecision, GroupDecision, Ledger
from trajlog.stream.clock import FoldClock
from trajlog.stream.control import ControlFollower, Stop
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import Log, LogRecord, TopicPartition
from trajlog.stream.memory import LOW_MARK, Load, choose_paused

POLL_S = 0.2

_UNKNOWN = "0" * 64  # the digest is taken from the token buffers

TIDY_S = 10.0
"""Seconds between two commits of how far a restart need not read, where no verdict commits it."""
_FIRST_READ_S = 10.0
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)

_KINDS = frozenset({EpisodeAssigned.kind, EpisodeVerdict.kind, GroupVerdict.kind, PolicyPublished.kind, TrainStep.kind})
_logger = logging.getLogger(__name__)


def run_assembler(log: Log, config: RunConfig, stop: Stop) -> None:
    """Assemble until `stop` is set. Raises LogError (and RoleBusy on SQLite) when the log refuses this member."""
    _Assembler(log, config).run(stop)


def _oldest(log: Log, topic: str, begins: Mapping[TopicPartition, int]) -> datetime | None:
    """Append time of the oldest record at these offsets, or just before where nothing follows them; None when the log
    does not tell."""
    ends = log.end_offsets(topic)
    first = {tp: min(offset, ends[tp] - 1) for tp, offset in begins.items() if ends[tp]}
    held = log.begin_offsets(topic)
    if any(offset < held[tp] for tp, offset in first.items()):
        return None  # retention dropped all that there was
    times: dict[TopicPartition, datetime] = {}
    with log.reader([topic], {tp: first.get(tp, end) for tp, end in ends.items()}) as reader:
        reader.pause(ends.keys() - first.keys())
        while len(times) < len(first):
            found = reader.poll(_FIRST_READ_S, max_records=len(first))
            for record in found:
                times.setdefault(TopicPartition(record.topic, record.partition), record.append_time)
            reader.pause(times)
            if not found:
                return None
    return min(times.values(), default=None)


@contextmanager
def _hint() -> Iterator[None]:
    """A commit that nothing depends on: a member that was replaced learns of it by its next poll. A log that is away
    is waited for once, not again by the next step."""
    try:
        yield
    except LogUnavailable:
        raise
    except LogError as error:
        _logger.info("group offsets not committed: %s", error)


def remembered(config: RunConfig) -> timedelta:
    """Append time for which a verdict matters to later events of its group or episode."""
    return 2 * timedelta(seconds=config.group.longest_open_s())


class _Assembler:
    def __init__(self, log: Log, config: RunConfig) -> None:
        self._log = log
        self._config = config
        self._control: ControlFollower | None = None
        self._control_start = _FIRST
        self._rollouts = config.topic("rollouts")
        self._group = f"{config.log.prefix}.assembler"
        self._producer = Producer("assembler")
        self._ledger = Ledger()
        self._clock = FoldClock()
        self._partitions: dict[TopicPartition, tuple[Assembly, Decoder]] = {}
        self._paused: frozenset[TopicPartition] = frozenset()
        self._fresh = False
        self._ends: tuple[dict[TopicPartition, int], float] | None = None
        """Asked end offsets that are not all read yet, and when (monotonic)."""
        self._asked_s = 0.0
        self._told_large: set[str] = set()
        self._tidied_s = time.monotonic()
        self._reader = log.group_reader([self._rollouts], self._group, self._assigned, self._revoked)

    def run(self, stop: Stop) -> None:
        with self._reader, closing(self):
            while not stop.is_set():
                records = self._reader.poll(POLL_S)
                if not self._partitions.keys() <= self._reader.assignment():  # lost without a word, or about to come
                    self._partitions, self._paused = {}, frozenset()
                if self._fresh and self._partitions:
                    self._begin(records)
                for record in records:
                    self._read(record)
                self._learn_control()
                now = self._time()
                for tp, (assembly, _) in self._partitions.items():
                    decisions = list(assembly.decide(now))
                    if decisions and not self._committed(tp, decisions):
                        break
                self._hold_budget()
                if now is not None:
                    self._forget(now)
                if time.monotonic() - self._tidied_s > TIDY_S:
                    self._commit_low_water()

    def close(self) -> None:
        if self._control is not None:
            self._control.close()

    def _committed(self, tp: TopicPartition, decisions: Sequence[EpisodeDecision | GroupDecision]) -> bool:
        """Whether the decisions are written. Not when the broker gave this member up, because a cut of the network or a
        pause was longer than its session, or its transaction alone, because that took too long: all is read again from
        what is committed, at once where the partitions stay, else when the next poll has joined the group again."""
        try:
            self._commit(tp, decisions)
        except MemberReplaced as error:
            _logger.warning("reading again from what is committed: %s", error)
            held = self._reader.assignment()
            starts = dict.fromkeys(held, 0) | self._log.committed(self._group, [self._rollouts])
            for held_tp in held:
                self._reader.seek(held_tp, starts[held_tp])
            self._reader.resume(held)
            self._assigned(held)
            return False
        return True

    def _assigned(self, partitions: frozenset[TopicPartition]) -> dict[TopicPartition, int]:
        """Called with the whole assignment, so partitions that were lost without a word go too."""
        self._partitions = {
            tp: (Assembly(self._config, self._ledger), Decoder(self._config.run_id)) for tp in partitions
        }
        self._paused = frozenset()
        self._fresh = True
        return {}

    def _revoked(self, partitions: frozenset[TopicPartition]) -> None:
        for tp in partitions:
            self._partitions.pop(tp, None)

    def _read(self, record: LogRecord) -> None:
        state = self._partitions.get(TopicPartition(record.topic, record.partition))
        if state is None:
            return  # its new owner reads it
        assembly, decoder = state
        self._clock.read(record.append_time, time.monotonic())
        num_bad = decoder.num_bad
        columns = decoder.columns(record)
        if columns is not None:
            try:
                assembly.read(record.offset, record.append_time, columns)
            except DecodeError as error:
                decoder.bad(record, error)
        if decoder.num_bad > num_bad:
            _logger.warning("skipped a record: %s", decoder.last_error)

    def _begin(self, records: Sequence[LogRecord]) -> None:
        """After an assignment, with the first records of it: end what a killed predecessor left open, then read from
        `.control` which groups and episodes have verdicts already, as far back as that can matter.

        All of it is read when the part that matters names no policy version, as the newest one is needed.
        """
        begins = {tp: self._reader.position(tp) for tp in self._partitions}
        for record in reversed(records):
            tp = TopicPartition(record.topic, record.partition)
            if tp in begins:
                begins[tp] = record.offset
        # On Kafka this ends at once a transaction of a predecessor with the same first partition, and makes the
        # producer that the first sealed group would wait for.
        with _hint(), self._log.transaction(self._reader) as transaction:
            transaction.commit_offsets(self._group, begins)
        oldest = _oldest(self._log, self._rollouts, begins)
        start = _FIRST if oldest is None else oldest - remembered(self._config)
        if self._control is not None and not self._ledger.forgot and self._control_start <= start:
            return
        for self._control_start in (start, _FIRST):
            self.close()
            self._control = ControlFollower(
                self._log, self._config.topic("control"), _KINDS, self._control_start, run_id=self._config.run_id
            )
            for record, event in self._control.catch_up():
                self._ledger.learn(event, record.append_time)
            if self._ledger.policy_version > 0:
                break

    def _learn_control(self) -> None:
        """Learn verdicts of whoever had these partitions before, and of the scheduler, and the newest policy version.

        After an assignment `.control` is read to its end, behind transactions of predecessors that are not over yet:
        what they wrote was written before the assignment. Later what has come is enough, as the first verdict counts.
        """
        if self._control is None:
            return
        found = list(self._control.catch_up(open_too=True) if self._fresh else self._control.poll(0))
        for record, event in found:
            self._clock.read(record.append_time, time.monotonic())
            self._ledger.learn(event, record.append_time)
        if found or self._fresh:
            for assembly, _ in self._partitions.values():
                assembly.settle(None if self._fresh else [event for _, event in found])
        self._fresh = False

    def _hold_budget(self) -> None:
        """Pause and resume partitions by what their open groups hold."""
        budget = self._config.assembler.memory_bytes
        held = {tp: assembly.num_bytes + decoder.num_bytes for tp, (assembly, decoder) in self._partitions.items()}
        if not self._paused and sum(held.values()) <= LOW_MARK * budget:
            return
        ends = self._log.end_offsets(self._rollouts)
        loads = {
            tp: Load(held[tp], assembly.missing(), unread=self._reader.position(tp) < ends[tp])
            for tp, (assembly, _) in self._partitions.items()
        }
        paused = choose_paused(loads, self._paused, budget)
        self._reader.resume(self._paused - paused)
        self._reader.pause(paused - self._paused)
        if paused != self._paused:
            _logger.info("open groups hold %d bytes of %d: paused %s", sum(held.values()), budget, sorted(paused))
        self._paused = paused
        if sum(held.values()) > budget:
            self._tell_large(budget)

    def _tell_large(self, budget: int) -> None:
        for assembly, _ in self._partitions.values():
            group_id, num_bytes = assembly.largest() or ("", 0)
            if num_bytes > budget and group_id not in self._told_large:
                self._told_large.add(group_id)
                _logger.warning(
                    "group %s alone holds %d bytes, over assembler.memory_bytes (%d): it is completed above the "
                    "budget. Raise the budget, or lower group.group_size or episode.context_limit in the next run.",
                    group_id,
                    num_bytes,
                    budget,
                )

    def _forget(self, now: datetime) -> None:
        """Let go of what cannot matter any more; every record up to `now` was read."""
        self._ledger.forget(now - remembered(self._config))
        for assembly, _ in self._partitions.values():
            assembly.abandon(now)

    def _commit_low_water(self) -> None:
        """Commit how far a restart need not read, where no verdict did."""
        self._tidied_s = time.monotonic()
        if self._partitions:
            with _hint():
                self._reader.commit({tp: self._low_water(tp, ()) for tp in self._partitions})

    def _time(self) -> datetime | None:
        """Logical time up to which every record was read; None while some wait unread (at the start, or after this
        process was held up) and between two questions for the log's end."""
        if self._ends is None:
            asked_s = time.monotonic()
            if asked_s - self._asked_s < POLL_S:
                return None
            self._asked_s = asked_s
            self._ends = self._log.end_offsets(self._rollouts), asked_s
        ends, asked_s = self._ends
        if any(self._reader.position(tp) < ends[tp] for tp in self._partitions):
            return None
        self._ends = None
        self._clock.caught_up(time.monotonic())
        return self._clock.now(asked_s)

    def _commit(self, tp: TopicPartition, decisions: Sequence[EpisodeDecision | GroupDecision]) -> None:
        groups = [d for d in decisions if isinstance(d, GroupDecision)]
        episodes = [d for d in decisions if isinstance(d, EpisodeDecision)]
        episodes += [judged for group in groups for judged in group.episodes]
        verdicts: list[Event] = [self._episode_verdict(decision) for decision in episodes]
        verdicts += [self._group_verdict(tp, decision) for decision in groups]
        with self._log.transaction(self._reader) as transaction:
            for decision in groups:
                if decision.sealed:
                    records = sealed_records(decision, self._config.run_id, self._producer)
                    transaction.append(self._config.topic("groups"), records)
            transaction.append(self._config.topic("control"), encode(verdicts))
            transaction.commit_offsets(self._group, {tp: self._low_water(tp, groups)})
        for event in verdicts:
            self._ledger.learn(event, self._clock.newest)
        self._partitions[tp][0].settle(verdicts)
        _report(episodes, groups)

    def _low_water(self, tp: TopicPartition, closing: Iterable[GroupDecision]) -> int:
        assembly, decoder = self._partitions[tp]
        marks = (assembly.low_water({d.group_id for d in closing}), decoder.low_water(tp), self._reader.position(tp))
        return min(mark for mark in marks if mark is not None)

    def _episode_verdict(self, decision: EpisodeDecision) -> EpisodeVerdict:
        stamp = self._producer.stamp(self._config.run_id, group_id=decision.group_id, episode_id=decision.episode_id)
        return EpisodeVerdict(
            **stamp,
            verdict=decision.verdict,
            task_id=decision.task_id,
            outcome=decision.outcome,
            reward=decision.reward,
            reason=decision.reason,
            debugger_fits=decision.debugger_fits,
        )

    def _group_verdict(self, tp: TopicPartition, decision: GroupDecision) -> GroupVerdict:
        assert self._clock.newest is not None
        assert self._control is not None
        positions = {tp: self._reader.position(tp), **self._control.positions()}
        return GroupVerdict(
            **self._producer.stamp(self._config.run_id, group_id=decision.group_id),
            verdict="sealed" if decision.sealed else "rejected",
            reason=decision.reason,
            task_id=decision.task_id,
            group_partition=tp.partition,
            logical_time=self._clock.now(time.monotonic()) or self._clock.newest,
            offsets={f"{topic}-{partition}": offset for (topic, partition), offset in positions.items()},
            numbers=decision.numbers,
        )


def sealed_records(decision: GroupDecision, run_id: str, producer: Producer) -> list[NewRecord]:
    """group_sealed of a decision to seal."""
    owned = [(index, chain) for index, trajectory in enumerate(decision.members) for chain in trajectory.chains]
    side_files = [TurnRouting(i, *file) for i, (_, chain) in enumerate(owned) for file in chain.routed_experts]
    versions = [run.policy_version for trajectory in decision.members for run in trajectory.versions()]
    members = [
        Member(t.episode_id, t.finish.outcome, t.finish.reward, t.num_generated_tokens, t.finish.num_turns)
        for t in decision.members
        if t.finish is not None and t.finish.reward is not None
    ]
    event = GroupSealed(
        **producer.stamp(run_id, group_id=decision.group_id),
        task_id=decision.task_id,
        sealed_because="full" if decision.reason == "full" else "timeout",
        policy_version_min=min(versions),
        policy_version_max=max(versions),
        members=tuple(members),
        chains=(),
        tokens_sha256=_UNKNOWN,
        routed_experts=tuple(side_files),
    )
    return encode_sealed(event, [chain.packed(index) for index, chain in owned])


def _report(episodes: Iterable[EpisodeDecision], groups: Iterable[GroupDecision]) -> None:
    for episode in episodes:
        if episode.reason is not None:
            _logger.warning(
                "episode %s of %s: %s, %s", episode.episode_id, episode.task_id, episode.verdict, episode.reason
            )
    for group in groups:
        what = f"sealed with {len(group.members)}" if group.sealed else "rejected"
        _logger.info("group %s of %s: %s, %s", group.group_id, group.task_id, what, group.reason)
