"""The embedded log: one SQLite file in WAL mode, for several processes of one machine.

Every append is one durable transaction (`synchronous = FULL`) under the file's one write lock, so append times
and offsets of all processes are in one order. Readers never block writers.

Durable steps of a transaction, all in one SQLite transaction: 1 check the member's epoch; 2 insert the records;
3 move the end offsets; 4 store the committed offsets; 5 commit. A process that dies before 5 leaves nothing.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec

from trajlog.errors import ConfigError, LogError, LogIdentityMismatch
from trajlog.schemas.record import NewRecord
from trajlog.stream.log import Reader, Start, TopicPartition, Transaction, check_size, partition_of
from trajlog.stream.pending import PendingTransaction
from trajlog.stream.sqlite_clock import now_us
from trajlog.stream.sqlite_file import OFFSET_BITS, check_format, connect, create_file, mapped_errors
from trajlog.stream.sqlite_reader import SqliteGroupReader, SqliteReader, check_member, live_member

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DELETE_ROWS = 1000  # rows dropped per transaction by truncate, so that it never holds the write lock for long


class SqliteLog:
    """A log in one file. Thread-safe: one connection for writing and small questions, under a lock; each reader
    has its own."""

    def __init__(self, url: str, path: Path, create: bool = False) -> None:
        self.url = url
        self.path = path.absolute()
        with mapped_errors(self.path):
            if create:
                create_file(self.path)
            if not self.path.is_file():
                raise ConfigError(
                    f"there is no log at {self.path}. Start a run (`trajlog up`, `trajlog scheduler`), "
                    f"or point --log at the log of an earlier one."
                )
            self._inode = self.path.stat().st_ino
            self._connection = connect(self.path)
            try:
                check_format(self._connection, self.path)
                (self._identity,) = self._connection.execute("SELECT identity FROM log").fetchone()
            except BaseException:
                self._connection.close()
                raise
        self._lock = threading.RLock()
        self._partition_ids: dict[str, list[int]] = {}
        self._encoder = msgspec.msgpack.Encoder()

    @property
    def identity(self) -> str:
        return str(self._identity)

    def check_moved(self) -> None:
        """Raise LogIdentityMismatch when the file was deleted or replaced while open: writes would be lost."""
        try:
            same = self.path.stat().st_ino == self._inode
        except FileNotFoundError:
            same = False
        if not same:
            raise LogIdentityMismatch(
                f"{self.path} was deleted or replaced while in use. Stop every role of this run; restore the file "
                f"with its -wal, or start a new run directory."
            )

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """The shared connection, for short questions."""
        with self._lock, mapped_errors(self.path):
            yield self._connection

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction under the write lock of the file; rolled back by an exception."""
        with self._lock, mapped_errors(self.path):
            self.check_moved()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def create_topics(self, topics: Mapping[str, int]) -> None:
        for topic, count in topics.items():
            if not topic or not 1 <= count <= 1_000_000:
                raise ConfigError(f"topic {topic!r} with {count} partitions: a name and 1..1000000 are needed")
        with self.write() as connection:
            existing = _partition_counts(connection)
            for topic, count in topics.items():
                if topic not in existing:
                    connection.executemany(
                        "INSERT INTO partitions (topic, partition) VALUES (?, ?)",
                        [(topic, partition) for partition in range(count)],
                    )
                elif existing[topic] != count:
                    raise ConfigError(
                        f"topic {topic} in {self.path} has {existing[topic]} partitions, not {count}: the count of a "
                        f"run never changes. Set the partition count to {existing[topic]}, or start a new run."
                    )

    def topics(self) -> Mapping[str, int]:
        with self.read() as connection:
            return _partition_counts(connection)

    def num_partitions(self, topic: str) -> int:
        return len(self.partition_ids(topic))

    def partition_ids(self, topic: str) -> list[int]:
        """Row ids in `partitions`, by partition number. Raises LogError when there is no such topic."""
        ids = self._partition_ids.get(topic)
        if ids is None:
            with self.read() as connection:
                query = "SELECT id FROM partitions WHERE topic = ? ORDER BY partition"
                ids = [row_id for (row_id,) in connection.execute(query, (topic,))]
                if not ids:
                    known = ", ".join(sorted(_partition_counts(connection))) or "none"
                    raise LogError(f"no topic {topic} in {self.path}; its topics: {known}. Create it first.")
            self._partition_ids[topic] = ids
        return ids

    def append(self, topic: str, records: Sequence[NewRecord]) -> None:
        self.partition_ids(topic)
        check_size(topic, records)
        if records:
            with self.write() as connection:
                self._insert(connection, topic, records)

    def _insert(self, connection: sqlite3.Connection, topic: str, records: Sequence[NewRecord]) -> None:
        ids = self.partition_ids(topic)
        (last_us,) = connection.execute("SELECT max(last_append_us) FROM partitions").fetchone()
        append_us = max(now_us(connection), last_us)
        query = "SELECT id, end_offset FROM partitions WHERE topic = ?"
        ends: dict[int, int] = dict(connection.execute(query, (topic,)))
        touched: set[int] = set()
        rows = []
        for record in records:
            partition_id = ids[partition_of(record.key, len(ids))]
            row_id = partition_id << OFFSET_BITS | ends[partition_id]
            headers = self._encoder.encode([text for pair in record.headers for text in pair])
            rows.append((row_id, append_us, record.key, headers, record.value))
            ends[partition_id] += 1
            touched.add(partition_id)
        connection.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?)", rows)
        connection.executemany(
            "UPDATE partitions SET end_offset = ?, last_append_us = ? WHERE id = ?",
            [(ends[partition_id], append_us, partition_id) for partition_id in touched],
        )

    def begin_offsets(self, topic: str) -> dict[TopicPartition, int]:
        return {tp: begin for tp, (begin, _) in self._ranges(topic).items()}

    def end_offsets(self, topic: str, *, committed: bool = True) -> dict[TopicPartition, int]:
        return {tp: end for tp, (_, end) in self._ranges(topic).items()}

    def _ranges(self, topic: str) -> dict[TopicPartition, tuple[int, int]]:
        self.partition_ids(topic)
        with self.read() as connection:
            query = "SELECT partition, begin_offset, end_offset FROM partitions WHERE topic = ? ORDER BY partition"
            return {TopicPartition(topic, p): (begin, end) for p, begin, end in connection.execute(query, (topic,))}

    def reader(self, topics: Sequence[str], start: Start) -> SqliteReader:
        positions: dict[TopicPartition, int] = {}
        for topic in topics:
            ranges = self._ranges(topic)
            if start == "end":
                positions |= {tp: end for tp, (_, end) in ranges.items()}
            elif isinstance(start, datetime):
                positions |= {tp: self._offset_at(tp, *span, start) for tp, span in ranges.items()}
            elif isinstance(start, Mapping):
                positions |= {tp: start.get(tp, begin) for tp, (begin, _) in ranges.items()}
            else:
                positions |= {tp: begin for tp, (begin, _) in ranges.items()}
        return SqliteReader(self, positions)

    def _offset_at(self, tp: TopicPartition, begin: int, end: int, at: datetime) -> int:
        """First offset in [begin, end) appended at or after `at`, else `end`: a search by halves, as append times
        never fall. Rows that retention drops meanwhile count as earlier."""
        base = self.partition_ids(tp.topic)[tp.partition] << OFFSET_BITS
        at_us = (at - _EPOCH) // timedelta(microseconds=1)
        with self.read() as connection:
            while begin < end:
                middle = (begin + end) // 2
                query = "SELECT append_us FROM records WHERE id = ?"
                row = connection.execute(query, (base | middle,)).fetchone()
                if row is None or row[0] < at_us:
                    begin = middle + 1
                else:
                    end = middle
        return begin

    def group_reader(
        self,
        topics: Sequence[str],
        group: str,
        on_assigned: Callable[[frozenset[TopicPartition]], Mapping[TopicPartition, int]] | None = None,
        on_revoked: Callable[[frozenset[TopicPartition]], None] | None = None,
        *,
        cooperative: bool = False,
    ) -> SqliteGroupReader:
        for topic in topics:
            self.partition_ids(topic)
        return SqliteGroupReader(self, topics, group, on_assigned, on_revoked)

    def committed(self, group: str, topics: Sequence[str]) -> dict[TopicPartition, int]:
        offsets: dict[TopicPartition, int] = {}
        for topic in topics:
            self.partition_ids(topic)
            with self.read() as connection:
                query = (
                    "SELECT partition, next_offset FROM committed JOIN partitions ON id = partition_id "
                    "WHERE consumer_group = ? AND topic = ?"
                )
                rows = connection.execute(query, (group, topic))
                offsets |= {TopicPartition(topic, partition): offset for partition, offset in rows}
        return offsets

    @contextmanager
    def transaction(self, reader: Reader | None = None) -> Iterator[Transaction]:
        if reader is not None and not isinstance(reader, SqliteGroupReader):
            raise LogError("transaction(reader=...) takes a group reader of this log; pass none for a plain one")
        pending = PendingTransaction(self)
        yield pending
        if not pending:
            return
        if reader is not None:
            pending.check_group(reader.group)
        with self.write() as connection:
            if reader is not None:
                check_member(connection, reader.group, reader.epoch)
            for topic, records in pending.batches:
                self._insert(connection, topic, records)
            for group, offsets in pending.offsets.items():
                if reader is None:
                    _check_vacant(connection, group)
                self.store_offsets(connection, group, offsets)

    def store_offsets(self, connection: sqlite3.Connection, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        """Write committed offsets inside an open transaction."""
        connection.executemany(
            "INSERT OR REPLACE INTO committed VALUES (?, ?, ?)",
            [(group, self.partition_ids(tp.topic)[tp.partition], offset) for tp, offset in offsets.items()],
        )

    def truncate(self, topic: str, partition: int, before_offset: int) -> None:
        partition_id = self.partition_ids(topic)[partition]
        base = partition_id << OFFSET_BITS
        with self.write() as connection:
            query = "SELECT end_offset FROM partitions WHERE id = ?"
            (end,) = connection.execute(query, (partition_id,)).fetchone()
            if before_offset > end:
                raise LogError(f"cannot drop {topic}/{partition} below {before_offset}: it ends at {end}")
            connection.execute(
                "UPDATE partitions SET begin_offset = max(begin_offset, ?) WHERE id = ?",
                (before_offset, partition_id),
            )
        dropped = _DELETE_ROWS
        while dropped == _DELETE_ROWS:  # in parts; rows below begin_offset are invisible already
            with self.write() as connection:
                dropped = connection.execute(
                    "DELETE FROM records WHERE id IN (SELECT id FROM records WHERE id >= ? AND id < ? LIMIT ?)",
                    (base, base | before_offset, _DELETE_ROWS),
                ).rowcount

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __enter__(self) -> "SqliteLog":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _partition_counts(connection: sqlite3.Connection) -> dict[str, int]:
    return dict(connection.execute("SELECT topic, count(*) FROM partitions GROUP BY topic"))


def _check_vacant(connection: sqlite3.Connection, group: str) -> None:
    member = live_member(connection, group)
    if member is not None:
        raise LogError(f"group {group} has a live member ({member}): pass its reader to transaction()")
