"""The archive on an object store: a real S3 server over HTTP, and the same promises as on a local folder."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from plumbing.deaf_proxy import DeafProxy
from plumbing.s3_server import S3Server

from tests.stream.archive_events import append, episode, new_log, run_config
from tests.stream.test_archive import CONTROL, TOPICS, pending
from trajlog.analytics.query import connect
from trajlog.analytics.sft_corpus import replay_sft
from trajlog.errors import ArchiveError, ConfigError
from trajlog.stream.archive import Archive
from trajlog.stream.archive_compact import tidy_archive
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archiver import Archiver, archive_location, archived_topics, run_archiver
from trajlog.stream.log import Log
from trajlog.stream.verify import verify


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with new_log(tmp_path, run_config()) as log:
        yield log


def offsets(location: str) -> list[int]:
    with duckdb.connect() as con:
        create_events_view(con, "a", Archive(location).source())
        return [offset for (offset,) in con.sql('SELECT "offset" FROM a ORDER BY 1').fetchall()]


def in_threads(works: list[object]) -> None:
    failures: list[BaseException] = []

    def guarded(work: object) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_the_server_refuses_to_put_what_exists(s3_server: S3Server, s3_bucket: str) -> None:
    puts = [s3_server.request("PUT", f"{s3_bucket}/key", b"x", **{"If-None-Match": "*"}) for _ in range(2)]
    assert [put.status_code for put in puts] == [200, 412]


def test_four_writers_at_once_lose_nothing_and_double_nothing(log: Log, s3_bucket: str) -> None:
    location = f"{s3_bucket}/runs/a"
    Archive.create(location, log, TOPICS)
    wrote: dict[int, int] = dict.fromkeys(range(4), 0)

    def writer(number: int) -> None:
        archive = Archive(location)
        while (covered := archive.covered(CONTROL)) is None or covered < 15:
            first = 0 if covered is None else covered + 1
            refused = archive.commit([pending(first, first + number, follows=covered)])
            wrote[number] += 0 if refused else number + 1

    in_threads([lambda n=n: writer(n) for n in range(4)])
    covered = Archive(location).covered(CONTROL)
    assert covered is not None
    assert offsets(location) == list(range(covered + 1))
    assert sum(wrote.values()) == covered + 1


def test_four_archivers_that_all_believe_to_own_everything_archive_each_record_once(
    tmp_path: Path, s3_bucket: str
) -> None:
    config = run_config(url=f"{s3_bucket}/runs/a", compact_every_commits=5)
    stop = threading.Event()
    with new_log(tmp_path, config) as log:
        location, topics = archive_location(tmp_path, config), archived_topics(config)
        Archive.create(location, log, topics)

        def member(group: str) -> None:
            archiver = Archiver(log, Archive(location), config.archive)
            with archiver, log.group_reader(topics, group, archiver.assigned, archiver.revoked) as reader:
                archiver.run(reader, stop)

        def produce() -> None:
            for number in range(24):
                append(log, "t.rollouts", episode(f"g{number % 5}", f"e{number}"))
            stop.set()

        in_threads([*(lambda g=g: member(g) for g in ("one", "two", "three", "four")), produce])
        report = verify(log, config, tmp_path)
        assert report.ok, str(report)
        assert (report.archived_rows, report.log_records) == (24 * 8, 24 * 8)


def test_a_file_of_many_pieces_comes_back_whole(log: Log, s3_bucket: str) -> None:
    location = f"{s3_bucket}/runs/a"
    archive = Archive.create(location, log, TOPICS)
    assert archive.commit([pending(0, 2, value=random.Random(1).randbytes(7 * 2**20))]) == {}
    (file,) = archive.data_files()
    assert file.num_bytes > 7 * 2**20
    assert archive.storage.damage(file) is None
    assert offsets(location) == [0, 1, 2]


def test_a_zombie_and_one_that_woke_with_a_fresh_handle_are_refused(log: Log, s3_bucket: str) -> None:
    location = f"{s3_bucket}/runs/a"
    zombie = Archive.create(location, log, TOPICS)
    zombie.commit([pending(0, 4)])
    assert Archive(location).commit([pending(5, 9, follows=4)]) == {}
    assert zombie.commit([pending(5, 7, follows=4)]) == {CONTROL: 9}
    woken = Archive(location)
    assert woken.commit([pending(5, 9, follows=4)]) == {CONTROL: 9}
    assert woken.commit([pending(10, 10, follows=9)]) == {}
    assert offsets(location) == list(range(11))


def test_a_commit_whose_answer_was_lost_is_not_written_again(
    log: Log, s3_bucket: str, s3_server: S3Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    location = f"{s3_bucket}/runs/a"
    Archive.create(location, log, TOPICS)
    host, port = s3_server.url.removeprefix("http://").split(":")
    marker = f"PUT /{location.removeprefix('s3://')}/_delta_log/00000000000000000001.json"
    with DeafProxy(host, int(port), marker) as proxy:
        monkeypatch.setenv("AWS_ENDPOINT_URL", proxy.url)
        refused = Archive(location).commit([pending(0, 4)])
        proxy.wait_until_lost()
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3_server.url)
    assert refused in ({}, {CONTROL: 4})
    again = Archive(location)
    assert again.covered(CONTROL) == 4
    assert again.commit([pending(5, 5, follows=4)]) == {}
    assert offsets(location) == list(range(6))


def test_a_run_whose_settings_name_a_bucket_is_archived_queried_verified_and_replayed(
    tmp_path: Path, s3_bucket: str, s3_server: S3Server
) -> None:
    config = run_config(url=f"{s3_bucket}/runs/a")
    stop = threading.Event()
    stop.set()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        run_archiver(log, config, tmp_path, stop)
        append(log, "t.rollouts", episode("g", "e2"))
        assert not (tmp_path / "archive").exists()
        assert archive_location(tmp_path) == f"{s3_bucket}/runs/a"
        ask = "SELECT episode_id, outcome, num_turns FROM episodes ORDER BY 1"
        with connect(tmp_path, log) as con:
            assert con.sql(ask).fetchall() == [("e1", "solved", 2), ("e2", "solved", 2)]
        with connect(tmp_path) as con:
            assert con.sql(ask).fetchall() == [("e1", "solved", 2)]
        assert replay_sft(tmp_path, tmp_path / "sft").num_examples == 1
        run_archiver(log, config, tmp_path, stop)
        assert verify(log, config, tmp_path / "another machine").ok
        file, gone = Archive(config.archive.url).data_files()
        data = bytearray(s3_server.request("GET", f"{config.archive.url}/{file.path}").content)
        data[-9] ^= 4
        s3_server.request("PUT", f"{config.archive.url}/{file.path}", bytes(data)).raise_for_status()
        s3_server.request("DELETE", f"{config.archive.url}/{gone.path}").raise_for_status()
        report = verify(log, config, tmp_path)
        assert [damage.path for damage in report.damaged] == [file.path, gone.path]
        assert "is damaged: its sha256 is" in report.damaged[0].what
        assert report.damaged[1].what == "is gone"


def test_a_reader_of_an_old_version_reads_on_while_files_are_merged_and_vacuumed(log: Log, s3_bucket: str) -> None:
    location = f"{s3_bucket}/runs/a"
    archive = Archive.create(location, log, TOPICS)
    for offset in range(6):
        archive.commit([pending(offset, offset, follows=offset - 1 if offset else None)])
    with duckdb.connect() as con:
        create_events_view(con, "a", archive.source())
        done = tidy_archive(location, thorough=True)
        assert (done.num_files_before, done.num_files_after, done.num_deleted) == (6, 1, 0)
        assert con.sql('SELECT count(DISTINCT "offset") FROM a').fetchall() == [(6,)]
    assert offsets(location) == list(range(6))


def test_a_bucket_that_does_not_exist_is_an_error_that_says_what_to_check(log: Log, s3_bucket: str) -> None:
    with pytest.raises(ArchiveError, match="settings in the environment"):
        Archive.create(f"{s3_bucket}-not-there/runs/a", log, TOPICS)


def test_a_run_directory_that_names_another_url_is_refused(tmp_path: Path) -> None:
    (tmp_path / "archive.url").write_text("s3://bucket/a\n")
    assert archive_location(tmp_path, run_config()) == "s3://bucket/a"
    with pytest.raises(ConfigError, match="Use another run directory"):
        archive_location(tmp_path, run_config(url="s3://bucket/b"))
