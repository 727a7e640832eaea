"""One version of the archive plus the live tail: no row twice, none missed."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import pytest

from tests.stream.archive_events import append, episode, new_log, run_config
from trajlog.analytics.query import VIEWS, connect, run_sql
from trajlog.errors import ArchiveError, ConfigError, LogIdentityMismatch
from trajlog.stream.archive import Archive
from trajlog.stream.archiver import archive_location, archived_topics, run_archiver
from trajlog.stream.log import Log

COUNTS = (
    'SELECT topic, partition, count(*), count(DISTINCT "offset"), max("offset") + 1 '
    "FROM events GROUP BY ALL ORDER BY 1, 2"
)


def archive_all(log: Log, run_dir: Path) -> None:
    stop = threading.Event()
    stop.set()
    run_archiver(log, run_config(), run_dir, stop)


def count(run_dir: Path, log: Log | None, what: str = "episodes") -> int:
    with contextlib.closing(connect(run_dir, log)) as con:
        ((number,),) = con.execute(f"SELECT count(*) FROM {what}").fetchall()
        return int(number)


def test_the_tail_adds_exactly_what_is_not_archived_yet(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        archive_all(log, tmp_path)
        append(log, "t.rollouts", episode("g", "e2", outcome=None))
        assert (count(tmp_path, log), count(tmp_path, None)) == (2, 1)
        archive_all(log, tmp_path)
        assert (count(tmp_path, log), count(tmp_path, None)) == (2, 2)
        with contextlib.closing(connect(tmp_path, log)) as con:
            assert con.execute("SELECT outcome FROM episodes ORDER BY episode_id").fetchall() == [
                ("solved",),
                ("running",),
            ]


def test_while_the_archiver_runs_no_row_is_seen_twice_or_missed(tmp_path: Path) -> None:
    config = run_config(flush_s=0.001, compact_every_commits=4)
    stop, done = threading.Event(), threading.Event()
    with new_log(tmp_path, config) as log:

        def produce() -> None:
            for number in range(60):
                append(log, "t.rollouts", episode(f"g{number % 5}", f"e{number}", num_turns=1))
            done.set()

        archiver = threading.Thread(target=run_archiver, args=(log, config, tmp_path, stop))
        producer = threading.Thread(target=produce)
        archiver.start()
        producer.start()
        try:
            seen = 0
            while not done.is_set() or seen < 300:
                least = sum(log.end_offsets("t.rollouts").values())
                with contextlib.closing(connect(tmp_path, log)) as con:
                    rows = con.execute(COUNTS).fetchall()
                for _, _, num_rows, num_offsets, end in rows:
                    assert num_rows == num_offsets == end
                seen = sum(row[2] for row in rows)
                assert seen >= least
        finally:
            stop.set()
            archiver.join()
            producer.join()
        assert seen == 300


def test_an_empty_archive_and_a_run_without_one_have_every_view_with_no_rows(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        with contextlib.closing(connect(tmp_path, log)) as con:
            assert [con.execute(f"SELECT count(*) FROM {view}").fetchall() for view in VIEWS] == [[(0,)]] * len(VIEWS)
        append(log, "t.rollouts", episode("g", "e1"))
        assert count(tmp_path, log) == 1
        Archive.create(archive_location(tmp_path), log, archived_topics(run_config()))
        assert (count(tmp_path, log), count(tmp_path, None)) == (1, 0)


def test_without_archive_and_log_it_says_what_to_start(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="Start an archiver"):
        connect(tmp_path)
    with new_log(tmp_path, run_config()) as log:
        log.create_topics({"other.control": 1})
        with pytest.raises(ConfigError, match="found: other, t"):
            connect(tmp_path, log)


def test_the_log_of_another_run_is_refused(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log:
        archive_all(log, tmp_path)
    (tmp_path / "other").mkdir()
    with new_log(tmp_path / "other", run_config()) as other, pytest.raises(LogIdentityMismatch):
        connect(tmp_path, other)


def test_an_error_in_a_query_lists_the_views(tmp_path: Path) -> None:
    with new_log(tmp_path, run_config()) as log, contextlib.closing(connect(tmp_path, log)) as con:
        for sql in ("SELECT * FROM rollouts", "SELEC 1", "SELECT nothing FROM episodes", "SELECT 'x'::INT"):
            with pytest.raises(ArchiveError, match=r"the query failed: (?s:.*)episodes, groups, dead_letters"):
                run_sql(con, sql, "json")
