"""The proof: it passes on what the archiver wrote, and names what somebody changed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from tests.stream.archive_events import append, archive_all, archived, episode, forget_log, new_log, run_config
from trajlog.errors import ArchiveError
from trajlog.schemas import NewRecord
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_files import Damage, DataFile, Storage
from trajlog.stream.archiver import archive_location
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.verify import PartitionReport, Report, verify

CONFIG = run_config()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with new_log(tmp_path, CONFIG) as log:
        append(log, "t.rollouts", episode("g", "e1") + episode("g", "e2"))
        log.append("t.rollouts", [NewRecord(b"g", (("kind", "martian"),), b"?")])
        append(log, "t.rollouts", episode("g", "e3"), part_bytes=700)
        archive_all(log, CONFIG, tmp_path)
        yield log


def checked(log: Log, run_dir: Path) -> Report:
    return verify(log, CONFIG, run_dir)


def busy(log: Log) -> TopicPartition:
    (tp,) = [tp for tp, end in log.end_offsets("t.rollouts").items() if end]
    return tp


def partition(report: Report, tp: TopicPartition) -> PartitionReport:
    (found,) = [p for p in report.partitions if (p.topic, p.partition) == tp]
    return found


def table(run_dir: Path) -> DeltaTable:
    return DeltaTable(str(archive_location(run_dir)))


def test_archive_and_log_agree_on_every_record(log: Log, tmp_path: Path) -> None:
    report = checked(log, tmp_path)
    found = partition(report, busy(log))
    assert report.ok, str(report)
    assert (found.start, found.covered, found.log_end) == (0, found.log_end - 1, found.log_end)
    assert found.num_records == found.num_compared == found.log_end
    assert found.num_quarantined == 1
    assert "each exactly once" in str(report)
    assert len(report.partitions) == 5


def test_how_far_the_archiver_is_behind_is_told_and_is_no_difference(log: Log, tmp_path: Path) -> None:
    append(log, "t.rollouts", episode("g", "e4", num_turns=1))
    report = checked(log, tmp_path)
    assert (report.agrees, report.behind, report.ok) == (True, 5, False)
    assert "5 offsets wait" in str(report)
    archive_all(log, CONFIG, tmp_path)
    assert checked(log, tmp_path).ok


def test_rows_that_were_deleted_are_missing(log: Log, tmp_path: Path) -> None:
    table(tmp_path).delete('"offset" = 3 OR "offset" = 4')
    report = checked(log, tmp_path)
    found = partition(report, busy(log))
    assert (found.num_missing, found.num_differing, report.ok) == (2, 2, False)
    assert found.examples[0] == "offsets 3..4 are missing"
    assert "DIFFER" in str(report)


def test_the_last_offset_that_the_table_claims_must_be_there(log: Log, tmp_path: Path) -> None:
    last = partition(checked(log, tmp_path), busy(log)).covered
    table(tmp_path).delete(f'"offset" = {last}')
    assert partition(checked(log, tmp_path), busy(log)).num_missing == 1


def test_rows_that_were_written_twice_are_repeated(log: Log, tmp_path: Path) -> None:
    rows = table(tmp_path).to_pyarrow_table()
    again = rows.filter(pa.compute.less(rows["offset"], 2))
    write_deltalake(table(tmp_path), again, mode="append", schema_mode="merge")
    report = checked(log, tmp_path)
    assert partition(report, busy(log)).num_repeated == 2
    assert not report.agrees


def test_a_value_that_was_changed_differs(log: Log, tmp_path: Path) -> None:
    table(tmp_path).update(predicate="kind = 'observation' AND turn = 1", updates={"content": "'nothing'"})
    report = checked(log, tmp_path)
    found = partition(report, busy(log))
    assert (found.num_missing, found.num_differing, report.ok) == (0, 3, False)
    assert "contents differ" in found.examples[0]


def test_bytes_of_a_quarantined_record_that_were_changed_differ(log: Log, tmp_path: Path) -> None:
    table(tmp_path).update(predicate="kind = 'quarantine'", updates={"quarantine_value": "X'00'"})
    assert partition(checked(log, tmp_path), busy(log)).num_differing == 1


def test_an_offset_with_too_few_of_its_rows_is_incomplete(tmp_path: Path) -> None:
    with new_log(tmp_path, CONFIG) as log:
        append(log, "t.rollouts", [episode("g", name)[0] for name in ("e1", "e2", "e3")])
        archive_all(log, CONFIG, tmp_path)
        assert archived(archive_location(tmp_path), 'SELECT "offset", "row", num_rows FROM a ORDER BY 2') == [
            (0, 0, 3),
            (0, 1, 3),
            (0, 2, 3),
        ]
        table(tmp_path).delete('"row" = 1')
        found = partition(checked(log, tmp_path), busy(log))
        assert (found.num_missing, found.num_incomplete, found.num_differing) == (0, 1, 1)


def test_what_retention_dropped_from_the_log_is_checked_by_the_archive_alone(log: Log, tmp_path: Path) -> None:
    tp = busy(log)
    log.truncate(*tp, 5)
    report = checked(log, tmp_path)
    found = partition(report, tp)
    assert report.ok, str(report)
    assert (found.start, found.log_begin, found.num_compared) == (0, 5, found.log_end - 5)


def test_a_beginning_that_neither_archive_nor_log_has_is_missing(log: Log, tmp_path: Path) -> None:
    tp = busy(log)
    log.truncate(*tp, 5)
    table(tmp_path).delete('"offset" < 3')
    found = partition(checked(log, tmp_path), tp)
    assert (found.num_missing, found.examples[0]) == (3, "offsets 0..2 are missing")


def test_an_archive_that_has_nothing_yet_is_behind_by_everything(tmp_path: Path) -> None:
    with new_log(tmp_path, CONFIG) as log:
        Archive.create(archive_location(tmp_path), log, ["t.rollouts"])
        append(log, "t.rollouts", episode("g", "e1"))
        assert (checked(log, tmp_path).behind, checked(log, tmp_path).agrees) == (8, True)


def test_the_report_is_also_json(log: Log, tmp_path: Path) -> None:
    report = checked(log, tmp_path)
    data = json.loads(msgspec.json.encode(report))
    assert (data["agrees"], data["behind"], data["log_identity"]) == (True, 0, log.identity)
    assert sum(p["num_records"] for p in data["partitions"]) == sum(p.num_records for p in report.partitions)


def test_files_that_vanished_are_named_and_their_offsets_are_missing(log: Log, tmp_path: Path) -> None:
    file = Path(Archive(archive_location(tmp_path)).files()[0])
    file.unlink()
    report = checked(log, tmp_path)
    assert (report.ok, report.agrees) == (False, False)
    assert [(damage.path, damage.what) for damage in report.damaged] == [
        (str(file.relative_to(archive_location(tmp_path))), "is gone")
    ]
    assert partition(report, busy(log)).num_missing > 0


def flip(file: Path, bit: int) -> None:
    data = bytearray(file.read_bytes())
    data[bit // 8] ^= 1 << bit % 8
    file.write_bytes(data)


@pytest.mark.parametrize("compacted", [False, True])
def test_a_flipped_bit_anywhere_in_a_file_is_found_and_the_file_is_named(
    log: Log, tmp_path: Path, compacted: bool
) -> None:
    location = archive_location(tmp_path)
    if compacted:
        append(log, "t.rollouts", episode("g", "e4"))
        archive_all(log, CONFIG, tmp_path)
        assert tidy_archive(str(location), thorough=True).num_files_after == 1
    (path,) = Archive(location).files()
    file, size = Path(path), Path(path).stat().st_size
    footer_bytes = int.from_bytes(file.read_bytes()[-8:-4], "little")
    anywhere = random.Random(5)
    bits = [0, 8 * size - 1, 8 * (size - 8), 8 * (size - 8 - footer_bytes), 8 * (size - 9 - footer_bytes)]
    bits += [anywhere.randrange(8 * size) for _ in range(20)]
    bits += [8 * (size - 8) - 1 - anywhere.randrange(8 * footer_bytes) for _ in range(5)]
    assert Archive(location).storage.damage(Archive(location).data_files()[0]) is None
    for bit in bits:
        flip(file, bit)
        (found,) = (d for f in Archive(location).data_files() if (d := Archive(location).storage.damage(f)))
        assert found.path == str(file.relative_to(location))
        assert "is damaged: its sha256 is" in found.what
        flip(file, bit)
    assert checked(log, tmp_path).ok
    flip(file, bits[-1])
    report = checked(log, tmp_path)
    assert (report.agrees, len(report.damaged), report.num_files) == (False, 1, 1)
    assert f"{file.relative_to(location)} is damaged" in str(report)
    assert "1 of 1 data files are DAMAGED" in str(report)


def test_a_proof_goes_on_when_the_delta_log_of_its_version_is_cleaned_up_meanwhile(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage_of = Storage.damage

    def slow(storage: Storage, file: DataFile) -> Damage | None:
        append(log, "t.rollouts", episode("g", "e4"))
        archive_all(log, CONFIG, tmp_path)
        forget_log(archive_location(tmp_path))
        return damage_of(storage, file)

    monkeypatch.setattr(Storage, "damage", slow)
    assert checked(log, tmp_path).agrees


def test_a_damaged_file_is_never_merged_into_one_that_looks_sound(log: Log, tmp_path: Path) -> None:
    append(log, "t.rollouts", episode("g", "e4"))
    archive_all(log, CONFIG, tmp_path)
    location = archive_location(tmp_path)
    before = Archive(location).files()
    flip(Path(before[0]), 8 * 100)
    with pytest.raises(ArchiveError, match=f"{Path(before[0]).name} is damaged"):
        tidy_archive(str(location), thorough=True)
    assert Archive(location).files() == before


def test_files_of_another_program_have_no_digest_until_they_are_compacted(log: Log, tmp_path: Path) -> None:
    table(tmp_path).update(predicate="kind = 'observation' AND turn = 1", updates={"content": "'cart.py\n'"})
    report = checked(log, tmp_path)
    assert (report.num_files, report.num_files_without_digest) == (1, 1)
    assert "1 of 1 files have no recorded sha256" in str(report)
    tidy_archive(str(archive_location(tmp_path)), thorough=True)
    assert checked(log, tmp_path).num_files_without_digest == 0


def test_rows_beyond_the_covered_offset_would_be_written_again_and_are_named(log: Log, tmp_path: Path) -> None:
    rows = table(tmp_path).to_pyarrow_table()
    last = partition(checked(log, tmp_path), busy(log)).covered
    row = rows.filter(pa.compute.equal(rows["offset"], last))
    moved = row.set_column(row.schema.get_field_index("offset"), "offset", pa.array([last + 1]))
    write_deltalake(table(tmp_path), moved, mode="append", schema_mode="merge")
    found = partition(checked(log, tmp_path), busy(log))
    assert (found.num_repeated, found.num_missing) == (1, 0)
    assert "beyond what the table covers" in found.examples[0]
