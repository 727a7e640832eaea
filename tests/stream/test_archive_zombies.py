"""Writers that believe in a table of long ago: asleep at the worst instant, or stopped by the system and woken."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from deltalake.exceptions import CommitFailedError

from tests.stream.archive_events import append, archived, episode, new_log, run_config, wait_until
from tests.stream.test_archive import CONTROL, TOPICS, offsets, pending
from trajlog.stream import archive as archive_module
from trajlog.stream import archive_compact
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archiver import Archiver, archive_location, archived_topics, run_archiver
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.verify import verify


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with new_log(tmp_path, run_config()) as log:
        yield log


def asleep_before_its_commit(monkeypatch: pytest.MonkeyPatch, archive: Archive, meanwhile: Any) -> None:
    """The next commit of `archive` writes its files, then sleeps while `meanwhile` happens, then wakes."""
    write_rows = archive_module.write_rows

    def write_then_sleep(storage: Any, rows: Any, *, data_change: bool) -> Any:
        added = write_rows(storage, rows, data_change=data_change)
        if storage is archive.storage:
            monkeypatch.setattr(archive_module, "write_rows", write_rows)
            meanwhile()
        return added

    monkeypatch.setattr(archive_module, "write_rows", write_then_sleep)


def test_one_that_slept_between_its_files_and_its_commit_while_a_rival_took_over_is_refused(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = Archive.create(tmp_path / "a", log, TOPICS)
    sleeper.commit([pending(0, 4)])

    def rival() -> None:
        other = Archive(tmp_path / "a")
        assert other.commit([pending(5, 9, follows=4)]) == {}
        assert other.commit([pending(10, 12, follows=9)]) == {}

    asleep_before_its_commit(monkeypatch, sleeper, rival)
    assert sleeper.commit([pending(5, 7, follows=4)]) == {CONTROL: 12}
    assert offsets(tmp_path / "a") == list(range(13))
    orphans = {str(path) for path in (tmp_path / "a").glob("date=*/*.parquet")} - set(sleeper.files())
    assert len(orphans) == 1


def test_one_that_slept_there_while_others_wrote_other_partitions_and_compacted_loses_nothing(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = Archive.create(tmp_path / "a", log, TOPICS)
    sleeper.commit([pending(0, 4)])
    other = TopicPartition("t.rollouts", 1)

    def meanwhile() -> None:
        assert Archive(tmp_path / "a").commit([pending(0, 2, tp=other)]) == {}
        tidy_archive(str(tmp_path / "a"), thorough=True)

    asleep_before_its_commit(monkeypatch, sleeper, meanwhile)
    assert sleeper.commit([pending(5, 7, follows=4)]) == {}
    rows = archived(tmp_path / "a", 'SELECT topic, count(*), count(DISTINCT "offset") FROM a GROUP BY 1 ORDER BY 1')
    assert rows == [("t.control", 8, 8), ("t.rollouts", 3, 3)]


def test_one_whose_commit_went_through_without_an_answer_does_not_write_it_again(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = Archive.create(tmp_path / "a", log, TOPICS)
    commit = archive_module.DeltaTable.create_write_transaction
    answers = iter([CommitFailedError("the connection was lost")])

    def unanswered(table: Any, *arguments: Any, **named: Any) -> None:
        commit(table, *arguments, **named)
        if (error := next(answers, None)) is not None:
            raise error

    monkeypatch.setattr(archive_module.DeltaTable, "create_write_transaction", unanswered)
    assert archive.commit([pending(0, 4)]) == {CONTROL: 4}
    assert archive.commit([pending(5, 5, follows=4)]) == {}
    assert offsets(tmp_path / "a") == list(range(6))


def test_one_that_slept_there_until_its_files_were_deleted_writes_them_again(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sleeper = Archive.create(tmp_path / "a", log, TOPICS)
    sleeper.commit([pending(0, 4)])
    deleted = []

    def a_day_later() -> None:
        monkeypatch.setattr(archive_compact, "RETENTION_H", 0)
        deleted.append(tidy_archive(str(tmp_path / "a")).num_deleted)
        monkeypatch.undo()

    asleep_before_its_commit(monkeypatch, sleeper, a_day_later)
    assert sleeper.commit([pending(5, 7, follows=4)]) == {}
    assert deleted == [1]
    assert offsets(tmp_path / "a") == list(range(8))
    assert all(Path(path).exists() for path in sleeper.files())


def test_one_that_slept_there_for_longer_than_the_log_files_and_tombstones_are_kept_is_refused_and_doubles_nothing(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a"
    sleeper = Archive.create(folder, log, TOPICS)
    sleeper.commit([pending(0, 4)])

    def days_later() -> None:
        other = Archive(folder)
        for offset in range(5, 12):
            assert other.commit([pending(offset, offset, follows=offset - 1)]) == {}
        other.table.alter.set_table_properties(
            {
                "delta.logRetentionDuration": "interval 0 seconds",
                "delta.deletedFileRetentionDuration": "interval 0 seconds",
            }
        )
        for path in folder.rglob("*"):
            os.utime(path, (time.time() - 3 * 86400,) * 2)
        monkeypatch.setattr(archive_compact, "RETENTION_H", 0)
        for _ in range(2):
            tidy_archive(str(folder), thorough=True)
        monkeypatch.undo()
        assert not (folder / "_delta_log" / f"{sleeper.version + 1:020}.json").exists()

    asleep_before_its_commit(monkeypatch, sleeper, days_later)
    assert sleeper.commit([pending(5, 7, follows=4)]) == {CONTROL: 11}
    assert sleeper.commit([pending(12, 12, follows=11)]) == {}
    assert offsets(folder) == list(range(13))
    assert all(Path(path).exists() for path in sleeper.files())


def test_a_commit_put_into_a_place_of_the_log_that_was_cleaned_up_meanwhile_is_written_again(
    log: Log, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "a"
    sleeper = Archive.create(folder, log, TOPICS)
    sleeper.commit([pending(0, 4)])

    def into_a_freed_place(table: Any, *arguments: Any, **named: Any) -> None:
        """Others went on, and the log was cleaned up, between deltalake's look at the log and its put."""
        monkeypatch.undo()
        other = TopicPartition("t.rollouts", 1)
        for offset in range(6):
            follows = offset - 1 if offset else None
            assert Archive(folder).commit([pending(offset, offset, follows=follows, tp=other)]) == {}
        Archive(folder).table.create_checkpoint()
        entries = sorted((folder / "_delta_log").glob("*.json"))
        for entry in entries[:-1]:
            entry.unlink()
        freed = folder / "_delta_log" / f"{table.version() + 1:020}.json"
        assert not freed.exists()
        freed.write_text(json.dumps({"txn": {"appId": "t.control-0", "version": 7}}) + "\n")

    monkeypatch.setattr(archive_module.DeltaTable, "create_write_transaction", into_a_freed_place)
    assert sleeper.commit([pending(5, 7, follows=4)]) == {}
    rows = archived(folder, 'SELECT topic, count(*), count(DISTINCT "offset") FROM a GROUP BY 1 ORDER BY 1')
    assert rows == [("t.control", 8, 8), ("t.rollouts", 6, 6)]


@pytest.mark.parametrize("seed", range(4))
def test_whatever_writers_believe_and_in_whatever_order_they_act_each_offset_is_stored_once(
    log: Log, tmp_path: Path, seed: int
) -> None:
    draw = random.Random(seed)
    location = tmp_path / "a"
    writers = [Archive.create(location, log, TOPICS) for _ in range(4)]
    believed: list[int | None] = [None] * 4
    for _ in range(40):
        who = draw.randrange(4)
        act = draw.choice(["commit", "commit", "commit", "reload", "again", "tidy"])
        if act == "commit":
            first = 0 if (last := believed[who]) is None else last + 1
            sent = pending(first, first + draw.randrange(3), follows=last)
            before = Archive(location).covered(CONTROL)
            refused = writers[who].commit([sent])
            assert bool(refused) == (before != last)
            believed[who] = refused.get(CONTROL, sent.last)
        elif act == "reload":
            writers[who].reload()
        elif act == "again":
            writers[who] = Archive(location)
            believed[who] = writers[who].covered(CONTROL) if draw.random() < 0.5 else believed[who]
        else:
            tidy_archive(str(location), thorough=draw.random() < 0.5)
    covered = Archive(location).covered(CONTROL)
    assert covered is not None
    assert offsets(location) == list(range(covered + 1))


@pytest.mark.slow
def test_an_archiver_stopped_at_random_instants_and_woken_after_a_rival_doubles_nothing(tmp_path: Path) -> None:
    config = run_config()
    location = archive_location(tmp_path)
    draw = random.Random(11)
    with new_log(tmp_path, config) as log:
        command = [sys.executable, "-m", "tests.stream.archiver_process", log.url, str(tmp_path)]
        zombie = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        stop, done = threading.Event(), threading.Event()
        number = 0

        def rival() -> None:
            archiver = Archiver(log, Archive(location), config.archive)
            topics = archived_topics(config)
            with archiver, log.group_reader(topics, "rival", archiver.assigned, archiver.revoked) as reader:
                archiver.run(reader, stop)
            done.set()

        def produce(count: int) -> None:
            nonlocal number
            for _ in range(count):
                append(log, "t.rollouts", episode(f"g{number % 5}", f"e{number}"), part_bytes=600)
                number += 1

        def all_archived() -> bool:
            archive, ends = Archive(location), log.end_offsets("t.rollouts")
            return all((archive.covered(tp) or -1) + 1 == end for tp, end in ends.items() if end)

        try:
            wait_until(lambda: Archive.exists(location) and zombie.poll() is None)
            for _ in range(4):
                produce(6)
                time.sleep(draw.uniform(0, 0.15))  # somewhere in a flush
                zombie.send_signal(signal.SIGSTOP)
                stop.clear()
                done.clear()
                thread = threading.Thread(target=rival)
                thread.start()
                produce(6)
                wait_until(all_archived)
                zombie.send_signal(signal.SIGCONT)
                produce(6)
                wait_until(all_archived)
                stop.set()
                thread.join()
                assert done.is_set()
            assert zombie.poll() is None
        finally:
            zombie.send_signal(signal.SIGCONT)
            zombie.kill()
            zombie.communicate()
        stop.set()
        run_archiver(log, config, tmp_path, stop)
        report = verify(log, config, tmp_path)
        assert report.ok, str(report)
