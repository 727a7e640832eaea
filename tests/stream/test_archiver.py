"""The archiver on a real SQLite log: every offset exactly once, whatever dies."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.stream.archive_events import append, archived, episode, new_log, run_config

from trajlog.schemas import NewRecord
from trajlog.stream.archiver import archive_location, run_archiver

ALL = 'SELECT topic, partition, "offset", row, kind FROM a ORDER BY ALL'


def stopped() -> threading.Event:
    stop = threading.Event()
    stop.set()
    return stop


def test_what_is_in_the_log_when_the_stop_comes_is_archived_by_offset_and_row(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", episode("g", "e1"))
        run_archiver(log, config, tmp_path, stopped())
        ends = log.end_offsets("t.rollouts")
    rows = archived(archive_location(tmp_path), ALL)
    (tp,) = [tp for tp, end in ends.items() if end]
    kinds = ["episode_started", *["generation", "tool_call", "observation"] * 2, "episode_finished"]
    assert rows == [("t.rollouts", tp.partition, offset, 0, kind) for offset, kind in enumerate(kinds)]
