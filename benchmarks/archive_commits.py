"""Whether commits to the archive slow down as they grow to thousands: the first hundred beside the last.

    python benchmarks/archive_commits.py                     # 2,000 commits in a temporary folder
    python benchmarks/archive_commits.py --quick             # 200

Each commit holds one small record of one partition, through `Archive.commit`, and every hundred commits the archive is
tidied (merged, checkpointed, vacuumed), timed apart. The commits follow each other at once, but entries of the Delta
log are dated back to one per FLUSH_S, as an archiver at default settings writes them: clean-up goes by age. `peer` is
deltalake's own write_deltalake appending the same rows to a plain table through one held handle, tidied by its own
optimize and checkpoint as often, at its default retention.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from deltalake import DeltaTable, write_deltalake

from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_rows import PartitionRows, Pending, archive_schema, to_table
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.open import open_log

TP = TopicPartition("b.control", 0)
TIDY_EVERY = 100  # as archive.compact_every_commits by default
FLUSH_S = 10.0  # as archive.flush_s by default
VALUE = bytes(range(256)) * 4


def rows(offset: int) -> Pending:
    """One record that nobody can decode: 1 KiB of bytes."""
    partition = PartitionRows(TP, offset, offset - 1 if offset else None)
    partition.add(LogRecord(*TP, offset, datetime.now(UTC), b"key", (("kind", "none"),), VALUE))
    return partition.take()


def timed(count: int, commit: Callable[[int], None], tidy: Callable[[], None], every: int) -> dict[str, list[float]]:
    """Seconds of each commit, by the clock and of processor time, and of each tidying."""
    seconds: dict[str, list[float]] = {"commit": [], "cpu": [], "tidy": []}
    for number in range(count):
        started, used = time.perf_counter(), time.process_time()
        commit(number)
        seconds["commit"].append(time.perf_counter() - started)
        seconds["cpu"].append(time.process_time() - used)
        if every and (number + 1) % every == 0:
            started = time.perf_counter()
            tidy()
            seconds["tidy"].append(time.perf_counter() - started)
    return seconds


def date_back(table: Path, commits: int) -> None:
    """Make the entries of the Delta log older by the time in which that many commits come."""
    for entry in (table / "_delta_log").glob("0*"):  # commits and checkpoints
        written = entry.stat().st_mtime - commits * FLUSH_S
        os.utime(entry, (written, written))


def ours(folder: Path, count: int, every: int) -> dict[str, list[float]]:
    with open_log(f"sqlite:///{folder}/log.db", create=True) as log:
        log.create_topics({TP.topic: 1})
        archive = Archive.create(folder / "archive", log, [TP.topic])

    def commit(number: int) -> None:
        if refused := archive.commit([rows(number)]):
            raise SystemExit(f"refused: {refused}")

    def tidy() -> None:
        date_back(folder / "archive", every)
        tidy_archive(archive.location)

    seconds = timed(count, commit, tidy, every)
    started = time.perf_counter()
    again = Archive(folder / "archive")
    if again.covered(TP) != count - 1:
        raise SystemExit(f"the table covers {again.covered(TP)}, not {count - 1}")
    return seconds | {"open": [time.perf_counter() - started]}


def peer(folder: Path, count: int, every: int) -> dict[str, list[float]]:
    table = DeltaTable.create(str(folder / "peer"), archive_schema(), partition_by=["date"])

    def tidy() -> None:
        date_back(folder / "peer", every)
        table.optimize.compact()
        table.create_checkpoint()
        table.cleanup_metadata()
        table.vacuum(24, dry_run=False, enforce_retention_duration=False, full=True)

    def commit(number: int) -> None:
        write_deltalake(table, to_table([rows(number)]), mode="append")

    return timed(count, commit, tidy, every)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="200 commits instead of 2,000")
    parser.add_argument("--without-tidy", action="store_true", help="neither merge nor checkpoint by ourselves")
    parser.add_argument("--without-peer", action="store_true")
    arguments = parser.parse_args()
    every = 0 if arguments.without_tidy else TIDY_EVERY
    count = 200 if arguments.quick else 2000
    with tempfile.TemporaryDirectory() as folder:
        measured = {"ours": ours(Path(folder), count, every)}
        if not arguments.without_peer:
            measured["peer"] = peer(Path(folder), count, every)
    header = f"{'ms':<8}{'first 100':>12}{'last 100':>12}{'ratio':>8}{'p99':>8}{'cpu, first':>14}{'last':>8}"
    print(f"{header}{'ratio':>8}{'tidy, first':>14}{'last':>8}")
    figures = {}
    for name, seconds in measured.items():
        commits = [1000 * s for s in seconds["commit"]]
        first, last = statistics.mean(commits[:100]), statistics.mean(commits[-100:])
        cpu_first, cpu_last = (1000 * statistics.mean(part) for part in (seconds["cpu"][:100], seconds["cpu"][-100:]))
        p99 = sorted(commits)[len(commits) * 99 // 100]
        tidies = [1000 * s for s in seconds["tidy"]] or [float("nan")]
        row = f"{name:<8}{first:>12.1f}{last:>12.1f}{last / first:>8.2f}{p99:>8.1f}"
        row += f"{cpu_first:>14.1f}{cpu_last:>8.1f}{cpu_last / cpu_first:>8.2f}"
        print(f"{row}{tidies[0]:>14.0f}{tidies[-1]:>8.0f}")
        figures[name] = {
            "first_100_ms": first,
            "last_100_ms": last,
            "cpu_first_100_ms": cpu_first,
            "cpu_last_100_ms": cpu_last,
            "p99_ms": p99,
            "tidy_last_ms": tidies[-1],
        }
    print(f"opening the archive after {count} commits: {1000 * measured['ours']['open'][0]:.0f} ms")
    print(json.dumps({"commits": count, "tidy_every": every, **figures}))


if __name__ == "__main__":
    main()
