"""Reading `.groups`: the queue of sealed groups that are neither trained nor rejected."""

import logging
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from trajlog.config import RunConfig
from trajlog.errors import LogUnavailable
from trajlog.learner.consumption import JudgedGroup, QueuedGroup, judge, next_offsets
from trajlog.schemas import GroupSealed, RejectedGroup
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import Log, LogRecord, TopicPartition

JOIN_S = 60.0
"""Longest that a consumer group may take to give the learner its partitions."""

_logger = logging.getLogger(__name__)


class Intake:
    """A group reader of `.groups` with its queue, in offset order per partition. A context manager.

    `rejected` collects what `take` refused since the last train_step, `overlong_outcomes` the outcomes of the members
    that made groups too small by their length.
    """

    def __init__(self, log: Log, config: RunConfig, offsets: Mapping[TopicPartition, int]) -> None:
        """`offsets`: where to begin, per partition (those not named begin at the first offset held or committed)."""
        self._config = config
        self._url = log.url
        self._offsets = dict(offsets)
        self._decoder = Decoder(config.run_id)
        self.queue: deque[QueuedGroup] = deque()
        self.rejected: list[RejectedGroup] = []
        self.overlong_outcomes: list[str] = []
        self._undecodable: list[str] = []
        """Names of groups whose records cannot be read, until `take` rejects them."""
        self.consumer = f"{config.log.prefix}.learner"
        self.reader = log.group_reader([config.topic("groups")], self.consumer, self._assigned)

    def join(self) -> None:
        """Read until the partitions are assigned. Raises LogUnavailable when that takes longer than JOIN_S."""
        deadline = time.monotonic() + JOIN_S
        while not self.reader.assignment():
            self._enqueue(self.reader.poll(0.2))
            if time.monotonic() > deadline:
                raise LogUnavailable(
                    f"{self._url} gave the learner no partition within {JOIN_S:.0f} s. Check the broker's health and "
                    "that no other learner of this run is alive, then start again."
                )

    def read(self, timeout_s: float) -> bool:
        """Queue what comes within `timeout_s`; returns whether any record came."""
        records = self.reader.poll(timeout_s)
        self._enqueue(records)
        return bool(records)

    def take(self, count: int, policy_version: int, consumed: AbstractSet[str]) -> list[JudgedGroup]:
        """The next groups to train, at most `count`, left in the queue; refused and known ones leave it.

        `consumed` are groups of the surviving history: a group is read again after a restart, or was sealed twice.
        """
        ready: dict[str, JudgedGroup] = {}
        refused = {rejection.group_id for rejection in self.rejected}
        readable = {str(entry.group.group_id) for entry in self.queue}
        for name in dict.fromkeys(self._undecodable):
            if name not in consumed | refused | readable:
                refused.add(name)
                self.rejected.append(RejectedGroup(name, "undecodable"))
        self._undecodable.clear()
        for entry in list(self.queue):
            name = str(entry.group.group_id)
            if len(ready) == count and name not in ready:
                break
            judged = judge(entry, policy_version, self._config)
            if name in consumed or name in refused or name in ready:
                self.queue.remove(entry)
            elif judged.reason is None:
                ready[name] = judged
            else:
                refused.add(name)
                self.reject([judged], judged.reason)
                if judged.reason == "overlong":
                    self.overlong_outcomes += [judged.group.members[member].outcome for member in judged.overlong]
        return list(ready.values())

    def reject(self, groups: Sequence[JudgedGroup], reason: str) -> None:
        """Move groups from the queue to `rejected`."""
        self.remove(groups)
        self.rejected += [RejectedGroup(str(judged.group.group_id), reason) for judged in groups]

    def remove(self, groups: Iterable[JudgedGroup]) -> None:
        """Take trained groups out of the queue, as far as they are in it: after a rebalance they are read again."""
        names = {judged.group.group_id for judged in groups}
        self.queue = deque(entry for entry in self.queue if entry.group.group_id not in names)

    def next_offsets(self) -> dict[TopicPartition, int]:
        """Next offsets to read for a learner that starts after what left the queue."""
        partitions = self.reader.assignment()
        positions = {tp: self.reader.position(tp) for tp in partitions}
        return next_offsets(positions, self.queue, {tp: self._decoder.low_water(tp) for tp in partitions})

    def settled(self, offsets: Mapping[TopicPartition, int]) -> None:
        """What was rejected is in the log; a rebalance from now on reads from `offsets`."""
        self._offsets = dict(offsets)
        self.rejected = []
        self.overlong_outcomes = []

    def _assigned(self, partitions: frozenset[TopicPartition]) -> dict[TopicPartition, int]:
        """Partitions come at the first poll, and anew after a rebalance: what was queued of them is read again."""
        self.queue.clear()
        self.rejected.clear()
        self.overlong_outcomes.clear()
        self._undecodable.clear()
        self._decoder = Decoder(self._config.run_id)
        return {tp: self._offsets[tp] for tp in partitions if tp in self._offsets}

    def _enqueue(self, records: Iterable[LogRecord]) -> None:
        for record in records:
            tp = TopicPartition(record.topic, record.partition)
            first = self._decoder.low_water(tp)
            for event in self._decoder.events(record):
                if isinstance(event, GroupSealed):
                    first = record.offset if first is None else first
                    self.queue.append(QueuedGroup(tp, first, event))
            if self._decoder.last_bad is record:
                self._refuse(record)

    def _refuse(self, record: LogRecord) -> None:
        """A record that cannot be read: the archive keeps its bytes. One of this run's own has the name of its group as
        its key, and the group must end in some train_step, since the scheduler waits for it."""
        _logger.warning("cannot read a sealed group: %s", self._decoder.last_error)
        if record.header("run_id") == self._config.run_id:
            self._undecodable.append(record.key.decode("utf-8", "replace"))

    def __enter__(self) -> "Intake":
        self.reader.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self.reader.__exit__(*exc)
