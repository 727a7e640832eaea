"""Real roles over a real log for tests: started as threads or processes, and what the log says they did."""

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stream.stream_events import RUN, episode
from trajlog.config import RunConfig
from trajlog.schemas import EpisodeAssigned, Event, FinishedEpisode, GroupSealed, Heartbeat, Producer, encode
from trajlog.stream.control import ControlFollower
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

WITHIN_S = 150.0
"""Longest that anything awaited may take on a busy machine."""
_PROGRAM = Path(__file__).with_name("role_process.py")
_ROOT = Path(__file__).parents[2]


@contextmanager
def role_thread(url: str, run: Callable[[Log, threading.Event], None]) -> Iterator[threading.Event]:
    """`run` in a thread with its own log; stopped at the end, its exception raised."""
    stop, failures = threading.Event(), []

    def target():
        try:
            with open_log(url) as log:
                run(log, stop)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    try:
        yield stop
    finally:
        stop.set()
        thread.join(WITHIN_S)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


@contextmanager
def role_process(role: str, url: str, *crash: str, prefix: str) -> Iterator[subprocess.Popen]:
    """A process that is killed at the end, if it has not ended."""
    environment = {**os.environ, "TRAJLOG_PREFIX": prefix, "PYTHONPATH": str(_ROOT)}
    command = [sys.executable, "-W", "ignore", str(_PROGRAM), role, url, *crash]
    process = subprocess.Popen(command, env=environment)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(condition: Callable[[], object], timeout_s: float = WITHIN_S):
    """The first true answer of `condition`; fails when there is none in time."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        answer = condition()
        if answer:
            return answer
        time.sleep(0.05)
    raise AssertionError(f"still not true after {timeout_s} s")


def events_of(log: Log, topic: str, *kinds: str, run_id: str = RUN) -> list[Event]:
    with ControlFollower(log, topic, kinds or None, run_id=run_id) as follower:
        return [event for _, event in follower.catch_up() if not kinds or event.kind in kinds]


def verdicts(log: Log, config: RunConfig) -> tuple[Counter, Counter, Counter]:
    """How often each episode and each group has a verdict, and each group a sealed record."""
    control = events_of(log, config.topic("control"), "episode_verdict", "group_verdict")
    sealed = [e for e in events_of(log, config.topic("groups")) if isinstance(e, GroupSealed)]
    return (
        Counter(e.episode_id for e in control if e.kind == "episode_verdict"),
        Counter(e.group_id for e in control if e.kind == "group_verdict"),
        Counter(e.group_id for e in sealed),
    )


class InstantWorker:
    """Plays every assigned episode at once: real events on a real log, no sampling."""

    def __init__(self, log: Log, config: RunConfig, num_slots: int, name: str = "w1") -> None:
        self._log, self._config, self._num_slots = log, config, num_slots
        self.producer = Producer(name)
        self.finished: list[FinishedEpisode] = []
        self.assigned: list[EpisodeAssigned] = []
        self._follower = ControlFollower(log, config.topic("control"), {"episode_assigned"}, run_id=RUN)

    def heartbeat(self, *running: str, leaving: bool = False) -> None:
        event = Heartbeat(
            **self.producer.stamp(RUN),
            role="worker",
            num_slots=self._num_slots,
            running=running,
            finished=tuple(self.finished[-256:]),
            leaving=leaving,
        )
        self._log.append(self._config.topic("liveness"), encode([event]))

    def take(self) -> list[EpisodeAssigned]:
        """New assignments of this worker."""
        mine = f"{self.producer.id}/{self.producer.incarnation}"
        new = [e for _, e in self._follower.poll(0.1) if isinstance(e, EpisodeAssigned) and e.worker == mine]
        self.assigned += new
        return new

    def play(self, assignment: EpisodeAssigned) -> None:
        solved = len(self.finished) % 2 == 0
        outcome = "solved" if solved else "failed"
        events = episode(
            assignment.group_id, assignment.episode_id, reward=float(solved), outcome=outcome, task=assignment.task_id
        )
        self._log.append(self._config.topic("rollouts"), encode(events))
        self.finished.append(FinishedEpisode(assignment.episode_id, outcome))

    def close(self) -> None:
        self._follower.close()

    def __enter__(self) -> "InstantWorker":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
