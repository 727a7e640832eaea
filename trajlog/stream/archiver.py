"""The archiver: every record of .rollouts, .groups and .control into the archive, each offset exactly once.

Consumes the three topics as a member of a consumer group. Produces rows of the Delta table (archive.py). Waits for
records, or for a flush to be due: `flush_bytes` of records or MAX_RECORDS of them wait, or the oldest waits for
`flush_s`. Unblocked by any append. On Kafka several archivers share the partitions; on SQLite there is one.

Durable steps of a flush: 1 data files; 2 one Delta commit with the rows and the last offset covered of every partition;
3 the group's offsets, a hint for lag displays. It may die between any two: before 2 nothing happened (orphan files),
after 2 everything did, and a restart goes on where the table says.

Steps 1 and 2 run in a thread beside polling, one flush at a time, so commits keep their order. What is polled meanwhile
waits for the next flush; when that is full too, the partitions are paused and polls only keep the membership. So memory
holds two flushes and one poll. When partitions go to another member, the flush in flight and one more with the rest of
what is whole have REVOKE_S together; what does not end by then is left to itself, and the compare-and-swap decides
whether it was in time: the next member reads again what the table lacks, and is refused what it has.
"""

import logging
import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple

from trajlog.config import ArchiveConfig, RunConfig
from trajlog.errors import ConfigError, LogError
from trajlog.private_folder import make_private
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import Tidied, tidy_archive
from trajlog.stream.archive_rows import MAX_RECORDS, PartitionRows, Pending
from trajlog.stream.log import Log, Reader, TopicPartition

URL_FILE = "archive.url"
POLL_S = 0.2
PAUSED_POLL_S = 0.05
"""While a flush is awaited. Polls must not be apart or empty then: kafka-python begins a rebalance again that completed
between two of them."""
DRAIN_S = 30.0
"""When asked to stop it still archives what is in the log by then, for at most so long."""
REVOKE_S = 5.0
"""A rebalance waits for flushes for at most so long: half of the time after which a silent member is replaced."""

_log = logging.getLogger(__name__)


def archived_topics(config: RunConfig) -> list[str]:
    """Topics that are archived: all but .liveness and .engines."""
    return [config.topic("rollouts"), config.topic("groups"), config.topic("control")]


def archive_location(run_dir: Path, config: RunConfig | None = None) -> Path | str:
    """Where a run's archive lies: <run-dir>/archive, or the URL that the file <run-dir>/archive.url has.

    With a run's settings, that file is written when they name a URL: commands that know only the run directory find
    the archive by it. Raises ConfigError when it has another URL already.
    """
    note = run_dir / URL_FILE
    noted = note.read_text(encoding="utf-8").strip() if note.exists() else ""
    wanted = config.archive.url if config else ""
    if wanted and noted and wanted != noted:
        raise ConfigError(f"the run's archive.url is {wanted}, but {note} says {noted}. Use another run directory.")
    if wanted and not noted:
        make_private(run_dir)
        fresh = note.with_name(f"{URL_FILE}.{os.getpid()}.tmp")
        fresh.write_text(wanted + "\n", encoding="utf-8")
        fresh.replace(note)
    return wanted or noted or run_dir / "archive"


def run_archiver(log: Log, config: RunConfig, run_dir: Path, stop: threading.Event) -> None:
    """Archive until `stop` is set, then what is in the log by then, and return.

    Raises LogIdentityMismatch when the archive is another log's, OffsetExpired when retention passed what was not
    archived yet, LogError when another member took its place, ArchiveError when the table cannot be written.
    """
    archive = Archive.create(archive_location(run_dir, config), log, archived_topics(config))
    archiver = Archiver(log, archive, config.archive)
    group = f"{config.log.prefix}.archiver"
    topics = archived_topics(config)
    with archiver, log.group_reader(topics, group, archiver.assigned, archiver.revoked, cooperative=True) as reader:
        archiver.run(reader, stop)


class Flight(NamedTuple):
    """A flush that is being written."""

    rows: tuple[PartitionRows, ...]
    """Where the rows came from; a partition that was given away or begun anew since has another object."""
    pending: tuple[Pending, ...]
    started_s: float
    refused: "Future[dict[TopicPartition, int | None]]"


class Archiver:
    """One member's state: the rows of its partitions that are not committed yet, and the flush in flight."""

    def __init__(self, log: Log, archive: Archive, config: ArchiveConfig) -> None:
        self._log = log
        self._archive = archive  # the writing thread's, while a flush is in flight
        self._config = config
        self._rows: dict[TopicPartition, PartitionRows] = {}
        self._hints: dict[TopicPartition, int] = {}
        """Group offsets to commit; none of them is needed."""
        self._reader: Reader | None = None
        self._joined = False
        """The group has said which partitions are ours; it may be none."""
        self._paused = False
        self._waiting_since: float | None = None
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="archive-write")
        self._flight: Flight | None = None
        self._tidied = archive.version // config.compact_every_commits
        self._maintenance = ThreadPoolExecutor(1, thread_name_prefix="archive-tidy")
        self._tidying: Future[Tidied] | None = None

    def __enter__(self) -> "Archiver":
        return self

    def __exit__(self, *exc: object) -> None:
        self._writing.shutdown(wait=True)
        self._maintenance.shutdown(wait=True)

    def run(self, reader: Reader, stop: threading.Event) -> None:
        """Poll, and flush when due, until `stop`; then drain."""
        self.step(reader)
        while not stop.is_set():
            self.step(reader)
        self._drain(reader)

    def step(self, reader: Reader, timeout_s: float = POLL_S) -> None:
        """One poll, and the start of a flush if one is due and none is in flight."""
        self._reader = reader
        if self._flight is not None and self._full():
            self._pause(reader)
            records = reader.poll(min(timeout_s, PAUSED_POLL_S))
        else:
            self._resume(reader)
            records = reader.poll(timeout_s)
        self._keep(reader.assignment())
        self._hint({})
        for record in records:
            self._rows[TopicPartition(record.topic, record.partition)].add(record)
        if not records:
            self._note_gaps(reader)
        if self._flight is not None and self._flight.refused.done():
            self._hint(self._land())
        if self._flight is None and self._due():
            self._launch()

    def _keep(self, owned: frozenset[TopicPartition]) -> None:
        """Drop what is not ours without an on_revoked: the membership was lost, another member has it."""
        for lost in self._rows.keys() - owned:
            del self._rows[lost]

    def _pause(self, reader: Reader) -> None:
        reader.pause(reader.assignment())  # again at each step: a rebalance may have resumed some
        self._paused = True

    def _resume(self, reader: Reader) -> None:
        if self._paused:
            reader.resume(reader.assignment())
            self._paused = False

    def _note_gaps(self, reader: Reader) -> None:
        """Offsets that the reader passed without giving a record hold none."""
        for tp, rows in self._rows.items():
            rows.skip_to(reader.position(tp))

    def _due(self) -> bool:
        now = time.monotonic()
        if not any(rows.ready() for rows in self._rows.values()):
            self._waiting_since = None
            return False
        self._waiting_since = self._waiting_since or now
        return now - self._waiting_since >= self._config.flush_s or self._full()

    def _full(self) -> bool:
        return (
            sum(rows.num_bytes for rows in self._rows.values()) >= self._config.flush_bytes
            or sum(rows.num_records for rows in self._rows.values()) >= MAX_RECORDS
        )

    def flush(self) -> None:
        """Commit all rows that are whole, and wait for it."""
        self._hint(self._finish(None))
        self._launch()
        self._hint(self._finish(None))

    def _launch(self) -> None:
        """Give all rows that are whole to the writing thread. No flush may be in flight."""
        rows = tuple(rows for rows in self._rows.values() if rows.ready())
        self._waiting_since = None
        if rows:
            pending = tuple(partition.take() for partition in rows)
            refused = self._writing.submit(self._archive.commit, pending)
            self._flight = Flight(rows, pending, time.monotonic(), refused)

    def _finish(self, deadline_s: float | None) -> dict[TopicPartition, int]:
        """Wait for the flush in flight until `deadline_s` (monotonic; None: for ever); next offsets as _land()."""
        if self._flight is None:
            return {}
        wait([self._flight.refused], None if deadline_s is None else max(deadline_s - time.monotonic(), 0.0))
        return self._land() if self._flight.refused.done() else {}

    def _land(self) -> dict[TopicPartition, int]:
        """The flush in flight has ended; next offsets of the partitions that it wrote and that are still ours.

        Partitions that another archiver wrote go on behind its last offset. Raises what the writing thread raised.
        """
        flight, self._flight = self._flight, None
        assert flight is not None
        refused = flight.refused.result()
        done = [p for p in flight.pending if p.tp not in refused]
        num_records = sum(len(p.entries) for p in done)
        seconds = time.monotonic() - flight.started_s
        _log.info("archived %d offsets of %d partitions in %.2f s", num_records, len(done), seconds)
        ours = [(rows, p) for rows, p in zip(flight.rows, flight.pending, strict=True) if self._rows.get(p.tp) is rows]
        for _, p in ours:
            if p.tp in refused:
                _log.warning("%s/%d was archived by another archiver up to %s", *p.tp, refused[p.tp])
                self._begin_again(p.tp, refused[p.tp])
        self._tidy_if_due()
        return {p.tp: p.last + 1 for _, p in ours if p.tp not in refused}

    def _begin_again(self, tp: TopicPartition, covered: int | None) -> None:
        if self._reader is not None and tp in self._reader.assignment():
            self._reader.seek(tp, self._begin(tp, covered))
        else:
            del self._rows[tp]

    def _hint(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit group offsets, for those who look at the group's lag. Nothing else depends on them, so a rebalance
        that forbids it is no error: they are committed later."""
        self._hints = {tp: offset for tp, offset in {**self._hints, **offsets}.items() if tp in self._rows}
        if self._reader is None or not self._hints:
            return
        try:
            self._reader.commit(self._hints)
            self._hints = {}
        except LogError as error:
            _log.info("group offsets not committed: %s", error)

    def _tidy_if_due(self) -> None:
        """Every `compact_every_commits` versions, in a thread of its own: polling goes on meanwhile."""
        if self._tidying is not None and self._tidying.done():
            self._tidying.result()
            self._tidying = None
        due = self._archive.version // self._config.compact_every_commits
        if due > self._tidied and self._tidying is None:
            self._tidied = due
            self._tidying = self._maintenance.submit(tidy_archive, self._archive.location)

    def _drain(self, reader: Reader) -> None:
        """Archive what was in the log when the stop came; then the rest of what is whole.

        A stop may come while this member still joins: nobody else may be there to archive its partitions.
        """
        deadline = time.monotonic() + DRAIN_S
        while time.monotonic() < deadline and not self._joined:
            self.step(reader)
        ends: dict[TopicPartition, int] = {}
        for topic in {tp.topic for tp in self._rows}:
            ends |= self._log.end_offsets(topic)
        while time.monotonic() < deadline and any(reader.position(tp) < ends[tp] for tp in self._rows):
            self.step(reader, timeout_s=POLL_S)
        self._note_gaps(reader)
        self.flush()

    def assigned(self, tps: frozenset[TopicPartition]) -> Mapping[TopicPartition, int]:
        """New partitions: go on behind what the table covers."""
        self._joined = True
        newest = Archive(self._archive.location)  # a handle of its own: a flush may be in flight on the other
        return {tp: self._begin(tp, newest.covered(tp)) for tp in tps}

    def _begin(self, tp: TopicPartition, covered: int | None) -> int:
        start = 0 if covered is None else covered + 1  # not where the log begins by now: that would pass over a loss
        self._rows[tp] = PartitionRows(tp, start, covered)
        if covered is not None:
            self._hints[tp] = start  # its owner before may have been stopped between the table and the group
        return start

    def revoked(self, tps: frozenset[TopicPartition]) -> None:
        """Partitions go to another member: within REVOKE_S commit what is whole, drop the rest (it is read again)."""
        deadline_s = time.monotonic() + REVOKE_S
        self._finish(deadline_s)
        if self._flight is None:
            self._launch()
            self._finish(deadline_s)
        for tp in tps:
            self._rows.pop(tp, None)
