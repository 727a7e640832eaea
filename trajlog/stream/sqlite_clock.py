"""The clock of a SQLite log: the machine's uptime, counted from what the wall clock said at the first use since it
started.

Every process of the machine reads the same uptime, so a wall clock that is set, forwards or backwards, under a run or
for one process of it moves no append time, no lease and no seal timeout. Where the system tells no boot from the next
(not Linux), it is the wall clock.
"""

import sqlite3
import time
from functools import cache
from pathlib import Path

BOOTS = "CREATE TABLE boots (boot_id TEXT PRIMARY KEY, began_us INTEGER NOT NULL)"
"""Per start of the machine, when it was by the log's clock."""


@cache
def _boot_id() -> str | None:
    path = Path("/proc/sys/kernel/random/boot_id")
    return path.read_text().strip() if path.exists() else None


def now_us(connection: sqlite3.Connection) -> int:
    """Microseconds since 1970-01-01 UTC by the log's clock. `connection` is in a transaction under the write lock."""
    boot_id = _boot_id()
    if boot_id is None:
        return time.time_ns() // 1000
    uptime_us = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
    query = "SELECT began_us FROM boots WHERE boot_id = ?"
    try:
        row = connection.execute(query, (boot_id,)).fetchone()
    except sqlite3.OperationalError:  # a log of a version without this table
        connection.execute(BOOTS)
        row = None
    if row is None:
        (last_us,) = connection.execute("SELECT max(last_append_us) FROM partitions").fetchone()
        row = (max(time.time_ns() // 1000, last_us or 0) - uptime_us,)
        connection.execute("INSERT INTO boots VALUES (?, ?)", (boot_id, row[0]))
    return int(row[0]) + uptime_us
