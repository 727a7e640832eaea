"""As test_time_and_retention.py, on a real broker: its clock stamps every record, whatever clock a role has.

Nobody can make what a broker holds older, so the downtime here is waited for, and the timeouts that it outlasts are
seconds.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from tests.chaos.faulty_run import FaultyRun, learner_config, pause, run_config
from tests.chaos.test_time_and_retention import records, timed_out
from tests.learner.groups import simple_group
from tests.stream.roles import InstantWorker
from trajlog.schemas import GroupVerdict, TrainStep, encode
from trajlog.stream.archive_accept_loss import accept_loss

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

DOWN_S = 12.0
"""Longer than a group may wait for its next member, and than a worker's lease."""


@pytest.fixture
def url(kafka_broker) -> str:
    return str(kafka_broker.url)


def test_wall_clocks_of_roles_that_jump_by_hours_both_ways_are_not_what_a_broker_stamps(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    with FaultyRun(tmp_path, url, prefix=kafka_prefix, lease_s=20.0) as run:
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


def test_a_downtime_longer_than_seal_timeout_and_lease_expires_nothing_and_ends_no_lease_of_a_worker_that_lives(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    config = run_config(kafka_prefix, lease_s=10.0, max_episodes=3)
    config = msgspec.structs.replace(config, group=msgspec.structs.replace(config.group, seal_timeout_s=8.0))
    with FaultyRun(tmp_path, url, config=config) as run, InstantWorker(run.log, run.config, 3) as worker:
        run.start("scheduler", "assembler")
        run.until(lambda: run.is_ready("assembler") and run.is_ready("scheduler"))

        def given() -> bool:
            worker.heartbeat()
            return bool(worker.take()) or len(worker.assigned) == 3

        run.until(lambda: given() and len(worker.assigned) == 3)
        first, second, third = worker.assigned
        worker.play(first)
        for role in ("scheduler", "assembler"):
            run.kill(role)
        worker.play(second)
        pause(DOWN_S)
        worker.play(third)
        worker.heartbeat()
        run.start("scheduler", "assembler", "archiver")
        run.until(lambda: run.events("control", GroupVerdict.kind))
        worker.heartbeat(leaving=True)
        run.finish()
        (verdict,) = run.events("control", GroupVerdict.kind)
        assert (verdict.verdict, verdict.reason) == ("sealed", "full")  # type: ignore[attr-defined]
        assert timed_out(run) == []


def test_deleted_records_that_archiver_and_assembler_had_not_read_stop_them_and_an_accepted_loss_is_written_down(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    with FaultyRun(tmp_path, url, prefix=kafka_prefix) as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        run.stop("archiver")
        run.stop("assembler")
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
        run.start("archiver")
        run.finish(abandoned=4, dropped=True)  # of the player, which was told to stop together with the scheduler


def test_deleted_records_that_the_learner_had_not_read_stop_it_before_it_trains_anything_else(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    config = learner_config(kafka_prefix)
    with FaultyRun(tmp_path, url, config=config) as run:
        groups = [simple_group(f"g{n}", run_id=config.run_id) for n in range(6)]
        run.log.append(config.topic("groups"), encode(groups[:2]))
        run.start("learner")
        run.until(lambda: run.events("control", TrainStep.kind), timeout_s=120)
        run.stop("learner")
        run.log.append(config.topic("groups"), encode(groups[2:]))
        ((tp, _),) = run.log.end_offsets(config.topic("groups")).items()
        run.log.truncate(*tp, 4)
        run.start("learner")
        assert run.ended("learner").startswith("OffsetExpired: offset 2 of ")
        assert len(run.events("control", TrainStep.kind)) == 1
