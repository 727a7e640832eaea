"""Damaged files are written again from the log, whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deltalake.exceptions import CommitFailedError
from pyarrow import parquet

from tests.stream.archive_events import (
    PRODUCER,
    append,
    archive_all,
    archived,
    episode,
    forget_log,
    new_log,
    run_config,
)
from tests.stream.roles import WITHIN_S
from trajlog.config import config_to_json
from trajlog.errors import ArchiveError
from trajlog.schemas import NewRecord, RunStarted
from trajlog.stream import archive_repair
from trajlog.stream.archive import Archive
from trajlog.stream.archive_accept_loss import accept_loss
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_files import Damage, DataFile, Storage
from trajlog.stream.archive_repair import _holes, repair
from trajlog.stream.archive_rows import PartitionRows, Pending
from trajlog.stream.archiver import archive_location, archived_topics
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.verify import verify

CONFIG = run_config()
ALL = 'SELECT * FROM a ORDER BY topic, partition, "offset", "row"'


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    """A log whose records, some in parts and some undecodable, are archived in four files."""
    with new_log(tmp_path, CONFIG) as log:
        for number in range(4):
            append(log, "t.rollouts", episode(f"g{number}", f"e{number}"), part_bytes=700)
            log.append("t.rollouts", [NewRecord(b"g1", (("kind", "martian"),), bytes([number]))])
            archive_all(log, CONFIG, tmp_path)
        yield log


def files(run_dir: Path) -> list[Path]:
    return [Path(path) for path in Archive(archive_location(run_dir)).files()]


def damage(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def offsets_of(file: Path, tp: TopicPartition) -> list[int]:
    """Offsets of a partition in a file; of a gap the first."""
    rows = parquet.ParquetFile(file).read(columns=["topic", "partition", "offset"]).to_pylist()
    return [row["offset"] for row in rows if (row["topic"], row["partition"]) == tp]


def begun_later(log: Log, run_dir: Path) -> dict[TopicPartition, int]:
    """An archive of `.rollouts` from somewhere in the middle of each partition on; where that is."""
    archive = Archive.create(archive_location(run_dir), log, archived_topics(CONFIG))
    first: dict[TopicPartition, int] = {}
    pending = []
    with log.reader(["t.rollouts"], "beginning") as reader:
        everything = reader.poll(1.0)
    for tp, end in log.end_offsets("t.rollouts").items():
        records = [record for record in everything if TopicPartition(record.topic, record.partition) == tp]
        if not records:
            continue
        heads = [record.offset for record in records if dict(record.headers).get("part", "0") == "0"]
        first[tp] = heads[len(heads) // 2]
        rows = PartitionRows(tp, first[tp], None)
        for record in records[first[tp] :]:
            rows.add(record)
        rows.skip_to(end)
        pending.append(rows.take())
    assert archive.commit(pending) == {}
    assert min(first.values()) > 0
    return first


@pytest.mark.parametrize("compacted", [False, True])
def test_what_damaged_and_missing_files_held_comes_back_from_the_log_as_it_was(
    log: Log, tmp_path: Path, compacted: bool
) -> None:
    if compacted:
        tidy_archive(str(archive_location(tmp_path)), thorough=True)
        append(log, "t.rollouts", episode("g0", "e9"))
        archive_all(log, CONFIG, tmp_path)
    before = archived(archive_location(tmp_path), ALL)
    damaged = files(tmp_path)[:2]
    damage(damaged[0])
    damaged[1].unlink()
    assert len(verify(log, CONFIG, tmp_path).damaged) == 2
    done = repair(log, CONFIG, tmp_path)
    assert {archive_location(tmp_path) / found.path for found in done.damaged} == {*damaged}
    assert sum(len(hole) for holes in done.offsets.values() for hole in holes) > 0
    report = verify(log, CONFIG, tmp_path)
    assert report.ok, str(report)
    assert archived(archive_location(tmp_path), ALL) == before
    assert repair(log, CONFIG, tmp_path) == ((), {})


def test_nothing_is_changed_when_the_log_dropped_what_a_damaged_file_held(log: Log, tmp_path: Path) -> None:
    (tp, _), *_ = sorted(log.end_offsets("t.rollouts").items(), key=lambda item: -item[1])
    log.truncate(*tp, 3)
    before = files(tmp_path)
    for file in before:
        damage(file)
    with pytest.raises(ArchiveError, match=rf"{tp.topic}-{tp.partition} 0\.\.2 any more. Nothing was changed"):
        repair(log, CONFIG, tmp_path)
    assert files(tmp_path) == before


def test_offsets_that_the_log_dropped_are_named_when_sound_files_lie_around_them(log: Log, tmp_path: Path) -> None:
    tp = max(log.end_offsets("t.rollouts").items(), key=lambda item: item[1])[0]
    by_offset = {}
    for file in files(tmp_path):
        if mine := offsets_of(file, tp):
            by_offset[min(mine), max(mine)] = file
    spans = sorted(by_offset)
    assert len(spans) > 1
    first, second = spans[0], spans[1]
    assert first[0] == 0
    damage(by_offset[second])
    log.truncate(*tp, second[0] + 1)
    name = f"{tp.topic}-{tp.partition}"
    with pytest.raises(ArchiveError, match=rf"does not hold {name} {second[0]}\.\.{second[0]} any more"):
        repair(log, CONFIG, tmp_path)


def test_what_was_accepted_as_lost_hinders_no_repair_of_other_files(tmp_path: Path) -> None:
    """The archive's first rows are gaps then, and the log does not hold their offsets either."""
    with new_log(tmp_path, CONFIG) as log:
        append(log, "t.rollouts", episode("g0", "e0") + episode("g1", "e1"))
        for tp, end in log.end_offsets("t.rollouts").items():
            log.truncate(*tp, end // 2)
        Archive.create(archive_location(tmp_path), log, archived_topics(CONFIG))
        assert sum(len(lost) for lost in accept_loss(log, CONFIG, tmp_path).values()) > 0
        archive_all(log, CONFIG, tmp_path)
        (file,) = [
            file
            for file in files(tmp_path)
            if parquet.ParquetFile(file).read(columns=["kind"])["kind"].unique().to_pylist() != ["gap"]
        ]
        damage(file)
        repair(log, CONFIG, tmp_path)
        report = verify(log, CONFIG, tmp_path)
        assert report.ok, str(report)


def test_an_archive_that_began_later_than_its_partition_is_repaired(log: Log, tmp_path: Path) -> None:
    """Nothing before its first offset was ever in a file, so nothing of that is missed."""
    run_dir = tmp_path / "later"
    first = begun_later(log, run_dir)
    for tp, begin in first.items():
        log.truncate(*tp, begin)
    before = archived(archive_location(run_dir), ALL)
    for file in files(run_dir):
        damage(file)
    done = repair(log, CONFIG, run_dir)
    assert {tp: holes[0].start for tp, holes in done.offsets.items()} == first
    assert archived(archive_location(run_dir), ALL) == before
    assert repair(log, CONFIG, run_dir) == ((), {})


def test_what_a_damaged_file_held_before_the_first_sound_row_is_missed_when_the_log_dropped_it(
    log: Log, tmp_path: Path
) -> None:
    """Sound rows from before the log's first offset do not show that nothing lay before them."""
    tp = max(log.end_offsets("t.rollouts").items(), key=lambda item: item[1])[0]
    by_first = {min(rows): file for file in files(tmp_path) if (rows := offsets_of(file, tp))}
    firsts = sorted(by_first)
    assert (firsts[0], len(firsts) > 2) == (0, True)
    damage(by_first[0])
    log.truncate(*tp, firsts[2])
    before = files(tmp_path)
    with pytest.raises(ArchiveError, match=rf"does not hold {tp.topic}-{tp.partition} 0\.\.{firsts[1] - 1} any more"):
        repair(log, CONFIG, tmp_path)
    assert files(tmp_path) == before


def test_files_are_replaced_when_the_delta_log_was_cleaned_up_beside_a_long_repair(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(files(tmp_path)[0])
    damage_of = Storage.damage

    def slow(storage: Storage, file: DataFile) -> Damage | None:
        append(log, "t.rollouts", episode("g0", "e9"))
        archive_all(log, CONFIG, tmp_path)
        forget_log(archive_location(tmp_path))
        return damage_of(storage, file)

    with monkeypatch.context() as patched:
        patched.setattr(Storage, "damage", slow)
        assert len(repair(log, CONFIG, tmp_path).damaged) == 1
    report = verify(log, CONFIG, tmp_path)
    assert report.ok, str(report)


def test_a_file_that_another_repair_replaced_meanwhile_is_an_error_and_nothing_is_written_twice(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(files(tmp_path)[0])
    read = archive_repair._read

    def beaten(*args: Any) -> Iterator[Pending]:
        with monkeypatch.context() as other:
            other.setattr(archive_repair, "_read", read)
            repair(log, CONFIG, tmp_path)
        return read(*args)

    with monkeypatch.context() as patched:
        patched.setattr(archive_repair, "_read", beaten)
        with pytest.raises(ArchiveError, match="repair again"):
            repair(log, CONFIG, tmp_path)
    report = verify(log, CONFIG, tmp_path)
    assert report.ok, str(report)


def test_a_commit_that_came_between_is_an_error_and_changes_nothing(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = files(tmp_path)
    damage(before[0])

    def refused(*_: object, **__: object) -> None:
        raise CommitFailedError("a concurrent transaction deleted the same data")

    with monkeypatch.context() as patched:
        patched.setattr("deltalake.DeltaTable.create_write_transaction", refused)
        with pytest.raises(ArchiveError, match="repair again"):
            repair(log, CONFIG, tmp_path)
    assert files(tmp_path) == before
    repair(log, CONFIG, tmp_path)
    assert verify(log, CONFIG, tmp_path).ok


def test_the_command_says_what_it_replaced(log: Log, tmp_path: Path) -> None:
    started = RunStarted(
        **PRODUCER.stamp("run"),
        config=config_to_json(CONFIG),
        num_partitions=CONFIG.log.num_partitions,
        log_identity=log.identity,
        trajlog_version="test",
    )
    append(log, "t.control", [started])
    archive_all(log, CONFIG, tmp_path)
    file = files(tmp_path)[0]
    command = [sys.executable, "-m", "trajlog", "archive", "repair", "--run-dir", str(tmp_path), "--log", log.url]
    clean = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S)
    assert (clean.stdout, clean.stderr) == ("no file is damaged\n", "")
    damage(file)
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S)
    assert done.stderr == ""
    assert f"{file.name} is damaged: its sha256 is" in done.stdout
    assert "written again from the log" in done.stdout
    assert verify(log, CONFIG, tmp_path).ok


def test_holes_are_the_offsets_that_no_span_has() -> None:
    assert list(_holes([(2, 2), (3, 5), (8, 8)], 0, 10)) == [range(0, 2), range(6, 8), range(9, 11)]
    assert list(_holes([], 4, 6)) == [range(4, 7)]
    assert list(_holes([(0, 6)], 0, 6)) == []
