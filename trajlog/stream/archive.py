"""The archive: one Delta Lake table `events`, written exactly once per offset by compare-and-swap.

A commit holds, together or not at all, the data files of a flush and one `txn` action per partition: application
`<topic>-<partition>`, version = the last offset that the table covers. Where a partition goes on is therefore read
from the table, never from a consumer group.

Delta keeps no order among txn versions: a handle loaded after a rival's commit would be allowed to write the rival's
offsets again. So the check and the write go through one held handle: `transaction_version(app)` of the handle must be
the offset before the first one to write, and the write through that same handle is refused when anyone committed to
that application after the handle was loaded. A refusal changes nothing; the data files of a refused write are orphans
that no version lists, and `archive_compact` removes them. Data files are named by their sha256 (archive_files.py).

The Delta log is kept for LOG_RETENTION only: deltalake lists its whole folder at every commit, so thousands of entries
would slow each one. A handle that was overtaken by it gets an error and loads anew; a writer that slept between looking
for the newest version and putting its own could find that name free again, below the checkpoint that everybody reads.
So each commit is read back: what the table does not show was not written, whatever deltalake answered.

Worked example: the table covers demo.control-0 up to 41::

    archive = Archive.create("runs/demo/archive", log, ["demo.control"])
    archive.covered(TopicPartition("demo.control", 0))                     # 41
    archive.commit([Pending(tp, follows=41, first=42, last=57, ...)])      # {}: done
    archive.commit([Pending(tp, follows=41, first=42, last=60, ...)])      # {tp: 57}: refused, go on at 58
"""

import random
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.dataset as ds
from deltalake import CommitProperties, DeltaTable, Schema, Transaction
from deltalake.exceptions import CommitFailedError, DeltaError, TableNotFoundError

from trajlog.errors import ArchiveError, ConfigError
from trajlog.private_folder import make_private
from trajlog.stream.archive_files import PARTITION, STATISTICS, DataFile, Storage, data_files, write_rows
from trajlog.stream.archive_rows import Pending, archive_schema, to_table
from trajlog.stream.log import Log, TopicPartition, check_identity

_IDENTITY = "trajlog.log_identity"
_TOPICS = "trajlog.topics"
_ATTEMPTS = 30  # of one commit; two rivals and a compactor need one or two
_ATTEMPTS_ON_ERROR = 2  # after other errors: a transaction log cleaned up meanwhile needs one
LOG_RETENTION = "interval 10 minutes"
"""Longer than it takes to load a version, or to write a flush to it."""
_NOT_IN_PATHS = frozenset("%[]\\^|*?")  # delta-rs decodes or refuses them, or DuckDB expands them
_CONFIGURATION = {
    "delta.dataSkippingStatsColumns": ",".join(STATISTICS),
    "delta.logRetentionDuration": LOG_RETENTION,
    "delta.deletedFileRetentionDuration": "interval 25 hours",  # over archive_compact.RETENTION_H; they slow commits
}


class Archive:
    """One held handle on the table. Not thread-safe; open a second Archive for a second thread."""

    def __init__(self, location: str | Path) -> None:
        """Open an archive. Raises ArchiveError when there is none."""
        self.location = _checked(location)
        self._load()

    @classmethod
    def create(cls, location: str | Path, log: Log, topics: Sequence[str]) -> "Archive":
        """Open the archive of `topics` of `log`, making it first where there is none.

        Raises LogIdentityMismatch when it is the archive of another log.
        """
        where = _checked(location)
        with mapped_errors(where):
            if "://" not in where:
                make_private(Path(where))
            if not DeltaTable.is_deltatable(where):
                _create_table(where, {_IDENTITY: log.identity, _TOPICS: " ".join(topics)})
        archive = cls(location)
        archive.check_log(log, topics)
        return archive

    @staticmethod
    def exists(location: str | Path) -> bool:
        """Whether there is a table."""
        where = _checked(location)
        with mapped_errors(where):
            return DeltaTable.is_deltatable(where)

    def check_log(self, log: Log, topics: Sequence[str] | None = None) -> None:
        """Raise LogIdentityMismatch unless this is the archive of `log`."""
        check_identity(log, self.identity, f"the archive {self.location}", topics)

    @property
    def identity(self) -> str:
        """Identity of the log that is archived here."""
        return self._setting(_IDENTITY)

    @property
    def topics(self) -> list[str]:
        """Topics that are archived here."""
        return self._setting(_TOPICS).split()

    def _setting(self, name: str) -> str:
        value = self._table.metadata().configuration.get(name)
        if value is None:
            raise ArchiveError(
                f"{self.location} is a Delta table but not an archive of trajlog. Choose another run directory."
            )
        return str(value)

    @property
    def version(self) -> int:
        """Version of the table that this handle sees."""
        return self._table.version()

    def reload(self) -> None:
        """See the newest version."""
        self._load()

    def _load(self) -> None:
        with mapped_errors(self.location):
            try:
                self._table = DeltaTable(self.location)
            except TableNotFoundError:
                raise
            except DeltaError:  # a clean-up of the Delta log took an entry away while it was being read
                self._table = DeltaTable(self.location)
            self.storage = Storage(self.location, self._table)

    @property
    def table(self) -> DeltaTable:
        """The held handle."""
        return self._table

    @property
    def schema(self) -> pa.Schema:
        """Columns of this version, those that a newer archiver added included."""
        columns: Any = self._table.schema().to_arrow()
        return pa.schema(columns)

    def data_files(self) -> list[DataFile]:
        """Parquet files of this version with the digests of their commits."""
        with mapped_errors(self.location):
            return data_files(self._table)

    def covered(self, tp: TopicPartition) -> int | None:
        """Last offset of a partition that this version covers; None when it has nothing of it.

        To be asked soon after loading: it reads entries of the Delta log, which LOG_RETENTION may take away. The list
        of files stays with the handle.
        """
        with mapped_errors(self.location):
            return self._table.transaction_version(application(tp))

    def files(self) -> list[str]:
        """Parquet files of this version: local paths, or URLs of an object store."""
        with mapped_errors(self.location):
            uris = self._table.file_uris()
        return sorted(uri if "://" in uri else unquote(uri) for uri in uris)

    def source(self, without: Collection[str] = ()) -> list[str] | ds.Dataset:
        """Rows of this version for archive_read.create_events_view: local paths, or a dataset of an object store.

        `without`: files to leave out, relative to the table.
        """
        filesystem = self.storage.filesystem
        if filesystem is None:
            left_out = {str(Path(self.location) / path) for path in without}
            return [path for path in self.files() if path not in left_out]
        with mapped_errors(self.location):
            return ds.dataset(
                [file.path for file in self.data_files() if file.path not in without],
                schema=self.schema,
                format="parquet",
                filesystem=filesystem,
                partitioning=ds.partitioning(pa.schema([(PARTITION, pa.date32())]), flavor="hive"),
            )

    def commit(self, pending: Sequence[Pending]) -> dict[TopicPartition, int | None]:
        """Write rows of some partitions in one commit; returns the partitions that were refused.

        A partition is refused when the table covers something else than `follows`: another archiver wrote it. Its
        value is the last offset covered now; nothing of it was written, the caller goes on behind that offset.
        Steps: 1 compare each partition with the held handle, and when one differs with a new handle (this one may be
        the older one); 2 write data files and txn actions through that handle, one atomic commit; 3 read it back;
        4 when the commit was refused, load a new handle and begin again.
        Raises ArchiveError when it cannot be written at all.
        """
        for attempt in range(_ATTEMPTS):
            try:
                refused = self._refused(pending)
                if refused and attempt == 0:
                    self._load()
                    refused = self._refused(pending)
                ready = [p for p in pending if p.tp not in refused]
                if ready:
                    self._write(ready)
                return refused
            except CommitFailedError as error:
                refusal = error
            except (DeltaError, OSError) as error:
                if attempt >= _ATTEMPTS_ON_ERROR:
                    raise ArchiveError(
                        f"cannot write to {self.location}: {error}. Nothing of it was archived; the log still has it. "
                        f"Free space or repair the path, and start the archiver again."
                    ) from error
            time.sleep(random.uniform(0, min(0.01 * 2**attempt, 1.0)))
            self._load()
        raise ArchiveError(
            f"{self.location} refused a commit {_ATTEMPTS} times, at last with: {refusal}. "
            f"Look for other programs that write to this table, stop them, and start the archiver again."
        )

    def _refused(self, pending: Sequence[Pending]) -> dict[TopicPartition, int | None]:
        covered = {p.tp: self._table.transaction_version(application(p.tp)) for p in pending}
        return {p.tp: covered[p.tp] for p in pending if covered[p.tp] != p.follows}

    def _write(self, ready: Sequence[Pending]) -> None:
        self._grow()
        added = write_rows(self.storage, to_table(ready), data_change=True)
        transactions = [Transaction(application(p.tp), p.last) for p in ready]
        self._table.create_write_transaction(
            added,
            "append",
            self._table.schema(),
            [PARTITION],
            commit_properties=CommitProperties(app_transactions=transactions),
        )
        self._table.update_incremental()
        one = ready[0]  # of one atomic commit: where one is, all are
        if self._table.transaction_version(application(one.tp)) != one.last:
            raise CommitFailedError(f"version {self.version} does not show the commit: its place in the log was stale")

    def _grow(self) -> None:
        """Give the table the columns that this version of trajlog has and the table has not; never a restart."""
        present = {field.name for field in self._table.schema().fields}
        new = [field for field in Schema.from_arrow(archive_schema()).fields if field.name not in present]
        if new:
            self._table.alter.add_columns(new)


def application(tp: TopicPartition) -> str:
    """Name of a partition in the table's txn actions."""
    return f"{tp.topic}-{tp.partition}"


@contextmanager
def mapped_errors(location: str) -> Iterator[None]:
    """Turn errors of delta-rs and of the file system into ArchiveError."""
    try:
        yield
    except TableNotFoundError as error:
        raise ArchiveError(
            f"there is no archive at {location}. Start an archiver (`trajlog up`, `trajlog archiver`), or name "
            f"the run directory of a run that has one."
        ) from error
    except (DeltaError, OSError) as error:
        raise ArchiveError(
            f"the archive {location} cannot be used: {error}. {_advice(location)}; "
            f"if files of its _delta_log are damaged, delete the folder and archive the log again."
        ) from error


def _advice(location: str) -> str:
    if "://" in location:
        return "Check the bucket, and the settings in the environment for its store (keys, region, endpoint)"
    return "Check the path, its permissions and free space"


def _checked(location: str | Path) -> str:
    where = str(location)
    if "://" in where:
        return where.rstrip("/")
    odd = sorted(_NOT_IN_PATHS.intersection(str(Path(where).absolute())))
    if odd:
        raise ConfigError(
            f"the archive's path {where} has {' '.join(odd)} in it, which its readers or writers cannot have. "
            f"Choose a run directory without."
        )
    return str(Path(where).absolute())


def _create_table(location: str, configuration: dict[str, str]) -> None:
    """Make the empty table; of several that try, one wins and its table is the table."""
    try:
        DeltaTable.create(
            location,
            archive_schema(),
            partition_by=[PARTITION],
            name="events",
            configuration=configuration | _CONFIGURATION,
            raise_if_key_not_exists=False,
        )
    except DeltaError:
        if not DeltaTable.is_deltatable(location):
            raise
