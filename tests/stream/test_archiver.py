"""The archiver on a real SQLite log: every offset exactly once, whatever dies."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.stream.archive_events import append, archived, episode, new_log, run_config, wait_until
from trajlog.errors import LogIdentityMismatch, OffsetExpired
from trajlog.schemas import NewRecord, encode
from trajlog.stream.archive import Archive
from trajlog.stream.archive_accept_loss import accept_loss
from trajlog.stream.archive_read import live_tail
from trajlog.stream.archiver import Archiver, archive_location, archived_topics, run_archiver
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.verify import verify

ALL = 'SELECT topic, partition, "offset", "row", kind FROM a ORDER BY ALL'


def stopped() -> threading.Event:
    stop = threading.Event()
    stop.set()
    return stop


def check(log: Log, run_dir: Path) -> None:
    report = verify(log, run_config(), run_dir)
    assert report.ok, str(report)


def test_what_is_in_the_log_when_the_stop_comes_is_archived_by_offset_and_row(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        run_archiver(log, config, tmp_path, stopped())
        ends = log.end_offsets("t.rollouts")
        check(log, tmp_path)
    (tp,) = [tp for tp, end in ends.items() if end]
    kinds = ["episode_started", *["generation", "tool_call", "observation"] * 2, "episode_finished"]
    expected = [("t.rollouts", tp.partition, offset, 0, kind) for offset, kind in enumerate(kinds)]
    assert archived(archive_location(tmp_path), ALL) == expected


def test_the_archive_is_for_its_owner_alone_whatever_the_umask(tmp_path: Path) -> None:
    config = run_config()
    before = os.umask(0)
    try:
        with new_log(tmp_path, config) as log:
            append(log, "t.rollouts", episode("g", "e1"))
            run_archiver(log, config, tmp_path / "run", stopped())
    finally:
        os.umask(before)
    for folder in (tmp_path / "run", archive_location(tmp_path / "run")):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_the_run_directory_of_an_archive_in_an_object_store_is_its_owners_alone(tmp_path: Path) -> None:
    assert archive_location(tmp_path / "run", run_config(url="s3://bucket/run")) == "s3://bucket/run"
    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700
    assert archive_location(tmp_path / "run") == "s3://bucket/run"


def test_a_restart_goes_on_where_the_table_says_and_not_where_the_group_says(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        run_archiver(log, config, tmp_path, stopped())
        with log.transaction() as transaction:
            offsets = {TopicPartition("t.rollouts", p): 0 for p in (0, 1)}
            transaction.commit_offsets("t.archiver", offsets | {TopicPartition("t.control", 0): 0})
        append(log, "t.rollouts", episode("h", "e2"))
        run_archiver(log, config, tmp_path, stopped())
        check(log, tmp_path)
        with log.transaction() as transaction:
            transaction.commit_offsets("t.archiver", log.end_offsets("t.rollouts"))
        run_archiver(log, config, tmp_path / "second", stopped())
        check(log, tmp_path / "second")


def test_the_groups_offsets_follow_the_table_where_its_last_owner_could_not_commit_them_and_nothing_new_came(
    tmp_path: Path,
) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        run_archiver(log, config, tmp_path, stopped())
        ends = {tp: end for tp, end in log.end_offsets("t.rollouts").items() if end}
        with log.transaction() as transaction:
            transaction.commit_offsets("t.archiver", dict.fromkeys(ends, 0))
        run_archiver(log, config, tmp_path, stopped())
        committed = log.committed("t.archiver", ["t.rollouts"])
        assert len(ends) > 0
        assert {tp: committed[tp] for tp in ends} == ends


def test_a_poison_record_is_kept_as_it_is_and_the_stream_goes_on(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        poison = NewRecord(b"g", (("kind", "generation"), ("schema_version", "1"), ("num_events", "1")), b"garbage")
        log.append("t.rollouts", [poison])
        append(log, "t.rollouts", episode("g", "e2"))
        run_archiver(log, config, tmp_path, stopped())
        check(log, tmp_path)
    location = archive_location(tmp_path)
    rows = archived(location, "SELECT quarantine_value, quarantine_reason FROM a WHERE kind = 'quarantine'")
    assert [row[0] for row in rows] == [b"garbage"]
    assert "not a record batch" in rows[0][1]
    assert archived(location, "SELECT count(*) FROM a WHERE kind = 'episode_finished'") == [(2,)]


def test_a_record_in_parts_is_archived_at_its_last_offset(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"), part_bytes=500)
        run_archiver(log, config, tmp_path, stopped())
        check(log, tmp_path)
    assert archived(archive_location(tmp_path), "SELECT count(*) > 4 FROM a WHERE kind = 'part'") == [(True,)]
    assert archived(archive_location(tmp_path), "SELECT count(*) FROM a WHERE kind = 'generation'") == [(2,)]


def test_it_flushes_by_age_and_by_size_while_it_runs(tmp_path: Path) -> None:
    for settings in ({"flush_s": 0.05}, {"flush_s": 3600.0, "flush_bytes": 1}):
        config, run_dir = run_config(**settings), tmp_path / str(settings["flush_s"])
        stop = threading.Event()
        with new_log(run_dir, config) as log:
            append(log, "t.rollouts", episode("g", "e1"))
            thread = threading.Thread(target=run_archiver, args=(log, config, run_dir, stop))
            thread.start()
            try:
                location = archive_location(run_dir)
                wait_until(lambda at=location: (at / "_delta_log").is_dir() and len(archived(at, ALL)) == 8)
            finally:
                stop.set()
                thread.join()


def test_two_archivers_that_both_believe_to_own_everything_store_each_offset_once(tmp_path: Path) -> None:
    config = run_config()
    failures: list[BaseException] = []
    stop = threading.Event()
    with new_log(tmp_path, config) as log:
        location, topics = archive_location(tmp_path), archived_topics(config)

        def member(group: str) -> None:
            try:
                archiver = Archiver(log, Archive.create(location, log, topics), config.archive)
                with archiver, log.group_reader(topics, group, archiver.assigned, archiver.revoked) as reader:
                    archiver.run(reader, stop)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=member, args=(group,)) for group in ("one", "two")]
        for thread in threads:
            thread.start()
        for number in range(30):
            append(log, "t.rollouts", episode(f"g{number % 5}", f"e{number}"))
        stop.set()
        for thread in threads:
            thread.join()
        assert failures == []
        check(log, tmp_path)


@pytest.mark.slow
def test_killed_at_random_instants_and_restarted_it_archives_every_offset_exactly_once(tmp_path: Path) -> None:
    config = run_config()
    random_delay = random.Random(7)
    with new_log(tmp_path, config) as log:
        appending = threading.Event()

        def produce() -> None:
            number = 0
            while not appending.wait(0.005):
                append(log, "t.rollouts", episode(f"g{number % 7}", f"e{number}"), part_bytes=600)
                number += 1

        producer = threading.Thread(target=produce)
        producer.start()
        command = [sys.executable, "-m", "tests.stream.archiver_process", log.url, str(tmp_path)]
        try:
            for _ in range(6):
                before = len(list((archive_location(tmp_path) / "_delta_log").glob("*.json")))
                process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
                log_dir = archive_location(tmp_path) / "_delta_log"
                wait_until(
                    lambda p=process, d=log_dir, n=before: p.poll() is not None or len(list(d.glob("*.json"))) > n + 1
                )
                time.sleep(random_delay.uniform(0, 0.4))
                process.send_signal(signal.SIGKILL)
                _, stderr = process.communicate()
                assert process.returncode == -signal.SIGKILL, stderr
        finally:
            appending.set()
            producer.join()
        run_archiver(log, config, tmp_path, stopped())
        check(log, tmp_path)
        (count,) = archived(archive_location(tmp_path), "SELECT count(*), count(DISTINCT event_id) FROM a")
        assert count[0] >= count[1] > 100


def test_retention_that_passed_it_stops_it_until_a_person_accepts_the_loss(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        run_archiver(log, config, tmp_path, stopped())
        assert accept_loss(log, config, tmp_path) == {}
        append(log, "t.rollouts", episode("g", "e2"))
        (tp,) = [tp for tp, end in log.end_offsets("t.rollouts").items() if end]
        log.truncate(*tp, 10)
        with pytest.raises(OffsetExpired, match="archive repair --accept-loss"):
            run_archiver(log, config, tmp_path, stopped())
        assert accept_loss(log, config, tmp_path) == {tp: range(8, 10)}
        run_archiver(log, config, tmp_path, stopped())
        report = verify(log, config, tmp_path)
    assert report.ok, str(report)
    assert "2 earlier ones were accepted as lost" in str(report)
    reasons = archived(archive_location(tmp_path), "SELECT gap_end, quarantine_reason FROM a WHERE kind = 'gap'")
    assert [(end, reason[:4]) for end, reason in reasons] == [(9, "lost")]


def test_retention_that_passed_it_before_it_archived_anything_of_a_partition_is_a_loss_too(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        (tp,) = [tp for tp, end in log.end_offsets("t.rollouts").items() if end]
        log.truncate(*tp, 3)
        with pytest.raises(OffsetExpired, match=r"offset 0 of .* the first one held is 3"):
            live_tail(log, ["t.rollouts"], lambda tp: None)
        with pytest.raises(OffsetExpired, match="archive repair --accept-loss"):
            run_archiver(log, config, tmp_path, stopped())
        assert accept_loss(log, config, tmp_path) == {tp: range(3)}
        assert live_tail(log, ["t.rollouts"], Archive(archive_location(tmp_path)).covered).num_rows == 5
        run_archiver(log, config, tmp_path, stopped())
        report = verify(log, config, tmp_path)
    assert report.ok, str(report)
    assert "3 earlier ones were accepted as lost" in str(report)


def test_it_refuses_the_archive_of_another_log(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        run_archiver(log, config, tmp_path, stopped())
    (tmp_path / "log.db").unlink()
    with new_log(tmp_path, config) as log, pytest.raises(LogIdentityMismatch):
        run_archiver(log, config, tmp_path, stopped())


def test_small_files_are_merged_while_it_runs(tmp_path: Path) -> None:
    config = run_config(flush_s=0.001, compact_every_commits=5)
    stop = threading.Event()
    with new_log(tmp_path, config) as log:
        thread = threading.Thread(target=run_archiver, args=(log, config, tmp_path, stop))
        thread.start()
        try:
            location = archive_location(tmp_path)
            wait_until((location / "_delta_log").is_dir)
            for number in range(12):
                log.append("t.rollouts", encode(episode("g", f"e{number}")))
                expected = 8 * (number + 1)
                wait_until(lambda n=expected: archived(location, "SELECT count(*) FROM a")[0:1] == [(n,)])
        finally:
            stop.set()
            thread.join()
        assert len(Archive(location).files()) < 12
        check(log, tmp_path)
