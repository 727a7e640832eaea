"""The log: one interface, two engines (sqlite.py, kafka.py), chosen by URL in open.py.

A log holds topics; a topic holds partitions; a partition is an ordered, append-only sequence of records with
offsets 0, 1, 2, ... (Kafka leaves gaps at transaction markers and aborted records). Every record carries the
log's append time: the only clock that a fold may use.

Worked example (one process, embedded)::

    with open_log("sqlite:///runs/demo/log.db", create=True) as log:
        log.create_topics({"demo.rollouts": 4})
        log.append("demo.rollouts", [NewRecord(key=b"g1", headers=(("kind", "generation"),), value=b"...")])
        with log.reader(["demo.rollouts"], start="beginning") as reader:
            for record in reader.poll(timeout_s=1.0):
                print(record.partition, record.offset, record.append_time)
"""

import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from itertools import chain
from typing import Literal, NamedTuple, Protocol

import msgspec

from trajlog.errors import LogError, LogIdentityMismatch
from trajlog.schemas.record import Headers, NewRecord

MAX_RECORD_BYTES = 32 * 1024 * 1024
"""Largest key plus headers plus value that either engine accepts; schemas/codec.py splits what is larger."""


class TopicPartition(NamedTuple):
    topic: str
    partition: int


class LogRecord(msgspec.Struct, frozen=True):
    """A record as read. `append_time` is UTC with microseconds (Kafka: milliseconds), set by the log."""

    topic: str
    partition: int
    offset: int
    append_time: datetime
    key: bytes
    headers: Headers
    value: bytes

    def header(self, name: str) -> str | None:
        """The last header of that name (Kafka's `lastHeader`, and what decoding takes), or None."""
        return next((value for key, value in reversed(self.headers) if key == name), None)


def partition_of(key: bytes, num_partitions: int) -> int:
    """Partition of a key: CRC-32 modulo the count, the same in both engines and for ever."""
    return zlib.crc32(key) % num_partitions


def check_size(topic: str, records: Sequence[NewRecord]) -> None:
    """Raise LogError when a record is larger than MAX_RECORD_BYTES; nothing of its batch is appended then."""
    for record in records:
        size = len(record.key) + len(record.value)
        if size + 4 * sum(map(len, chain.from_iterable(record.headers))) <= MAX_RECORD_BYTES:
            continue  # UTF-8 takes at most four bytes a character
        size += sum(len(name.encode()) + len(value.encode()) for name, value in record.headers)
        if size > MAX_RECORD_BYTES:
            raise LogError(
                f"a record of {size} bytes for {topic} (key {record.key!r}, headers {dict(record.headers)}) is "
                f"over the limit of {MAX_RECORD_BYTES} bytes. Split it into parts with schemas/codec.py."
            )


class Transaction(Protocol):
    """Appends and offset commits that happen together or not at all.

    Both are held in memory until the block is left; only then is the log touched, so a process that dies
    inside the block leaves nothing behind, and no lock is held while the block computes.
    """

    def append(self, topic: str, records: Sequence[NewRecord]) -> None: ...

    def commit_offsets(self, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Record for `group` the next offset to read, per partition."""


class Reader(Protocol):
    """A cursor over partitions. Not thread-safe. Close it (it is a context manager)."""

    def poll(self, timeout_s: float, max_records: int = 1000) -> list[LogRecord]:
        """Next records in offset order per partition; [] when none came within `timeout_s`.

        Only committed records are returned. Raises OffsetExpired when retention passed the position,
        LogIdentityMismatch when the position is beyond the end (it was remembered from another log), LogError
        when another member took this reader's place, LogUnavailable when the log cannot be reached for longer
        than the engine's own retry time.
        """

    def assignment(self) -> frozenset[TopicPartition]:
        """Partitions of this reader; a group reader has none before its first poll."""

    def position(self, tp: TopicPartition) -> int:
        """Next offset that poll would return for `tp`."""

    def seek(self, tp: TopicPartition, offset: int) -> None: ...

    def pause(self, tps: Iterable[TopicPartition]) -> None: ...

    def resume(self, tps: Iterable[TopicPartition]) -> None: ...

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit next offsets for this reader's group outside a transaction (group readers only)."""

    def close(self) -> None:
        """Leave the group, after a last on_revoked. Leaving a `with` block by an exception skips on_revoked:
        a state that broke is not to be written."""

    def __enter__(self) -> "Reader": ...

    def __exit__(self, *exc: object) -> None: ...


Start = Literal["beginning", "end"] | datetime | Mapping[TopicPartition, int]
"""Where a reader without a group begins: every partition's first or next offset, the first record appended
at or after a time, or explicit offsets (partitions not named begin at their first offset)."""


class Log(Protocol):
    """A log. Thread-safe for append; readers and transactions belong to one thread each."""

    url: str

    @property
    def identity(self) -> str:
        """Identity of this log's storage, to store beside every remembered offset.

        SQLite: a UUID. Kafka: the cluster id and the id of each topic, so it grows with new topics. Compare
        with `check_identity` (or `same_log`), never with ==.
        """

    def create_topics(self, topics: Mapping[str, int]) -> None:
        """Create topics with their partition counts; a topic that exists with the same count is left as it is.

        Raises ConfigError when it exists with another count (a run's count never changes).
        """

    def num_partitions(self, topic: str) -> int:
        """Partitions of a topic; raises LogError naming the topic when it does not exist."""

    def topics(self) -> Mapping[str, int]:
        """All topics with their partition counts."""

    def append(self, topic: str, records: Sequence[NewRecord]) -> None:
        """Append records in order; on return all are durable and acknowledged.

        SQLite: one transaction, all or none. Kafka: order per partition is kept; every send future is checked.
        Raises LogFull, LogUnavailable, LogError (topic missing, record too large).
        """

    def begin_offsets(self, topic: str) -> dict[TopicPartition, int]:
        """First offset still held, per partition."""

    def end_offsets(self, topic: str, *, committed: bool = True) -> dict[TopicPartition, int]:
        """Next offset to be assigned, per partition. Kafka: the last stable offset, up to which records can be read
        now; with `committed=False` the high watermark, behind what transactions that are still open wrote."""

    def reader(self, topics: Sequence[str], start: Start) -> Reader:
        """A reader of all partitions of `topics`, without a group: tail, replay, folds of .control."""

    def group_reader(
        self,
        topics: Sequence[str],
        group: str,
        on_assigned: Callable[[frozenset[TopicPartition]], Mapping[TopicPartition, int]] | None = None,
        on_revoked: Callable[[frozenset[TopicPartition]], None] | None = None,
        *,
        cooperative: bool = False,
    ) -> Reader:
        """A member of a consumer group; it starts at committed offsets, else at offset 0 (OffsetExpired where retention
        dropped that: what a group never read is lost to it).

        `on_assigned` gets the whole assignment each time (empty where there are more members than partitions) and
        may return offsets to start at instead (the archiver's txn + 1, the assembler's low water). What is kept
        for partitions outside of it is to be dropped: a member that lost its place by silence gets no on_revoked.
        `on_revoked` is called before partitions go to another member, while writing for them is still allowed.
        Both are called while poll waits for them (on_revoked in close, too), on Kafka in another thread; neither
        may poll. A rebalance resumes paused partitions.
        `cooperative`: a rebalance takes only those partitions away that move. `on_assigned` gets those that are new,
        `on_revoked` those that leave; all others keep their positions and their pause. Not for transactions, whose
        producer belongs to a whole assignment. All members of a group must say the same.
        SQLite: one live member per group, held by a lock row with an epoch (RoleBusy otherwise).
        """

    def committed(self, group: str, topics: Sequence[str]) -> dict[TopicPartition, int]:
        """Committed next offsets of a group; partitions without one are left out."""

    def transaction(self, reader: Reader | None = None) -> AbstractContextManager[Transaction]:
        """Open a transaction; leaving the block commits it, an exception aborts it.

        `reader` is the group reader whose membership guards commit_offsets: a member that was replaced
        (rebalance, lock row taken over) gets LogError and nothing is written. Without a reader,
        commit_offsets is for groups that have no live member. LogUnavailable means that the outcome is unknown
        (Kafka): stop, and start again from what is committed; do not try the block again.
        """

    def truncate(self, topic: str, partition: int, before_offset: int) -> None:
        """Retention: drop records below an offset. Readers that still need them get OffsetExpired."""

    def close(self) -> None: ...

    def __enter__(self) -> "Log": ...

    def __exit__(self, *exc: object) -> None: ...


def same_log(remembered: str, current: str, topics: Iterable[str] | None = None) -> bool:
    """Whether two identities are of one log: the same storage, and no topic in both with different ids.

    An identity is `<storage>` or `<storage>;<topic>=<id>;...`. Topics in only one of them do not count (they
    came or went); `topics` limits the comparison to those named.
    """
    (storage, *old), (storage_now, *new) = remembered.split(";"), current.split(";")
    ids = dict(entry.split("=", 1) for entry in old)
    ids_now = dict(entry.split("=", 1) for entry in new)
    compared = ids.keys() & ids_now.keys() & (ids.keys() if topics is None else set(topics))
    return storage == storage_now and all(ids[topic] == ids_now[topic] for topic in compared)


def check_identity(log: Log, remembered: str, where: str, topics: Iterable[str] | None = None) -> None:
    """Raise LogIdentityMismatch when offsets remembered `where` belong to another log.

    `topics`: those whose offsets are remembered; without it every topic of both identities is compared.
    """
    if not same_log(remembered, log.identity, topics):
        raise LogIdentityMismatch(
            f"{where} remembers offsets of log {remembered}, but {log.url} is log {log.identity}. "
            f"The log was recreated or the path is wrong. Point --log at the old log, or start a new run "
            f"directory for the new one."
        )
