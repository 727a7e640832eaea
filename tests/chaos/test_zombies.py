"""Roles that are stopped by signal until another has taken over, and wake: they end, and nothing they write counts."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.faulty_run import FaultyRun, learner_config
from tests.chaos.invariants import check_run
from tests.learner.groups import simple_group
from tests.stream.roles import InstantWorker
from trajlog.schemas import EpisodeVerdict, Heartbeat, LearnerStarted, SchedulerStarted, TrainStep, encode
from trajlog.stream.archiver import run_archiver
from trajlog.stream.open import open_log

URLS = ["sqlite", pytest.param("kafka", marks=pytest.mark.kafka)]
SHORT = ("stream.sqlite_reader.LEASE_S=2", "stream.sqlite_reader.HEARTBEAT_S=0.2", "stream.kafka_client.SESSION_S=6")
"""How long a silent member keeps its place: on Kafka the least that brokers allow."""


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str | None:
    return None if request.param == "sqlite" else str(request.getfixturevalue("kafka_broker").url)


@pytest.fixture
def run(url: str | None, tmp_path: Path, kafka_prefix: str) -> Iterator[FaultyRun]:
    with FaultyRun(tmp_path, url, prefix=kafka_prefix, numbers=SHORT) as run:
        yield run


def takes_over(run: FaultyRun, role: str, kind: str | None, count: int) -> None:
    """Start a second one of a frozen role and wait until it leads: at once refused on SQLite while the lease lasts."""

    def leads() -> bool:
        if run.processes[role].poll() is not None:
            assert "RoleBusy" in run.said(role)
            run.processes.pop(role)
            run.start(role)
        return kind is None or len(run.events("control", kind)) >= count

    frozen = run.processes.pop("frozen")
    run.start(role)
    try:
        run.until_any(leads)
    finally:
        run.processes["frozen"] = frozen


@pytest.mark.slow
@pytest.mark.parametrize("url", URLS, indirect=True)
def test_a_scheduler_that_wakes_after_another_took_over_ends_and_none_of_its_decisions_counts(run: FaultyRun) -> None:
    run.start("scheduler", name="frozen")
    run.start("assembler", "archiver", "player")
    run.until_verdicts(2)
    run.freeze("frozen")
    takes_over(run, "scheduler", SchedulerStarted.kind, 2)
    run.until_verdicts(1)
    run.wake("frozen")
    assert run.ended("frozen").startswith(
        ("RoleBusy: another scheduler has begun epoch", "LogError: this member of group")
    )
    run.until_verdicts(2)
    run.finish()
    epochs = [event.epoch for event in run.events("control", "episode_assigned")]
    assert epochs == sorted(epochs)


@pytest.mark.slow
@pytest.mark.parametrize("url", URLS, indirect=True)
def test_an_assembler_that_wakes_after_another_took_over_judges_nothing_twice(run: FaultyRun) -> None:
    run.start("scheduler", "archiver", "player")
    run.start("assembler", name="frozen")
    run.until_verdicts(2)
    run.freeze("frozen")
    judged = len(run.events("control", "group_verdict"))
    takes_over(run, "assembler", "group_verdict", judged + 1)
    run.wake("frozen")
    if run.url.startswith("sqlite"):
        assert run.ended("frozen").startswith("LogError: this member of group")
    run.until_verdicts(2)
    if "frozen" in run.processes:  # on Kafka it joins again: members share partitions
        run.stop("frozen")
    run.finish()


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_worker_that_wakes_after_its_lease_costs_its_slots_and_its_episodes_are_no_members(run: FaultyRun) -> None:
    run.close()
    run.processes.clear()
    with FaultyRun(run.folder / "b", prefix="p", numbers=SHORT, lease_s=8.0) as run:
        run.start("scheduler", "assembler", "archiver")
        with InstantWorker(run.log, run.config, 4, name="asleep") as asleep:

            def given() -> bool:
                asleep.heartbeat()
                asleep.take()
                return len(asleep.assigned) >= 4

            run.until(given)
            lost = {event.episode_id for event in asleep.assigned}
            run.until(lambda: lost <= {v.episode_id for v in abandoned(run)})
            run.start("player")
            run.until_verdicts(2)
            for assignment in asleep.assigned:  # it wakes and goes on
                asleep.play(assignment)
            asleep.heartbeat()
            asleep.heartbeat(leaving=True)
            run.until_verdicts(1)
            run.finish(abandoned=8)  # its slots, and what they may be given between its waking and its leaving
        sealed = {member.episode_id for group in run.events("groups") for member in group.members}  # type: ignore[attr-defined]
        assert not sealed & lost
        verdicts = Counter(event.episode_id for event in run.events("control", EpisodeVerdict.kind))
        assert {verdicts[name] for name in lost} == {1}
        heard = [event for event in run.events("liveness", Heartbeat.kind) if event.producer.startswith("asleep")]
        assert heard[-1].leaving


def abandoned(run: FaultyRun) -> list[EpisodeVerdict]:
    verdicts = run.events("control", EpisodeVerdict.kind)
    return [event for event in verdicts if isinstance(event, EpisodeVerdict) and event.verdict == "abandoned"]


@pytest.mark.slow
@pytest.mark.parametrize("url", URLS, indirect=True)
def test_a_learner_that_wakes_after_another_took_over_ends_and_trains_no_group_twice(
    url: str | None, tmp_path: Path, kafka_prefix: str
) -> None:
    config = learner_config(kafka_prefix)
    with FaultyRun(tmp_path, url, numbers=SHORT, config=config) as run:
        groups = [simple_group(f"g{n}", run_id=config.run_id) for n in range(8)]
        run.log.append(config.topic("groups"), encode(groups[:4]))
        run.start("learner", name="frozen")
        run.until(lambda: len(run.events("control", TrainStep.kind)) >= 1)
        run.freeze("frozen")
        takes_over(run, "learner", LearnerStarted.kind, 2)
        run.log.append(config.topic("groups"), encode(groups[4:]))
        run.until_any(lambda: trained(run) >= {group.group_id for group in groups})
        run.wake("frozen")
        assert run.ended("frozen").startswith(
            (
                "RoleBusy: another learner ",  # has begun an epoch, or cleared away the checkpoint that it slept in
                "LogError: this ",
                "MemberReplaced: this ",
            )
        )
        run.stop("learner")
        stop = threading.Event()
        stop.set()
        with open_log(run.url) as log:
            run_archiver(log, config, tmp_path, stop)
            report = check_run(log, config, tmp_path, journals=run.journals())
        assert report.acknowledged > 0
        assert report.train_steps == 4
        assert report.faults == [
            "groups with a sealed verdict and no record, or the reverse: " + str([f"g{n}" for n in range(8)])
        ]


def trained(run: FaultyRun) -> set[str]:
    steps = [event for event in run.events("control", TrainStep.kind) if isinstance(event, TrainStep)]
    return {name for step in steps for name in step.groups_trained}
