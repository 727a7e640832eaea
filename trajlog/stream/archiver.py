"""The archiver: every record of .rollouts, .groups and .control into the archive, each offset exactly once.

Consumes the three topics as a member of a consumer group. Produces rows of the Delta table (archive.py). Waits for
records, or for a flush to be due: `flush_bytes` of records or MAX_RECORDS of them wait, or the oldest waits for
`flush_s`. Unblocked by any append. On Kafka several archivers share the partitions; on SQLite there is one.

Durable steps of a flush: 1 data files; 2 one Delta commit with the rows and the last offset covered of every partition;
3 the group's offsets, a hint for lag displays. It may die between any two: before 2 nothing happened (orphan files),
after 2 everything did, and a restart goes on where the table says.
"""

import logging
import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from trajlog.config import ArchiveConfig, RunConfig
from trajlog.errors import ConfigError, LogError
from trajlog.private_folder import make_private
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import Tidied, tidy_archive
from trajlog.stream.archive_rows import MAX_RECORDS, PartitionRows
from trajlog.stream.log import Log, Reader, TopicPartition

URL_FILE = "archive.url"
POLL_S = 0.2
DRAIN_S = 30.0
"""When asked to stop it still archives what is in the log by then, for at most so long."""

_log = logging.getLogger(__name__)


def archived_topics(config: RunConfig) -> list[str]:
    """Topics that are archived: all but .liveness."""
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
    with archiver, log.group_reader(topics, group, archiver.assigned, archiver.revoked) as reader:
        archiver.run(reader, stop)


class Archiver:
    """One member's state: the rows of its partitions that are not committed yet."""

    def __init__(self, log: Log, archive: Archive, config: ArchiveConfig) -> None:
        self._log = log
        self._archive = archive
        self._config = config
        self._rows: dict[TopicPartition, PartitionRows] = {}
        self._reader: Reader | None = None
        self._waiting_since: float | None = None
        self._tidied = archive.version // config.compact_every_commits
        self._maintenance = ThreadPoolExecutor(1, thread_name_prefix="archive-tidy")
        self._tidying: Future[Tidied] | None = None

    def __enter__(self) -> "Archiver":
        return self

    def __exit__(self, *exc: object) -> None:
        self._maintenance.shutdown(wait=True)

    def run(self, reader: Reader, stop: threading.Event) -> None:
        """Poll, and flush when due, until `stop`; then drain."""
        self.step(reader)
        while not stop.is_set():
            self.step(reader)
        self._drain(reader)

    def step(self, reader: Reader, timeout_s: float = POLL_S) -> None:
        """One poll, and a flush if one is due."""
        self._reader = reader
        records = reader.poll(timeout_s)
        owned = reader.assignment()
        for lost in self._rows.keys() - owned:  # without on_revoked: the membership was lost, another member has them
            del self._rows[lost]
        for record in records:
            self._rows[TopicPartition(record.topic, record.partition)].add(record)
        if not records:
            self._note_gaps(reader)
        if self._due():
            self.flush()

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
        return (
            now - self._waiting_since >= self._config.flush_s
            or sum(rows.num_bytes for rows in self._rows.values()) >= self._config.flush_bytes
            or sum(rows.num_records for rows in self._rows.values()) >= MAX_RECORDS
        )

    def flush(self, leaving: frozenset[TopicPartition] = frozenset()) -> None:
        """Commit all rows that are whole. Partitions that another archiver wrote go on behind its last offset."""
        pending = [rows.take() for rows in self._rows.values() if rows.ready()]
        self._waiting_since = None
        if not pending:
            return
        started = time.monotonic()
        refused = self._archive.commit(pending)
        done = {p.tp: p.last + 1 for p in pending if p.tp not in refused}
        num_rows = sum(entry.num_rows for p in pending if p.tp in done for entry in p.entries)
        _log.info("archived %d rows of %d partitions in %.2f s", num_rows, len(done), time.monotonic() - started)
        for tp, covered in refused.items():
            _log.warning("%s/%d was archived by another archiver up to %s", tp.topic, tp.partition, covered)
            if tp not in leaving and self._reader is not None:
                self._reader.seek(tp, self._begin(tp, covered))
        if not leaving:
            self._hint(done)
        self._tidy_if_due()

    def _hint(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Commit group offsets. Nothing depends on them, so a rebalance that forbids it is no error: poll tells."""
        try:
            if self._reader is not None and offsets:
                self._reader.commit(offsets)
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
        """Archive what was in the log when the stop came; then the rest of what is whole."""
        ends: dict[TopicPartition, int] = {}
        for topic in {tp.topic for tp in self._rows}:
            ends |= self._log.end_offsets(topic)
        deadline = time.monotonic() + DRAIN_S
        while time.monotonic() < deadline and any(reader.position(tp) < ends[tp] for tp in self._rows):
            self.step(reader, timeout_s=POLL_S)
        self._note_gaps(reader)
        self.flush()

    def assigned(self, tps: frozenset[TopicPartition]) -> Mapping[TopicPartition, int]:
        """New partitions: go on behind what the table covers."""
        self._archive.reload()
        return {tp: self._begin(tp, self._archive.covered(tp)) for tp in tps}

    def _begin(self, tp: TopicPartition, covered: int | None) -> int:
        start = self._log.begin_offsets(tp.topic)[tp] if covered is None else covered + 1
        self._rows[tp] = PartitionRows(tp, start, covered)
        return start

    def revoked(self, tps: frozenset[TopicPartition]) -> None:
        """Partitions go to another member: commit what is whole, drop the rest (the next member reads it again)."""
        self.flush(leaving=tps)
        for tp in tps:
            self._rows.pop(tp, None)
