"""The assembler role: reads `.rollouts` as a consumer group, writes sealed groups and verdicts.

Durable steps, all in one transaction of the log: 1 group_sealed to `.groups`; 2 episode and group verdicts to
`.control`; 3 the committed offset: the low water of the groups still open. A process that dies before the
transaction is over leaves nothing; after it, `.control` says which groups have their verdicts, so reading the
overlap again adds none. State is dropped with a partition and built again with it.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from datetime import datetime

from trajlog.config import RunConfig
from trajlog.errors import DecodeError
from trajlog.schemas import (
    EpisodeVerdict,
    Event,
    GroupSealed,
    GroupVerdict,
    Member,
    NewRecord,
    PolicyPublished,
    Producer,
    encode,
)
from trajlog.schemas.sealing import encode_sealed
from trajlog.stream.assembly import Assembly, EpisodeDecision, GroupDecision, Ledger
from trajlog.stream.clock import FoldClock
from trajlog.stream.control import ControlFollower, Stop
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import Log, LogRecord, TopicPartition

POLL_S = 0.2

_UNKNOWN = "0" * 64  # the digest is taken from the token buffers

_KINDS = frozenset({EpisodeVerdict.kind, GroupVerdict.kind, PolicyPublished.kind})
_logger = logging.getLogger(__name__)


def run_assembler(log: Log, config: RunConfig, stop: Stop) -> None:
    """Assemble until `stop` is set. Raises LogError (and RoleBusy on SQLite) when the log refuses this member."""
    with ControlFollower(log, config.topic("control"), _KINDS) as control:
        _Assembler(log, config, control).run(stop)


class _Assembler:
    def __init__(self, log: Log, config: RunConfig, control: ControlFollower) -> None:
        self._log = log
        self._config = config
        self._control = control
        self._rollouts = config.topic("rollouts")
        self._group = f"{config.log.prefix}.assembler"
        self._producer = Producer("assembler")
        self._ledger = Ledger()
        self._clock = FoldClock()
        self._partitions: dict[TopicPartition, tuple[Assembly, Decoder]] = {}
        self._reader = log.group_reader([self._rollouts], self._group, self._assigned, self._revoked)

    def run(self, stop: Stop) -> None:
        with self._reader:
            while not stop.is_set():
                for record in self._reader.poll(POLL_S):
                    self._read(record)
                self._learn_control()
                now = self._time()
                for tp, (assembly, _) in self._partitions.items():
                    decisions = list(assembly.decide(now))
                    if decisions:
                        self._commit(tp, decisions)

    def _assigned(self, partitions: frozenset[TopicPartition]) -> dict[TopicPartition, int]:
        """Called with the whole assignment, so partitions that were lost without a word go too."""
        self._partitions = {tp: (Assembly(self._config, self._ledger), Decoder()) for tp in partitions}
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

    def _learn_control(self) -> None:
        """Read `.control` to its end: verdicts of whoever had these partitions before, of the scheduler, and the
        newest policy version."""
        for record, event in self._control.catch_up():
            self._clock.read(record.append_time, time.monotonic())
            self._ledger.learn(event)
        for assembly, _ in self._partitions.values():
            assembly.settle()

    def _time(self) -> datetime | None:
        """Logical time, or None while records wait unread (at the start, or after this process was held up)."""
        ends = self._log.end_offsets(self._rollouts)
        if any(self._reader.position(tp) < ends[tp] for tp in self._partitions):
            return None
        self._clock.caught_up(time.monotonic())
        return self._clock.now(time.monotonic())

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
            self._ledger.learn(event)
        self._partitions[tp][0].settle()
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
            reason=decision.why or None,
            debugger_fits=decision.debugger_fits,
        )

    def _group_verdict(self, tp: TopicPartition, decision: GroupDecision) -> GroupVerdict:
        assert self._clock.newest is not None
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
    chains = [chain.packed(index) for index, trajectory in enumerate(decision.members) for chain in trajectory.chains]
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
    )
    return encode_sealed(event, chains)


def _report(episodes: Iterable[EpisodeDecision], groups: Iterable[GroupDecision]) -> None:
    for episode in episodes:
        if episode.why:
            _logger.warning(
                "episode %s of %s: %s, %s", episode.episode_id, episode.task_id, episode.verdict, episode.why
            )
    for group in groups:
        what = f"sealed with {len(group.members)}" if group.sealed else "rejected"
        _logger.info("group %s of %s: %s, %s", group.group_id, group.task_id, what, group.reason)
