"""The compare-and-swap of the Delta table: who may write what, and what a refused write leaves behind."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from tests.stream.archive_events import archived, new_log, run_config
from tests.stream.roles import WITHIN_S
from trajlog.errors import ArchiveError, ConfigError, LogIdentityMismatch
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archive_rows import PartitionRows, Pending, archive_schema, to_table
from trajlog.stream.log import Log, LogRecord, TopicPartition

CONTROL = TopicPartition("t.control", 0)
TOPICS = ["t.rollouts", "t.groups", "t.control"]
OFFSETS = 'SELECT "offset" FROM a ORDER BY 1'


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with new_log(tmp_path, run_config()) as log:
        yield log


def pending(
    first: int, last: int, follows: int | None = None, tp: TopicPartition = CONTROL, value: bytes = b"v"
) -> Pending:
    """Rows for offsets first..last: one quarantined record each."""
    rows = PartitionRows(tp, first, follows)
    for offset in range(first, last + 1):
        rows.add(LogRecord(*tp, offset, datetime(2026, 11, 30, 12, tzinfo=UTC), b"k", (), value))
    return rows.take()


def offsets(path: Path) -> list[int]:
    return [offset for (offset,) in archived(path, OFFSETS)]


def test_a_zombie_that_begins_again_behind_its_rival_is_refused(log: Log, tmp_path: Path) -> None:
    zombie = Archive.create(tmp_path / "a", log, TOPICS)
    zombie.commit([pending(0, 4)])
    rival = Archive.create(tmp_path / "a", log, TOPICS)
    assert rival.commit([pending(5, 9, follows=4)]) == {}
    assert zombie.commit([pending(5, 7, follows=4)]) == {CONTROL: 9}
    assert zombie.commit([pending(10, 10, follows=9)]) == {}
    assert offsets(tmp_path / "a") == list(range(11))


def test_a_zombie_with_a_fresh_handle_is_refused_too(log: Log, tmp_path: Path) -> None:
    Archive.create(tmp_path / "a", log, TOPICS).commit([pending(0, 9)])
    woken = Archive(tmp_path / "a")
    assert woken.commit([pending(5, 9, follows=4)]) == {CONTROL: 9}
    assert woken.commit([pending(0, 9)]) == {CONTROL: 9}
    assert offsets(tmp_path / "a") == list(range(10))


def test_a_refused_write_leaves_files_that_no_version_lists(log: Log, tmp_path: Path) -> None:
    zombie = Archive.create(tmp_path / "a", log, TOPICS)
    Archive(tmp_path / "a").commit([pending(0, 4)])
    assert zombie.commit([pending(0, 4)]) == {CONTROL: 4}
    orphans = {str(path) for path in (tmp_path / "a").rglob("*.parquet")} - set(zombie.files())
    assert len(orphans) == 1
    assert offsets(tmp_path / "a") == list(range(5))


def test_only_the_partition_that_moved_is_refused_the_others_of_the_flush_are_written(log: Log, tmp_path: Path) -> None:
    mine, other = TopicPartition("t.rollouts", 0), TopicPartition("t.rollouts", 1)
    archive = Archive.create(tmp_path / "a", log, TOPICS)
    Archive(tmp_path / "a").commit([pending(0, 3, tp=other)])
    assert archive.commit([pending(0, 1, tp=mine), pending(0, 1, tp=other)]) == {other: 3}
    assert archived(tmp_path / "a", "SELECT partition, count(*) FROM a GROUP BY 1 ORDER BY 1") == [(0, 2), (1, 4)]
    assert (archive.covered(mine), archive.covered(other)) == (1, 3)


def test_rivals_that_write_beside_each_other_and_a_compactor_and_a_new_column_store_each_offset_once(
    log: Log, tmp_path: Path
) -> None:
    Archive.create(tmp_path / "a", log, TOPICS)
    done = threading.Event()
    failures: list[BaseException] = []

    def write(seed: int) -> None:
        try:
            archive = Archive(tmp_path / "a")
            while (covered := archive.covered(CONTROL)) is None or covered < 120:
                first = 0 if covered is None else covered + 1
                archive.commit([pending(first, first + seed, follows=covered)])
        except BaseException as error:
            failures.append(error)

    def compact() -> None:
        try:
            while not done.is_set():
                tidy_archive(str(tmp_path / "a"))
        except BaseException as error:
            failures.append(error)

    def grow() -> None:
        for name in ("one", "two"):
            while not done.is_set():
                try:
                    column = pa.table({"kind": ["newer"], name: [1]})
                    write_deltalake(str(tmp_path / "a"), column, mode="append", schema_mode="merge")
                    break
                except Exception as error:
                    if "commit" not in str(error).lower() and "changed" not in str(error).lower():
                        failures.append(error)
                        break

    writers = [threading.Thread(target=write, args=(seed,)) for seed in (1, 2, 3)]
    others = [threading.Thread(target=compact), threading.Thread(target=grow)]
    for thread in writers + others:
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in others:
        thread.join()
    assert failures == []
    covered = Archive(tmp_path / "a").covered(CONTROL)
    assert covered is not None
    assert [row[0] for row in archived(tmp_path / "a", OFFSETS)[: covered + 1]] == list(range(covered + 1))


def test_a_column_that_a_newer_archiver_added_stays_and_the_older_one_goes_on(log: Log, tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a", log, TOPICS)
    archive.commit([pending(0, 1)])
    newer = to_table([pending(2, 3, follows=1)]).append_column("later", pa.array([7, 8]))
    write_deltalake(
        DeltaTable(str(tmp_path / "a")),
        newer,
        mode="append",
        schema_mode="merge",
        commit_properties=CommitProperties(app_transactions=[Transaction("t.control-0", 3)]),
    )
    assert archive.commit([pending(2, 2, follows=1)]) == {CONTROL: 3}
    assert archive.commit([pending(4, 4, follows=3)]) == {}
    rows = archived(tmp_path / "a", 'SELECT "offset", later FROM a ORDER BY 1')
    assert rows == [(0, None), (1, None), (2, 7), (3, 8), (4, None)]


def test_tidying_keeps_rows_offsets_and_identity(log: Log, tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a", log, TOPICS)
    for offset in range(12):
        archive.commit([pending(offset, offset, follows=offset - 1 if offset else None)])
    assert len(archive.files()) == 12
    tidy_archive(str(tmp_path / "a"))
    again = Archive.create(tmp_path / "a", log, TOPICS)
    assert (len(again.files()), again.covered(CONTROL)) == (1, 11)
    assert archive.commit([pending(12, 12, follows=11)]) == {}
    assert offsets(tmp_path / "a") == list(range(13))


def test_a_handle_whose_versions_were_cleaned_up_loads_again_and_is_refused(log: Log, tmp_path: Path) -> None:
    sleeper = Archive.create(tmp_path / "a", log, TOPICS)
    rival = Archive(tmp_path / "a")
    for offset in range(5):
        rival.commit([pending(offset, offset, follows=offset - 1 if offset else None)])
    tidy_archive(str(tmp_path / "a"))
    for number in range(rival.version):
        (tmp_path / "a" / "_delta_log" / f"{number:020}.json").unlink(missing_ok=True)
    assert sleeper.commit([pending(0, 3)]) == {CONTROL: 4}
    assert sleeper.commit([pending(5, 5, follows=4)]) == {}
    assert offsets(tmp_path / "a") == list(range(6))


def test_archivers_that_start_together_make_one_table(log: Log, tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        archives = list(pool.map(lambda _: Archive.create(tmp_path / "a", log, TOPICS), range(6)))
    assert {archive.identity for archive in archives} == {log.identity}
    assert [archive.commit([pending(0, 1)]) for archive in archives] == [{}, *[{CONTROL: 1}] * 5]


def test_the_archive_of_another_log_is_refused_by_name(log: Log, tmp_path: Path) -> None:
    Archive.create(tmp_path / "a", log, TOPICS)
    (tmp_path / "other").mkdir()
    with (
        new_log(tmp_path / "other", run_config()) as other,
        pytest.raises(LogIdentityMismatch, match="start a new run directory"),
    ):
        Archive.create(tmp_path / "a", other, TOPICS)


def test_no_archive_and_a_damaged_one_say_what_to_do(log: Log, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="Start an archiver"):
        Archive(tmp_path / "none")
    Archive.create(tmp_path / "a", log, TOPICS)
    (tmp_path / "a" / "_delta_log" / "00000000000000000000.json").write_text("{")
    with pytest.raises(ArchiveError, match="cannot be used"):
        Archive(tmp_path / "a")
    with pytest.raises(ConfigError, match=r"\[ \] in it"):
        Archive(tmp_path / "run[1]")


def test_a_foreign_delta_table_is_not_taken_for_an_archive(log: Log, tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "a"), pa.table({"x": [1]}))
    with pytest.raises(ArchiveError, match="not an archive of trajlog"):
        Archive.create(tmp_path / "a", log, TOPICS)


@pytest.mark.parametrize("name", ["läuf 1", "it's {x} #1"])
def test_a_path_with_odd_characters_works(log: Log, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name / "archive"
    archive = Archive.create(folder, log, TOPICS)
    archive.commit([pending(0, 2)])
    with duckdb.connect() as con:
        create_events_view(con, "a", archive.files())
        assert con.sql('SELECT "offset" FROM a ORDER BY 1').fetchall() == [(0,), (1,), (2,)]


def test_no_column_of_an_event_is_mistaken_for_a_position() -> None:
    names = archive_schema().names
    assert len(names) == len(set(names))
    assert "group_partition" in names


def test_a_folder_that_may_not_be_written_is_an_error_that_says_so(log: Log, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ArchiveError, match="Check the path"):
        Archive.create(tmp_path / "file" / "archive", log, TOPICS)


FULL_DISK = """
import os, resource, signal, sys
from tests.stream.test_archive import CONTROL, pending
from trajlog.stream.archive import Archive

archive = Archive(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
archive.commit([pending(0, 0, value=os.urandom(200_000))])
"""


def test_a_full_disk_is_an_error_that_says_so_and_nothing_is_archived(log: Log, tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a", log, TOPICS)
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path / "a")]
    failed = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S)
    assert failed.returncode == 1
    assert "ArchiveError: cannot write to" in failed.stderr
    assert "Free space" in failed.stderr
    assert archive.commit([pending(0, 0)]) == {}
    assert offsets(tmp_path / "a") == [0]
