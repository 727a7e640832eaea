"""The network between learner, engine and a real broker is cut in the middle of what they write, and comes back."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from plumbing.cut_proxy import CutProxy

from tests.chaos.faulty_run import SHORT, FaultyRun, learner_config, pause
from tests.chaos.invariants import check_run
from tests.chaos.proxied_broker import ProxiedBroker
from tests.learner.groups import simple_group
from trajlog.config import EngineConfig, ModelConfig
from trajlog.schemas import PolicyAcknowledged, TrainStep, encode
from trajlog.stream.archiver import run_archiver


@pytest.fixture
def broker(chaos_minutes: float) -> Iterator[ProxiedBroker]:
    if chaos_minutes == 0:
        pytest.skip("longer than a minute: with --chaos-minutes 1")
    with ProxiedBroker() as broker:
        yield broker


@pytest.fixture
def proxy(broker: ProxiedBroker) -> Iterator[CutProxy]:
    with broker.proxy() as proxy:
        yield proxy


@pytest.fixture
def run(broker: ProxiedBroker, proxy: CutProxy, tmp_path: Path, kafka_prefix: str) -> Iterator[FaultyRun]:
    (tmp_path / "script.json").write_text(json.dumps([{"marker": "", "turns": ["hello"]}]))
    config = msgspec.structs.replace(
        learner_config(kafka_prefix),
        model=ModelConfig(name="byte"),
        engine=EngineConfig(kind="scripted", script=str(tmp_path / "script.json")),
    )
    log_url = f"kafka://127.0.0.1:{broker.proxy_port}"
    with FaultyRun(tmp_path, broker.url, log_url=log_url, config=config, numbers=SHORT) as run:
        yield run


def steps(run: FaultyRun) -> list[TrainStep]:
    return [event for event in run.events("control", TrainStep.kind) if isinstance(event, TrainStep)]


def served(run: FaultyRun) -> set[int]:
    """Policy versions that an engine acknowledged."""
    found = run.events("control", PolicyAcknowledged.kind)
    return {event.policy_version for event in found if isinstance(event, PolicyAcknowledged)}


@pytest.mark.kafka
@pytest.mark.slow
def test_learner_and_engine_cut_off_in_the_middle_of_a_write_heal_or_end_and_every_group_is_trained_once(
    run: FaultyRun, proxy: CutProxy
) -> None:
    def hand_in(first: int, marker: bytes) -> None:
        """Two groups, and a cut while what comes of them is written."""
        proxy.was_cut.clear()
        proxy.cut_on = marker
        groups = [simple_group(f"g{n}", run_id=run.config.run_id) for n in (first, first + 1)]
        run.log.append(run.config.topic("groups"), encode(groups))
        run.until(proxy.was_cut.is_set)

    run.start("learner", "engine")
    for first, marker in ((0, b"train_step"), (2, b"policy_acknowledged")):
        run.until(lambda version=first // 2: version in served(run))
        hand_in(first, marker)
        pause(2.0)
        proxy.mend()
    run.until(lambda: 2 in served(run))
    hand_in(4, b"train_step")
    run.lose_the_log("learner", "engine")
    assert len(steps(run)) == 2
    proxy.mend()
    run.start("learner", "engine")
    run.until(lambda: 3 in served(run))
    run.stop("learner", "engine")
    assert [step.step for step in steps(run)] == [1, 2, 3]
    assert [name for step in steps(run) for name in step.groups_trained] == [f"g{n}" for n in range(6)]
    stop = threading.Event()
    stop.set()
    run_archiver(run.log, run.config, run.folder, stop)
    report = check_run(run.log, run.config, run.folder, journals=run.journals())
    assert report.acknowledged > 0
    assert report.faults == [  # the groups were handed in by this test, without an assembler's verdicts
        "groups with a sealed verdict and no record, or the reverse: " + str([f"g{n}" for n in range(6)])
    ]
