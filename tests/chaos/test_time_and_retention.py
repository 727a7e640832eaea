"""Clocks that jump under a run, ten minutes in which nothing ran, and retention that passes who has not read yet."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from tests.chaos.faulty_run import FaultyRun, learner_config
from tests.learner.groups import simple_group
from tests.stream.roles import InstantWorker
from trajlog.schemas import EpisodeAssigned, EpisodeVerdict, GroupVerdict, TrainStep, encode
from trajlog.stream.archive_accept_loss import accept_loss
from trajlog.stream.assembler_accept_loss import accept_assembler_loss
from trajlog.stream.log import Log, LogRecord


def records(log: Log, topic: str) -> list[LogRecord]:
    ends = log.end_offsets(topic)
    found: list[LogRecord] = []
    with log.reader([topic], "beginning") as reader:
        while any(reader.position(tp) < end for tp, end in ends.items()):
            found += reader.poll(1.0)
    return found


def timed_out(run: FaultyRun) -> list[str]:
    """Verdicts that only the passing of time gives."""
    groups = [e.reason for e in run.events("control", GroupVerdict.kind) if isinstance(e, GroupVerdict)]
    episodes = [e.verdict for e in run.events("control", EpisodeVerdict.kind) if isinstance(e, EpisodeVerdict)]
    return [why for why in [*groups, *episodes] if why in ("timeout", "too_few", "expired", "abandoned")]


@pytest.mark.slow
def test_wall_clocks_that_jump_by_hours_both_ways_move_no_fold_no_lease_and_no_seal_timeout(tmp_path: Path) -> None:
    with FaultyRun(tmp_path, lease_s=20.0) as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        for hours in (5, -7, 0):
            (tmp_path / "clock").write_text(str(hours * 3600))
            run.until_verdicts(2)
        run.finish()
        assert timed_out(run) == []
        for name in ("rollouts", "control"):
            found = records(run.log, run.config.topic(name))
            for partition in (0, 1):
                times = [record.append_time for record in found if record.partition == partition]
                assert times == sorted(times)
            assert max(r.append_time for r in found) - min(r.append_time for r in found) < timedelta(minutes=10)
        said = [event.emitted_at for event in run.events("rollouts")]
        assert max(said) - min(said) > timedelta(hours=11)  # the producers' own times did jump


def pass_over(path: Path, minutes: float) -> None:
    """Make everything in a SQLite log so much older, as if nothing had run since."""
    with closing(sqlite3.connect(path)) as connection, connection:
        shift_us = int(minutes * 60e6)
        connection.execute("UPDATE records SET append_us = append_us - ?", (shift_us,))
        connection.execute("UPDATE partitions SET last_append_us = max(0, last_append_us - ?)", (shift_us,))
        connection.execute("UPDATE members SET heartbeat_us = heartbeat_us - ?", (shift_us,))


@pytest.mark.slow
def test_ten_minutes_in_which_no_role_ran_expire_nothing_and_end_no_lease_of_a_worker_that_lives(
    tmp_path: Path,
) -> None:
    with FaultyRun(tmp_path, lease_s=60.0, max_episodes=3) as run, InstantWorker(run.log, run.config, 3) as worker:
        run.start("scheduler", "assembler")
        worker.heartbeat()
        run.until(lambda: worker.take() or len(worker.assigned) == 3)
        first, second, third = worker.assigned
        worker.play(first)
        run.until(lambda: len(records(run.log, run.config.topic("rollouts"))) > 0)
        for role in ("scheduler", "assembler"):
            run.kill(role)
        worker.play(second)
        pass_over(tmp_path / "log.db", minutes=10)  # twice the seal timeout, ten times the lease
        worker.play(third)
        worker.heartbeat()
        run.start("scheduler", "assembler", "archiver")
        run.until(lambda: run.events("control", GroupVerdict.kind))
        worker.heartbeat(leaving=True)
        run.finish()
        (verdict,) = run.events("control", GroupVerdict.kind)
        assert (verdict.verdict, verdict.reason) == ("sealed", "full")  # type: ignore[attr-defined]
        assert timed_out(run) == []


@pytest.mark.slow
def test_retention_that_overtakes_archiver_and_assembler_stops_them_and_an_accepted_loss_is_written_down(
    tmp_path: Path,
) -> None:
    with FaultyRun(tmp_path) as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        run.stop("archiver")
        run.kill("assembler")
        before = len(records(run.log, run.config.topic("rollouts")))
        run.until(lambda: len(records(run.log, run.config.topic("rollouts"))) > before + 40)
        run.stop("scheduler", "player")
        for tp, end in run.log.end_offsets(run.config.topic("rollouts")).items():
            run.log.truncate(*tp, end)
        run.start("archiver", "assembler")
        for role in ("archiver", "assembler"):
            said = run.ended(role)
            assert said.startswith("OffsetExpired: offset "), said
            assert "was dropped by retention; the first one held is" in said
            assert "trajlog archive repair --accept-loss" in said
        lost = accept_loss(run.log, run.config, tmp_path)
        assert sum(len(offsets) for offsets in lost.values()) > 40
        given_up = accept_assembler_loss(run.log, run.config).groups
        assert given_up
        run.start("archiver", "assembler")
        judged = {event.group_id for event in run.events("control", GroupVerdict.kind)}
        assert {event.group_id for event in run.events("control", EpisodeAssigned.kind)} == judged
        run.finish(abandoned=4, dropped=True)  # of the player, which was told to stop together with the scheduler


@pytest.mark.slow
def test_retention_that_overtakes_the_learner_stops_it_before_it_trains_anything_else(tmp_path: Path) -> None:
    config = learner_config()
    with FaultyRun(tmp_path, config=config) as run:
        groups = [simple_group(f"g{n}", run_id=config.run_id) for n in range(6)]
        run.log.append(config.topic("groups"), encode(groups[:2]))
        run.start("learner")
        run.until(lambda: run.events("control", TrainStep.kind), timeout_s=120)
        run.stop("learner")
        run.log.append(config.topic("groups"), encode(groups[2:]))
        ((tp, _),) = run.log.end_offsets(config.topic("groups")).items()
        run.log.truncate(*tp, 4)
        run.start("learner")
        said = run.ended("learner")
        assert said.startswith("OffsetExpired: offset 2 of ")
        assert "a learner cannot: start a new run, with this one's newest adapter as learner.init_adapter" in said
        assert len(run.events("control", TrainStep.kind)) == 1
