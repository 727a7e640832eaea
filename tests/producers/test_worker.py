"""The worker role on a real log, with a real engine server: slots, leaving, waiting, failures."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from tests.harness.sandbox.boxes import build_once
from tests.harness.tiny_task import CALC
from tests.stream.roles import role_thread
from trajlog.config import (
    EpisodeConfig,
    GroupConfig,
    LogConfig,
    ModelConfig,
    RunConfig,
    SamplingConfig,
    SchedulerConfig,
)
from trajlog.errors import TrajlogError
from trajlog.harness.sandbox import SandboxPool
from trajlog.producers.worker import Worker
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeFinished,
    EpisodeStarted,
    EpisodeVerdict,
    FinishedEpisode,
    GroupVerdict,
    Heartbeat,
    PolicyAcknowledged,
    Producer,
    encode,
)
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.server import EngineServer
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.wire import policy_name
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.open import open_log
from trajlog.stream.scheduler import run_scheduler

TOKENIZER = load_tokenizer("byte")
TURNS = (
    '<tool_call>{"name": "edit_file", "arguments": '
    '{"path": "calc.py", "old_str": "a - b", "new_str": "a + b"}}</tool_call>',
    '<tool_call>{"name": "done", "arguments": {}}</tool_call>',
)
CONFIG = RunConfig(
    run_id="r",
    log=LogConfig(prefix="p", num_partitions=1),
    model=ModelConfig(name="byte"),
    episode=EpisodeConfig(turn_limit=4),
    sampling=SamplingConfig(max_tokens=2000),
    scheduler=SchedulerConfig(lease_s=8.0),
)
ENGINE, SCHEDULER = Producer("engine"), Producer("scheduler")
WITHIN_S = 60.0


@pytest.fixture
def log(tmp_path):
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as opened:
        opened.create_topics(CONFIG.topics())
        yield opened


@pytest.fixture
def server() -> Iterator[EngineServer]:
    with EngineServer(ScriptedEngine(TOKENIZER, [Script("", TURNS)], names=[policy_name(3)])) as running:
        yield running


@contextmanager
def working(log, server, on_status=lambda message: None, config=CONFIG, **options):
    """A worker in a thread; stopped at the end, its exception raised."""
    stop, failures = threading.Event(), []
    tasks = {"calc": CALC}
    options = {"engine_url": server.url, "name": "w", "on_status": on_status, **options}
    worker = Worker(log, config, tasks, TOKENIZER, 2, stop, **options)

    def target():
        try:
            worker.run()
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    try:
        yield worker
    finally:
        stop.set()
        thread.join(WITHIN_S)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def acknowledge(log, server):
    event = PolicyAcknowledged(**ENGINE.stamp("r"), engine="e", endpoint=server.url, policy_version=3, sha256="ab" * 32)
    log.append("p.control", encode([event]))


def assign(log, worker, *episodes, task="calc"):
    name = f"{worker.producer.id}/{worker.producer.incarnation}"
    for episode in episodes:
        stamp = SCHEDULER.stamp("r", group_id="g", episode_id=episode)
        event = EpisodeAssigned(**stamp, epoch=1, worker=name, task_id=task, attempt=0)
        log.append("p.control", encode([event]))


def events(log, topic, kind):
    with ControlFollower(log, f"p.{topic}", {kind.kind}) as follower:
        return [event for _, event in follower.catch_up() if isinstance(event, kind)]


def until(condition):
    deadline = time.monotonic() + WITHIN_S
    while not (answer := condition()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer


def told(log):
    return {one.episode_id for beat in events(log, "liveness", Heartbeat) for one in beat.finished}


def test_a_slot_takes_the_next_episode_when_one_ends_and_a_heartbeat_tells(log, server):
    with working(log, server) as worker:
        acknowledge(log, server)
        assign(log, worker, "e1", "e2", "e3", "e4", "e5")
        finished = until(lambda: len(all_of := events(log, "rollouts", EpisodeFinished)) == 5 and all_of)
        until(lambda: len(told(log)) == 5)
    assert {event.episode_id for event in finished} == {"e1", "e2", "e3", "e4", "e5"}
    assert {event.outcome for event in finished} == {"solved"}
    beats = events(log, "liveness", Heartbeat)
    assert {beat.num_slots for beat in beats} == {2}
    assert told(log) == {"e1", "e2", "e3", "e4", "e5"}
    assert (beats[-1].leaving, beats[-1].running) == (True, ())


def test_every_finished_episode_is_in_a_heartbeat_however_many_end_between_two(log):
    worker = Worker(log, CONFIG, {}, TOKENIZER, 2, threading.Event())
    names = [f"e{number}" for number in range(43)]
    for ended in (names[:40], names[40:], []):
        worker._finished += [FinishedEpisode(name, "solved") for name in ended]
        worker._beat()
    beats = [[one.episode_id for one in beat.finished] for beat in events(log, "liveness", Heartbeat)]
    assert beats == [names[:40], names[24:], names[27:]]  # each at least once, and the last 16 again


def test_group_size_and_debugger_use_travel_from_scheduler_to_worker_to_assembler_and_back(log, server):
    """Real roles: the group has the size that an unseen task gets in the profile's range, 8, not group_size."""
    config = msgspec.structs.replace(
        CONFIG,
        episode=EpisodeConfig(turn_limit=4, tools=("edit_file", "debugger", "done")),
        group=GroupConfig(group_size=12, min_group_size=2, hardware="gpu"),
        scheduler=SchedulerConfig(lease_s=8.0, max_episodes=1),
    )
    start_run(log, config, Producer("test"))
    known = [CurriculumTask("calc", debugger="optional")]
    with (
        role_thread(log.url, lambda own, stop: run_scheduler(own, config, known, stop)),
        role_thread(log.url, lambda own, stop: run_assembler(own, config, stop)),
        working(log, server, config=config),
    ):
        acknowledge(log, server)
        (group,) = until(lambda: events(log, "control", GroupVerdict))
    assigned = events(log, "control", EpisodeAssigned)
    assert {(a.group_size, a.curriculum_phase, a.success_estimate) for a in assigned} == {(8, 1, 0.5)}
    assert {event.group_size for event in events(log, "rollouts", EpisodeStarted)} == {8}
    assert (group.reason, group.numbers["group_size"], group.numbers["finished"]) == ("zero_variance", 8.0, 8.0)
    assert {event.debugger_fits for event in events(log, "rollouts", EpisodeFinished)} == {True}  # left alone: optional
    assert {event.debugger_fits for event in events(log, "control", EpisodeVerdict)} == {True}


@pytest.mark.parametrize("kind", ["local", pytest.param("docker", marks=pytest.mark.docker)])
def test_episodes_and_their_grading_take_every_sandbox_from_the_pool(log, server, kind):
    if kind == "docker":
        build_once()
    made = []
    with SandboxPool(kind, num_warm=1) as pool:

        def make(files, limits=None):
            made.append(sorted(files))
            return pool(files, limits)

        with working(log, server, make_sandbox=make) as worker:
            acknowledge(log, server)
            assign(log, worker, "e1", "e2")
            finished = until(lambda: len(all_of := events(log, "rollouts", EpisodeFinished)) == 2 and all_of)
    assert {event.outcome for event in finished} == {"solved"}
    assert sum(files == sorted(CALC.workspace) for files in made) == 2  # the agent's: no held-back test
    assert sum("test_hidden.py" in files for files in made) >= 2


def test_assignments_of_another_worker_are_left_alone(log, server):
    with working(log, server) as worker:
        acknowledge(log, server)
        stamp = SCHEDULER.stamp("r", group_id="g", episode_id="other")
        other = EpisodeAssigned(**stamp, epoch=1, worker="someone/else", task_id="calc", attempt=0)
        log.append("p.control", encode([other]))
        assign(log, worker, "mine")
        until(lambda: events(log, "rollouts", EpisodeFinished))
    assert [event.episode_id for event in events(log, "rollouts", EpisodeFinished)] == ["mine"]


def test_nothing_is_offered_to_the_scheduler_before_an_engine_serves(log, server):
    said = []
    with working(log, server, on_status=said.append):
        until(lambda: said)
        acknowledge(log, server)
        first = until(lambda: events(log, "liveness", Heartbeat))[0]
    assert said == ["waiting for an engine to serve a policy version"]
    assert first.emitted_at > events(log, "control", PolicyAcknowledged)[0].emitted_at


def test_a_worker_is_never_given_the_heartbeat_of_another_worker(log, server, monkeypatch):
    heard = []
    see = Worker._see
    monkeypatch.setattr(Worker, "_see", lambda worker, event: heard.append(event) or see(worker, event))
    fields = {"role": "engine", "num_slots": 1, "running": (), "finished": (), "endpoint": server.url}
    with working(log, server, engine_url=None), working(log, server, engine_url=None):
        acknowledge(log, server)

        def both_beat():
            log.append("p.engines", encode([Heartbeat(**ENGINE.stamp("r"), **fields)]))
            return len({beat.producer for beat in events(log, "liveness", Heartbeat)}) == 2

        until(both_beat)
        num_heard = len(heard)
        until(lambda: both_beat() and len(heard) > num_heard)
    assert {event.role for event in heard if isinstance(event, Heartbeat)} == {"engine"}


def test_a_worker_asked_to_stop_while_no_engine_lives_leaves_in_order(log, server):
    """An episode that could not begin is given back, and is nobody's failure."""

    def beat(leaving=False):
        fields = {"role": "engine", "num_slots": 1, "running": (), "finished": (), "endpoint": server.url}
        log.append("p.engines", encode([Heartbeat(**ENGINE.stamp("r"), **fields, leaving=leaving)]))

    def beats():
        return [event for event in events(log, "liveness", Heartbeat) if event.role == "worker"]

    with working(log, server, engine_url=None) as worker:
        acknowledge(log, server)
        until(lambda: beat() or beats())
        beat(leaving=True)
        until(lambda: worker._route("e1") is None)
        assign(log, worker, "e1")
        until(lambda: beats()[-1].running == ("e1",))
    assert events(log, "rollouts", EpisodeStarted) == []
    assert (beats()[-1].leaving, beats()[-1].running) == (True, ())


def test_a_task_that_only_the_scheduler_knows_ends_the_worker_with_what_to_do(log, server):
    worker = Worker(log, CONFIG, {}, TOKENIZER, 1, threading.Event(), engine_url=server.url)
    assign(log, worker, "e1")
    with pytest.raises(TrajlogError, match="same task folder"):
        worker.run()
