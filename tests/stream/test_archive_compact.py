"""Tidying: rows stay, readers of old versions go on, rivals double nothing, damage is refused."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.stream.archive_events import archived, new_log, run_config
from tests.stream.roles import WITHIN_S
from tests.stream.test_archive import CONTROL, TOPICS, offsets, pending
from trajlog.stream import archive_compact
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import TARGET_BYTES, groups, tidy_archive
from trajlog.stream.archive_files import DataFile
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.log import Log

DAY_S = 86_400


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with new_log(tmp_path, run_config()) as log:
        yield log


def filled(log: Log, folder: Path, num_commits: int) -> Archive:
    archive = Archive.create(folder, log, TOPICS)
    for offset in range(num_commits):
        archive.commit([pending(offset, offset, follows=offset - 1 if offset else None)])
    return archive


def age(folder: Path, seconds: float) -> None:
    """Make all data files look as if they had been written so long ago."""
    for path in folder.glob("date=*/*.parquet"):
        os.utime(path, (time.time() - seconds,) * 2)


def file(number: int, num_bytes: int, day: int = 1, digest: str = "0" * 64) -> DataFile:
    name = f"part-{digest}-{number:08x}.parquet" if digest else f"part-{number:05}.zstd.parquet"
    return DataFile(f"date=2026-11-{day:02}/{name}", num_bytes, number, date(2026, 11, day))


def test_a_reader_that_holds_an_old_version_reads_on_while_its_files_are_merged_and_vacuumed(
    log: Log, tmp_path: Path
) -> None:
    archive = filled(log, tmp_path / "a", 12)
    age(tmp_path / "a", 3 * DAY_S)
    held = archive.files()
    with duckdb.connect() as con:
        create_events_view(con, "a", held)
        for _ in range(3):
            done = tidy_archive(str(tmp_path / "a"), thorough=True)
            assert done.num_deleted == 0
            rows = con.sql('SELECT "offset" FROM a ORDER BY 1').fetchall()
            assert rows == [(offset,) for offset in range(12)]
    assert all(Path(path).exists() for path in held)
    assert len(Archive(tmp_path / "a").files()) == 1


def test_files_that_no_version_lists_are_deleted_when_retention_has_passed_and_not_before(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = filled(log, tmp_path / "a", 3)
    assert Archive(tmp_path / "a").commit([pending(0, 0)]) == {CONTROL: 2}
    orphan = tmp_path / "a" / "date=2026-11-30" / "part-orphan.parquet"
    orphan.write_bytes(b"refused")
    merged = archive.files()
    tidy_archive(str(tmp_path / "a"), thorough=True)
    assert orphan.exists()
    age(tmp_path / "a", 2 * DAY_S)
    assert tidy_archive(str(tmp_path / "a")).num_deleted == 1
    assert not orphan.exists()
    assert all(Path(path).exists() for path in merged)
    monkeypatch.setattr(archive_compact, "RETENTION_H", 0)
    assert tidy_archive(str(tmp_path / "a")).num_deleted == len(merged)
    assert not any(Path(path).exists() for path in merged)
    assert offsets(tmp_path / "a") == [0, 1, 2]


def test_removed_files_are_remembered_for_longer_than_they_are_kept(log: Log, tmp_path: Path) -> None:
    configuration = filled(log, tmp_path / "a", 1).table.metadata().configuration
    remembered = configuration["delta.deletedFileRetentionDuration"]
    assert remembered == f"interval {archive_compact.RETENTION_H + 1} hours"


def test_compactions_at_once_and_a_writer_beside_them_double_and_lose_nothing(log: Log, tmp_path: Path) -> None:
    filled(log, tmp_path / "a", 8)

    def write() -> None:
        archive = Archive(tmp_path / "a")
        for offset in range(8, 24):
            assert archive.commit([pending(offset, offset, follows=offset - 1)]) == {}

    with ThreadPoolExecutor(5) as pool:
        writer = pool.submit(write)
        done = [pool.submit(tidy_archive, str(tmp_path / "a"), thorough=True) for _ in range(12)]
        writer.result()
        assert all(future.result().num_files_before for future in done)
    assert offsets(tmp_path / "a") == list(range(24))
    tidy_archive(str(tmp_path / "a"), thorough=True)
    assert len(Archive(tmp_path / "a").files()) == 1


def test_a_compaction_whose_files_a_rival_merged_before_it_began_to_write_is_refused(log: Log, tmp_path: Path) -> None:
    filled(log, tmp_path / "a", 4)
    sleeper = Archive(tmp_path / "a")
    (group,) = groups(sleeper.data_files(), thorough=True)
    tidy_archive(str(tmp_path / "a"), thorough=True)
    assert archive_compact._merge(sleeper, group) is False
    assert archive_compact._merge(sleeper, group) is False
    assert offsets(tmp_path / "a") == [0, 1, 2, 3]


def test_a_writer_asleep_during_a_compaction_goes_on_without_a_loss(log: Log, tmp_path: Path) -> None:
    sleeper = filled(log, tmp_path / "a", 5)
    tidy_archive(str(tmp_path / "a"), thorough=True)
    assert sleeper.commit([pending(5, 6, follows=4)]) == {}
    assert offsets(tmp_path / "a") == list(range(7))


def test_merged_rows_are_sorted_by_kind_and_keep_columns_that_only_a_newer_archiver_knows(
    log: Log, tmp_path: Path
) -> None:
    filled(log, tmp_path / "a", 2)
    newer = pa.table({"kind": ["aaa"], "offset": [7], "later": ["x"], "date": [date(2026, 11, 30)]})
    write_deltalake(DeltaTable(str(tmp_path / "a")), newer, mode="append", schema_mode="merge")
    tidy_archive(str(tmp_path / "a"), thorough=True)
    assert len(Archive(tmp_path / "a").files()) == 1
    rows = archived(tmp_path / "a", 'SELECT kind, "offset", later FROM a')
    assert rows == [("aaa", 7, "x"), ("quarantine", 0, None), ("quarantine", 1, None)]


def test_the_command_says_what_it_did(log: Log, tmp_path: Path) -> None:
    filled(log, tmp_path / "archive", 4)
    command = [sys.executable, "-m", "trajlog", "archive", "compact", "--run-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=True)
    said = "4 files are 1 now\n0 files deleted that no version of the last 24 hours lists\n"
    assert (done.stdout, done.stderr) == (said, "")
    assert offsets(tmp_path / "archive") == [0, 1, 2, 3]
    missing = subprocess.run([*command[:-1], str(tmp_path / "none")], capture_output=True, text=True, timeout=WITHIN_S)
    assert missing.returncode == 1
    assert "there is no archive at" in missing.stderr
    assert "Traceback" not in missing.stderr


def test_groups_hold_files_of_one_date_and_at_most_the_target() -> None:
    draw = random.Random(3)
    files = [
        file(n, draw.choice([1_000, 10**6, TARGET_BYTES // 3, TARGET_BYTES]), draw.randint(1, 3)) for n in range(300)
    ]
    found = groups(files, thorough=True)
    grouped = [f for group in found for f in group]
    assert len(grouped) == len(set(grouped))
    assert all(f.num_bytes < TARGET_BYTES // 2 for f in grouped)
    for group in found:
        assert len({f.date for f in group}) == 1
        assert len(group) > 1
        assert sum(f.num_bytes for f in group) <= TARGET_BYTES


def test_in_the_background_a_row_is_rewritten_about_as_often_as_the_archive_doubles() -> None:
    files: list[DataFile] = []
    rewritten = 0
    for round_ in range(64):
        files += [file(1000 * round_ + n, 1000) for n in range(10)]
        for group in groups(files, thorough=False):
            size = sum(f.num_bytes for f in group)
            rewritten += size
            files = [f for f in files if f not in group] + [file(1000 * round_ + 999, size)]
    assert rewritten <= 640_000 * 7
    assert len(files) <= 12


def test_a_file_without_a_digest_is_rewritten_alone_only_when_asked() -> None:
    alone = [file(1, 3 * TARGET_BYTES, digest="")]
    assert groups(alone, thorough=True) == [alone]
    assert groups(alone, thorough=False) == []
    assert groups([file(1, 5)], thorough=True) == []
