"""The scheduler as a process over a real log: with workers and an assembler, killed, succeeded, doubled."""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from tests.stream.roles import WITHIN_S, InstantWorker, events_of, role_process, role_thread, until, verdicts
from tests.stream.stream_events import RUN
from trajlog.config import GroupConfig, LogConfig, RunConfig, SchedulerConfig
from trajlog.errors import ConfigError, RoleBusy
from trajlog.schemas import EpisodeAssigned, EpisodeVerdict, Heartbeat, Producer, SchedulerStarted, encode
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import start_run
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.log import Log, LogRecord, TopicPartition
from trajlog.stream.open import open_log
from trajlog.stream.scheduler import run_scheduler

KILLED = -9
LEASE_S = 4.0
"""Short, but longer than a busy machine takes from one line of a test to the next."""
TASKS = ["t1", "t2", "t3"]
KNOWN = [CurriculumTask(name) for name in TASKS]


@pytest.fixture
def sqlite_log(tmp_path: Path) -> Iterator[Log]:
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as opened:
        yield opened


def started(log: Log, prefix: str = "p", **scheduler: float) -> RunConfig:
    config = RunConfig(
        run_id=RUN,
        log=LogConfig(prefix=prefix, num_partitions=2),
        group=GroupConfig(group_size=3, min_group_size=2),
        scheduler=SchedulerConfig(**{"max_episodes": 12, "high_water_groups": 50, **scheduler}),
    )
    return start_run(log, config, Producer("test"))


def scheduling(log: Log, config: RunConfig):
    return role_thread(log.url, lambda own, stop: run_scheduler(own, config, KNOWN, stop))


def assembling(log: Log, config: RunConfig):
    return role_thread(log.url, lambda own, stop: run_assembler(own, config, stop))


def read(log: Log, topic: str) -> list[LogRecord]:
    with log.reader([topic], "beginning") as reader:
        return reader.poll(1.0)


def work(worker: InstantWorker, done) -> None:
    """Play whatever comes until `done`, and be heard at every turn: no lease ends however slow the machine is."""

    def turn() -> bool:
        worker.heartbeat()
        for assignment in worker.take():
            worker.play(assignment)
        return bool(done())

    until(turn)


def take_three(worker: InstantWorker) -> None:
    """Be heard until three episodes are assigned."""

    def turn() -> bool:
        worker.heartbeat(*[a.episode_id for a in worker.assigned])
        worker.take()
        return len(worker.assigned) == 3

    until(turn)


def test_slots_become_groups_and_groups_are_sealed(log: Log, kafka_prefix: str) -> None:
    config = started(log, kafka_prefix)
    with scheduling(log, config), assembling(log, config), InstantWorker(log, config, num_slots=4) as worker:
        work(worker, lambda: len(verdicts(log, config)[2]) == 4)
    episodes, groups, sealed = verdicts(log, config)
    assert set(groups.values()) == set(sealed.values()) == set(episodes.values()) == {1}
    assert len(episodes) == len(worker.assigned) == 12
    assert Counter(a.group_id for a in worker.assigned) == {group: 3 for group in groups}
    tasks = {a.group_id: a.task_id for a in worker.assigned}
    assert Counter(tasks.values()).keys() == set(TASKS)  # three of the four groups: every task once
    assert {a.epoch for a in worker.assigned} == {0}


@pytest.mark.parametrize("point", ["before", "after"])
def test_killed_around_an_append_it_goes_on_in_a_new_epoch(sqlite_log: Log, point: str) -> None:
    """Append 1 is scheduler_started, append 2 the first group's assignments."""
    log, config = sqlite_log, started(sqlite_log)
    with InstantWorker(log, config, num_slots=4) as worker, assembling(log, config):
        worker.heartbeat()
        with role_process("scheduler", log.url, point, "2", prefix="p") as process:
            assert process.wait(WITHIN_S) == KILLED
        assert len(events_of(log, "p.control", "episode_assigned")) == (3 if point == "after" else 0)
        with scheduling(log, config):
            work(worker, lambda: len(verdicts(log, config)[2]) == 4)
    assert len(worker.assigned) == len({a.episode_id for a in worker.assigned}) == 12
    assert [e.epoch for e in events_of(log, "p.control", "scheduler_started")] == [0, 1]
    assert set(verdicts(log, config)[0].values()) == {1}


def test_an_outage_of_the_log_costs_no_worker_its_lease(sqlite_log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    """The log does not answer the scheduler for longer than a lease, and the worker's heartbeat comes a while after."""
    log, config = sqlite_log, started(sqlite_log, lease_s=LEASE_S, max_episodes=3)
    answers, held = threading.Event(), threading.Event()
    answers.set()
    end_offsets = type(log).end_offsets

    def answering_late(self: Log, topic: str, *, committed: bool = True) -> dict[TopicPartition, int]:
        if self is not log and not answers.is_set():
            held.set()
            answers.wait(WITHIN_S)
        return end_offsets(self, topic, committed=committed)

    monkeypatch.setattr(type(log), "end_offsets", answering_late)
    with scheduling(log, config), InstantWorker(log, config, 3, "w1") as worker:
        take_three(worker)
        worker.heartbeat(*[a.episode_id for a in worker.assigned])
        answers.clear()
        assert held.wait(WITHIN_S)
        told_s = time.monotonic()
        until(lambda: time.monotonic() > told_s + LEASE_S + 0.5)
        answers.set()
        until(lambda: time.monotonic() > told_s + LEASE_S + 0.8)
        worker.heartbeat(*[a.episode_id for a in worker.assigned])
        until(lambda: len(events_of(log, "p.control", "episode_verdict")) == 3)  # now it is silent, and they are lost
    first = min(r.append_time for r in read(log, "p.control") if r.header("kind") == "episode_verdict")
    beats = sorted(r.append_time for r in read(log, "p.liveness"))
    assert (first - beats[-1]).total_seconds() >= LEASE_S


def test_a_silent_workers_episodes_go_to_another(sqlite_log: Log) -> None:
    log, config = sqlite_log, started(sqlite_log, lease_s=LEASE_S, max_episodes=3)
    with scheduling(log, config), InstantWorker(log, config, 3, "w1") as silent, assembling(log, config):
        take_three(silent)
        silent.play(silent.assigned[0])  # finished, and its heartbeat says so: it stays in its group
        silent.heartbeat(*[a.episode_id for a in silent.assigned[1:]])
        with InstantWorker(log, config, 3, "w2") as other:
            until(lambda: events_of(log, "p.control", "episode_verdict"))
            work(other, lambda: verdicts(log, config)[1])
        for assignment in silent.assigned[1:]:
            silent.play(assignment)  # it wakes and finishes what is no longer its own
        until(lambda: len(verdicts(log, config)[0]) == 5)
    named = {e.episode_id: e.verdict for e in events_of(log, "p.control", "episode_verdict")}
    assert [named[a.episode_id] for a in silent.assigned] == ["sealed", "abandoned", "abandoned"]
    assert [named[a.episode_id] for a in other.assigned] == ["sealed", "sealed"]
    assert set(verdicts(log, config)[0].values()) == {1}


def test_old_heartbeats_of_workers_and_engines_are_dropped(sqlite_log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trajlog.stream.scheduler.KEEP_LIVENESS", timedelta(0))
    group = GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=0.1)
    config = RunConfig(run_id=RUN, log=LogConfig(prefix="p"), group=group, scheduler=SchedulerConfig(lease_s=0.2))
    log = sqlite_log
    start_run(log, config, Producer("test"))
    engine = Producer("engine")

    def dropped(topic: str) -> bool:
        (begin,), (end,) = log.begin_offsets(topic).values(), log.end_offsets(topic).values()
        return 0 < begin < end

    with scheduling(log, config), InstantWorker(log, config, 1) as worker:

        def beat_until_dropped() -> bool:
            worker.heartbeat()
            beat = Heartbeat(**engine.stamp(RUN), role="engine", num_slots=1, running=(), finished=())
            log.append("p.engines", encode([beat]))
            return dropped("p.liveness") and dropped("p.engines")

        until(beat_until_dropped)


def test_a_zombies_assignments_are_ignored(sqlite_log: Log) -> None:
    log, config = sqlite_log, started(sqlite_log)
    zombie = Producer("scheduler")
    log.append("p.control", encode([SchedulerStarted(**zombie.stamp(RUN), epoch=7)]))
    with scheduling(log, config), InstantWorker(log, config, num_slots=1) as worker:
        worker.heartbeat()
        until(lambda: worker.take())
        mine = f"{worker.producer.id}/{worker.producer.incarnation}"
        stamp = zombie.stamp(RUN, group_id="zombie", episode_id="zombie")
        woken = EpisodeAssigned(**stamp, epoch=7, worker=mine, task_id="t1", attempt=0)
        abandoned = EpisodeVerdict(
            **zombie.stamp(RUN, group_id="x", episode_id=worker.assigned[0].episode_id),
            verdict="abandoned",
            task_id="t1",
            epoch=7,
        )
        log.append("p.control", encode([woken, abandoned]))
        worker.play(worker.assigned[0])
        worker.heartbeat()
        until(lambda: worker.take())
    assert [a.epoch for a in worker.assigned] == [8, 8]
    assert "zombie" not in {a.group_id for a in worker.assigned}


def test_a_scheduler_that_sees_a_newer_epoch_ends(sqlite_log: Log) -> None:
    log, config = sqlite_log, started(sqlite_log)
    failures = []

    def run(own, stop):
        try:
            run_scheduler(own, config, KNOWN, stop)
        except RoleBusy as error:
            failures.append(str(error))

    with role_thread(log.url, run):
        until(lambda: events_of(log, "p.control", "scheduler_started"))
        log.append("p.control", encode([SchedulerStarted(**Producer("rival").stamp(RUN), epoch=1)]))
        until(lambda: failures)
    assert "another scheduler has begun epoch 1" in failures[0]


def test_a_second_scheduler_of_an_embedded_log_is_refused(sqlite_log: Log) -> None:
    log, config = sqlite_log, started(sqlite_log)
    with scheduling(log, config):
        until(lambda: events_of(log, "p.control", "scheduler_started"))
        with pytest.raises(RoleBusy):
            run_scheduler(log, config, KNOWN, threading.Event())


@pytest.mark.kafka
@pytest.mark.slow
def test_on_kafka_a_second_scheduler_stands_by_and_takes_over(kafka_broker, kafka_prefix: str) -> None:
    with open_log(kafka_broker.url) as log:
        config = started(log, kafka_prefix)
        control = config.topic("control")
        with (
            InstantWorker(log, config, num_slots=4) as worker,
            assembling(log, config),
            role_process("scheduler", log.url, prefix=kafka_prefix) as first,
        ):
            work(worker, lambda: len(worker.assigned) >= 4)
            with scheduling(log, config):
                first.kill()
                work(worker, lambda: len(verdicts(log, config)[2]) == 4)
        epochs = [e.epoch for e in events_of(log, control, "scheduler_started")]
        assert len(epochs) >= 2
        assert set(verdicts(log, config)[0].values()) == {1}


def test_no_tasks_is_an_error_that_says_where_to_look(sqlite_log: Log) -> None:
    config = started(sqlite_log)
    with pytest.raises(ConfigError, match=r"episode\.tasks"):
        run_scheduler(sqlite_log, config, [], threading.Event())
