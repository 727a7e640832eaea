"""Readers of a SQLite log, and the lock row that keeps one live member per consumer group.

A member is a row of `members`: an epoch that rises with every new member, its host, pid and the start time of
that process, and a heartbeat. A member counts as dead when its process is gone from this host (at once) or when
its heartbeat is LEASE_S old (another host name, as between containers, or a stopped process). Whoever takes over
raises the epoch; every write of the old member checks it, so a woken zombie is refused.
"""

import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import msgspec
import psutil  # type: ignore[import-untyped]

from trajlog.errors import LogError, RoleBusy
from trajlog.schemas.record import Headers
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.positions import check_position
from trajlog.stream.sqlite_clock import now_us
from trajlog.stream.sqlite_file import OFFSET_BITS, connect, mapped_errors

if TYPE_CHECKING:
    from trajlog.stream.sqlite import SqliteLog

LEASE_S = 20.0
HEARTBEAT_S = 5.0
MAX_POLL_BYTES = 64 * 1024 * 1024
_MAX_WAIT_S = 0.05
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SqliteReader:
    """A cursor over partitions with its own connection; waits by `PRAGMA data_version`, which costs microseconds."""

    def __init__(self, log: "SqliteLog", positions: Mapping[TopicPartition, int]) -> None:
        self._log = log
        self._positions = dict(positions)
        self._paused: set[TopicPartition] = set()
        self._turn = 0  # which partition is read first, so that none starves behind a busy one
        self._seen_version = -1  # data_version at the last scan that found nothing
        with mapped_errors(log.path):
            self._connection = connect(log.path)

    def poll(self, timeout_s: float, max_records: int = 1000) -> list[LogRecord]:
        deadline = time.monotonic() + timeout_s
        wait_s = 0.001
        while True:
            with mapped_errors(self._log.path):
                (version,) = self._connection.execute("PRAGMA data_version").fetchone()
                if version != self._seen_version:
                    records = self._scan(max_records)
                    if records:
                        return records
                    self._seen_version = version
            remaining_s = deadline - time.monotonic()
            if remaining_s <= 0:
                self._log.check_moved()
                return []
            time.sleep(min(wait_s, remaining_s))
            wait_s = min(2 * wait_s, _MAX_WAIT_S)

    def _scan(self, max_records: int) -> list[LogRecord]:
        """One look at every partition, in one snapshot."""
        active = sorted(self._positions.keys() - self._paused)
        if not active:
            return []
        self._turn = (self._turn + 1) % len(active)
        records: list[LogRecord] = []
        num_bytes = 0
        self._connection.execute("BEGIN")
        try:
            self._check_membership()
            for tp in active[self._turn :] + active[: self._turn]:
                if len(records) < max_records and num_bytes < MAX_POLL_BYTES:
                    num_bytes += self._read_partition(
                        tp, records, max_records - len(records), MAX_POLL_BYTES - num_bytes
                    )
        finally:
            self._connection.execute("COMMIT")
        for record in records:
            self._positions[TopicPartition(record.topic, record.partition)] = record.offset + 1
        return records

    def _check_membership(self) -> None:
        """Group readers: raise LogError when another member took this one's place."""

    def _read_partition(self, tp: TopicPartition, records: list[LogRecord], max_records: int, max_bytes: int) -> int:
        """Add the next records of one partition to `records`; returns their bytes (at least one record is read)."""
        partition_id = self._log.partition_ids(tp.topic)[tp.partition]
        position = self._positions[tp]
        query = "SELECT begin_offset, end_offset FROM partitions WHERE id = ?"
        begin, end = self._connection.execute(query, (partition_id,)).fetchone()
        check_position(tp, position, begin, end, self._log.url)
        if position == end:
            return 0
        base = partition_id << OFFSET_BITS
        num_bytes = 0
        query = "SELECT id, append_us, key, headers, value FROM records WHERE id >= ? AND id < ? ORDER BY id LIMIT ?"
        with closing(self._connection.execute(query, (base | position, base | end, max_records))) as rows:
            for row_id, append_us, key, headers, value in rows:
                append_time = _EPOCH + timedelta(microseconds=append_us)
                pairs = _decode_headers(headers)
                records.append(LogRecord(tp.topic, tp.partition, row_id - base, append_time, key, pairs, value))
                num_bytes += len(value) + len(headers)
                if num_bytes >= max_bytes:
                    break
        return num_bytes

    def assignment(self) -> frozenset[TopicPartition]:
        return frozenset(self._positions)

    def position(self, tp: TopicPartition) -> int:
        return self._positions[self._known(tp)]

    def seek(self, tp: TopicPartition, offset: int) -> None:
        self._positions[self._known(tp)] = offset
        self._seen_version = -1

    def pause(self, tps: Iterable[TopicPartition]) -> None:
        self._paused.update(self._known(tp) for tp in tps)

    def resume(self, tps: Iterable[TopicPartition]) -> None:
        self._paused.difference_update(self._known(tp) for tp in tps)
        self._seen_version = -1

    def _known(self, tp: TopicPartition) -> TopicPartition:
        if tp not in self._positions:
            raise LogError(f"{tp.topic}/{tp.partition} is not assigned to this reader: {sorted(self._positions)}")
        return tp

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        raise LogError("a reader without a group has nothing to commit to; use group_reader")

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> "SqliteReader":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class SqliteGroupReader(SqliteReader):
    """The one live member of a consumer group; gets all partitions at its first poll."""

    def __init__(
        self,
        log: "SqliteLog",
        topics: Sequence[str],
        group: str,
        on_assigned: Callable[[frozenset[TopicPartition]], Mapping[TopicPartition, int]] | None,
        on_revoked: Callable[[frozenset[TopicPartition]], None] | None,
    ) -> None:
        self.group = group
        self._topics = tuple(topics)
        self._on_assigned = on_assigned
        self._on_revoked = on_revoked
        with log.write() as connection:
            self.epoch = _join(connection, group)
        super().__init__(log, {})
        self._closed = threading.Event()
        self._heartbeat = threading.Thread(target=self._beat, name=f"heartbeat-{group}", daemon=True)
        self._heartbeat.start()

    def poll(self, timeout_s: float, max_records: int = 1000) -> list[LogRecord]:
        if not self._positions:
            self._assign()
        return super().poll(timeout_s, max_records)

    def _assign(self) -> None:
        for topic in self._topics:
            self._positions |= dict.fromkeys(self._log.begin_offsets(topic), 0)
        self._positions |= self._log.committed(self.group, self._topics)
        if self._on_assigned is not None:
            placed = self._on_assigned(self.assignment())
            self._positions |= {tp: placed[tp] for tp in self._positions.keys() & placed.keys()}

    def _beat(self) -> None:
        while not self._closed.wait(HEARTBEAT_S):
            try:
                with self._log.write() as connection:
                    connection.execute(
                        "UPDATE members SET heartbeat_us = ? WHERE consumer_group = ? AND epoch = ?",
                        (now_us(connection), self.group, self.epoch),
                    )
            except LogError:
                continue  # not lost yet: the lease runs out only if this lasts, and then poll says so

    def _check_membership(self) -> None:
        check_member(self._connection, self.group, self.epoch)

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        with self._log.write() as connection:
            check_member(connection, self.group, self.epoch)
            self._log.store_offsets(connection, self.group, offsets)

    def close(self) -> None:
        self._leave(self._on_revoked)

    def __enter__(self) -> "SqliteGroupReader":
        return self

    def __exit__(self, *exc: object) -> None:
        self._leave(self._on_revoked if exc[0] is None else None)

    def _leave(self, on_revoked: Callable[[frozenset[TopicPartition]], None] | None) -> None:
        if self._closed.is_set():
            return
        try:
            if on_revoked is not None and self._positions:
                on_revoked(self.assignment())
        finally:
            self._closed.set()
            self._heartbeat.join()
            super().close()
            with self._log.write() as connection:
                connection.execute(
                    "UPDATE members SET host = NULL WHERE consumer_group = ? AND epoch = ?",
                    (self.group, self.epoch),
                )


_headers = msgspec.msgpack.Decoder(list[str])


def _decode_headers(encoded: bytes) -> Headers:
    """Pairs of name and value. Bytes that are none (a damaged file) make an undecodable record, not a broken log: they
    are kept, as hexadecimal digits, under the name `undecodable`."""
    try:
        texts = _headers.decode(encoded)
        return tuple(zip(texts[::2], texts[1::2], strict=True))
    except ValueError:
        return (("undecodable", encoded.hex()),)


def live_member(connection: sqlite3.Connection, group: str) -> str | None:
    """Who holds a group now, in words; None when nobody does."""
    query = "SELECT host, pid, pid_started_s, heartbeat_us FROM members WHERE consumer_group = ?"
    row = connection.execute(query, (group,)).fetchone()
    if row is None or row[0] is None:
        return None
    host, pid, started_s, heartbeat_us = row
    age_s = (now_us(connection) - heartbeat_us) / 1e6
    gone = host == socket.gethostname() and not _runs(pid, started_s)
    return None if gone or age_s > LEASE_S else f"pid {pid} on {host}, last seen {max(age_s, 0):.0f} s ago"


def check_member(connection: sqlite3.Connection, group: str, epoch: int) -> None:
    """Raise LogError when the member of that epoch was replaced."""
    query = "SELECT epoch FROM members WHERE consumer_group = ?"
    (current,) = connection.execute(query, (group,)).fetchone()
    if current != epoch:
        raise LogError(
            f"this member of group {group} (epoch {epoch}) was replaced by a newer one (epoch {current}); nothing "
            f"was written. Stop this process: the newer one goes on from the last commit."
        )


def _join(connection: sqlite3.Connection, group: str) -> int:
    holder = live_member(connection, group)
    if holder is not None:
        raise RoleBusy(
            f"group {group} already has a live member: {holder}. Stop that process first, or run a second one "
            f"against a Kafka log, where members share partitions."
        )
    query = "SELECT epoch FROM members WHERE consumer_group = ?"
    row = connection.execute(query, (group,)).fetchone()
    epoch: int = 1 if row is None else row[0] + 1
    pid = os.getpid()
    started_s = _started_s(psutil.Process(pid))
    connection.execute(
        "INSERT OR REPLACE INTO members VALUES (?, ?, ?, ?, ?, ?)",
        (group, epoch, socket.gethostname(), pid, started_s, now_us(connection)),
    )
    return epoch


def _started_s(process: psutil.Process) -> float:
    """When it started, in seconds since the machine did: the wall clock may be set meanwhile."""
    return float(process.create_time() - psutil.boot_time())


def _runs(pid: int, started_s: float) -> bool:
    """Whether that very process lives. Two seconds of tolerance: the start time is known to a second or so."""
    try:
        process = psutil.Process(pid)
        same: bool = abs(_started_s(process) - started_s) < 2.0
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
