"""The file of a SQLite log: its tables, creating it, connecting to it, and what its errors mean.

One row of `records` per record; `id` is `partition_id << OFFSET_BITS | offset`, so a partition is one contiguous
range of the table's B-tree and an offset range is one range scan. Offsets of a partition have no gaps.

The file is made under a temporary name and linked into place, so no process ever opens a half-made log. It is for its
owner alone (0600; SQLite gives -wal and -shm the same mode), because whoever reads a log must be able to write to it.
"""

import errno
import os
import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from trajlog.errors import ConfigError, LogFull, LogUnavailable
from trajlog.private_folder import make_private
from trajlog.stream.sqlite_clock import BOOTS

APPLICATION_ID = 0x746C6F67  # "tlog", in the header of the file: tells our logs from other SQLite files
FORMAT_VERSION = 1
OFFSET_BITS = 42  # up to 4.4e12 records in a partition, 2 million partitions in a log
BUSY_TIMEOUT_S = 30.0
"""How long a writer waits for the writers of other processes before LogUnavailable."""

_TABLES = """
CREATE TABLE log (identity TEXT NOT NULL);
CREATE TABLE partitions (
    id INTEGER PRIMARY KEY,
    topic TEXT NOT NULL,
    partition INTEGER NOT NULL,
    begin_offset INTEGER NOT NULL DEFAULT 0,  -- first offset held
    end_offset INTEGER NOT NULL DEFAULT 0,    -- next offset to assign
    last_append_us INTEGER NOT NULL DEFAULT 0,
    UNIQUE (topic, partition)
);
CREATE TABLE records (
    id INTEGER PRIMARY KEY,
    append_us INTEGER NOT NULL,  -- microseconds since 1970-01-01 UTC; never falls within a log
    key BLOB NOT NULL,
    headers BLOB NOT NULL,       -- MessagePack list: name, value, name, value, ...
    value BLOB NOT NULL
);
CREATE TABLE committed (
    consumer_group TEXT NOT NULL,
    partition_id INTEGER NOT NULL,
    next_offset INTEGER NOT NULL,
    PRIMARY KEY (consumer_group, partition_id)
) WITHOUT ROWID;
CREATE TABLE members (
    consumer_group TEXT PRIMARY KEY,
    epoch INTEGER NOT NULL,         -- rises by one with every new member
    host TEXT,                      -- null: the last member left
    pid INTEGER,
    pid_started_s REAL,             -- since the machine started; tells a reused pid from the member
    heartbeat_us INTEGER
) WITHOUT ROWID;
"""


def connect(path: Path) -> sqlite3.Connection:
    """An autocommit connection usable from any one thread at a time; every commit is on disk before it returns."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA wal_autocheckpoint = 4000")  # pages of 4 KiB
    connection.execute("PRAGMA journal_size_limit = 67108864")
    return connection


def create_file(path: Path) -> None:
    """Make a new log at `path` unless one is there; of several processes that try, one wins and all go on."""
    if path.exists():
        return
    make_private(path.parent)
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with closing(sqlite3.connect(draft, isolation_level=None)) as connection:
            (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
            if mode != "wal":
                raise ConfigError(
                    f"{path.parent} cannot hold a SQLite log: its file system has no shared memory maps "
                    f"(journal mode {mode}). Put the log on a local disk."
                )
            connection.executescript(
                f"BEGIN; PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FORMAT_VERSION};"
                f"{_TABLES} {BOOTS}; COMMIT;"
            )
            connection.execute("INSERT INTO log VALUES (?)", (str(uuid.uuid4()),))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass  # another process was first: its log is the log
        except OSError as error:
            if error.errno not in (errno.EPERM, errno.ENOTSUP):
                raise
            os.rename(draft, path)  # a file system without hard links
    finally:
        for suffix in ("", "-wal", "-shm"):
            Path(f"{draft}{suffix}").unlink(missing_ok=True)


def check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise ConfigError unless `path` is a log of the version that this program writes."""
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application_id != APPLICATION_ID:
        raise ConfigError(f"{path} is a SQLite database but not a trajlog log. Point --log at another path.")
    if version != FORMAT_VERSION:
        raise ConfigError(
            f"{path} is a log of format {version}; this trajlog reads format {FORMAT_VERSION}. "
            f"Use the trajlog version that wrote it."
        )


@contextmanager
def mapped_errors(path: Path) -> Iterator[None]:
    """Turn sqlite3 and OS errors into ours."""
    try:
        yield
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "")
        if name in ("SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_SHMOPEN"):
            raise LogFull(
                f"no space to append to {path} ({error}); nothing of the batch was written. "
                f"Free space on its disk (or raise the quota or file size limit) and start again."
            ) from error
        if name == "SQLITE_NOTADB":
            raise ConfigError(f"{path} is not a SQLite log ({error}). Point --log at another path.") from error
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise LogUnavailable(
                f"another process held the write lock of {path} for over {BUSY_TIMEOUT_S:.0f} s. "
                f"Look for a stopped trajlog process, or an open `sqlite3` shell on that file, and end it."
            ) from error
        raise LogUnavailable(
            f"{path} cannot be used now: {name or type(error).__name__}: {error}. "
            f"Check that the disk is healthy and that this user may read and write the file and its folder."
        ) from error
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise LogFull(f"no space for {path}: {error}. Free space on its disk and start again.") from error
        raise LogUnavailable(f"{path} cannot be used: {error}. Check the path and its permissions.") from error
