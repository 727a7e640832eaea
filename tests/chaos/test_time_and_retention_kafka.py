"""As test_time_and_retention.py, on a real broker: its clock stamps every record, whatever clock a role has.

Nobody can make what a broker holds older, so the downtime here is waited for, and the timeouts that it outlasts are
seconds.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.chaos.faulty_run import FaultyRun, learner_config, pause, run_config
from tests.chaos.time_and_retention import (
    assign_three,
    drop_what_waits,
    finish_after_downtime,
    jump_clocks_and_finish,
    overtake_learner,
)
from tests.stream.roles import InstantWorker

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
        jump_clocks_and_finish(run)


def test_a_downtime_longer_than_seal_timeout_and_lease_expires_nothing_and_ends_no_lease_of_a_worker_that_lives(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    config = run_config(kafka_prefix, lease_s=10.0, max_episodes=3)
    config = msgspec.structs.replace(config, group=msgspec.structs.replace(config.group, seal_timeout_s=8.0))
    with FaultyRun(tmp_path, url, config=config) as run, InstantWorker(run.log, run.config, 3) as worker:
        first, second, third = assign_three(run, worker)
        worker.play(first)
        for role in ("scheduler", "assembler"):
            run.kill(role)
        worker.play(second)
        pause(DOWN_S)
        worker.play(third)
        finish_after_downtime(run, worker)


def test_deleted_records_that_archiver_and_assembler_had_not_read_stop_them_and_an_accepted_loss_is_written_down(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    with FaultyRun(tmp_path, url, prefix=kafka_prefix) as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        run.stop("archiver")
        run.stop("assembler")
        drop_what_waits(run)
        run.start("archiver")
        run.finish(abandoned=4, dropped=True)  # of the player, which was told to stop together with the scheduler


def test_deleted_records_that_the_learner_had_not_read_stop_it_before_it_trains_anything_else(
    url: str, tmp_path: Path, kafka_prefix: str
) -> None:
    with FaultyRun(tmp_path, url, config=learner_config(kafka_prefix)) as run:
        overtake_learner(run)
