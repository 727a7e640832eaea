"""Clocks that jump under a run, ten minutes in which nothing ran, and retention that passes who has not read yet."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.chaos.faulty_run import FaultyRun, learner_config
from tests.chaos.time_and_retention import (
    assign_three,
    drop_what_waits,
    finish_after_downtime,
    jump_clocks_and_finish,
    overtake_learner,
)
from tests.stream.roles import InstantWorker
from trajlog.schemas import EpisodeAssigned, GroupVerdict
from trajlog.stream.assembler_accept_loss import accept_assembler_loss

pytestmark = pytest.mark.slow


def test_wall_clocks_that_jump_by_hours_both_ways_move_no_fold_no_lease_and_no_seal_timeout(tmp_path: Path) -> None:
    with FaultyRun(tmp_path, lease_s=20.0) as run:
        jump_clocks_and_finish(run)


def pass_over(path: Path, minutes: float) -> None:
    """Make everything in a SQLite log so much older, as if nothing had run since."""
    with closing(sqlite3.connect(path)) as connection, connection:
        shift_us = int(minutes * 60e6)
        connection.execute("UPDATE records SET append_us = append_us - ?", (shift_us,))
        connection.execute("UPDATE partitions SET last_append_us = max(0, last_append_us - ?)", (shift_us,))
        connection.execute("UPDATE members SET heartbeat_us = heartbeat_us - ?", (shift_us,))


def test_ten_minutes_in_which_no_role_ran_expire_nothing_and_end_no_lease_of_a_worker_that_lives(
    tmp_path: Path,
) -> None:
    with FaultyRun(tmp_path, lease_s=60.0, max_episodes=3) as run, InstantWorker(run.log, run.config, 3) as worker:
        first, second, third = assign_three(run, worker)
        worker.play(first)
        for role in ("scheduler", "assembler"):
            run.kill(role)
        worker.play(second)
        pass_over(tmp_path / "log.db", minutes=10)  # twice the seal timeout, ten times the lease
        worker.play(third)
        finish_after_downtime(run, worker)


def test_retention_that_overtakes_archiver_and_assembler_stops_them_and_an_accepted_loss_is_written_down(
    tmp_path: Path,
) -> None:
    with FaultyRun(tmp_path) as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        run.stop("archiver")
        run.kill("assembler")
        drop_what_waits(run)
        given_up = accept_assembler_loss(run.log, run.config).groups
        assert given_up
        run.start("archiver", "assembler")
        judged = {event.group_id for event in run.events("control", GroupVerdict.kind)}
        assert {event.group_id for event in run.events("control", EpisodeAssigned.kind)} == judged
        run.finish(abandoned=4, dropped=True)  # of the player, which was told to stop together with the scheduler


def test_retention_that_overtakes_the_learner_stops_it_before_it_trains_anything_else(tmp_path: Path) -> None:
    with FaultyRun(tmp_path, config=learner_config()) as run:
        overtake_learner(run)
