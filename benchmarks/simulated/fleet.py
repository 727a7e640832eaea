"""Processes around a real log: one that plays many simulated workers, and the real roles, watched from outside.

A fleet keeps `num_open` episodes open at once; when one ends, its slot starts the next, as a worker's does. Turns of
AT_ONCE episodes go into one append, as when so many workers append at the same moment: one acknowledgement for all,
which is what one process can simulate of thousands. It is closed-loop (the next append follows the acknowledgement) or
open-loop, at a rate.
"""

import multiprocessing
import random
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import uuid4

import psutil
from simulated.episodes import GROUP_SIZE, SIZES, now_micros, templates

from trajlog.config import RunConfig
from trajlog.schemas import new_id
from trajlog.schemas.record import NewRecord
from trajlog.stream.archiver import run_archiver
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import wait_for_run
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.open import open_log

AT_ONCE = 10
SPAWN = multiprocessing.get_context("spawn")


class _Open:
    """An open episode: who it is, and how far."""

    def __init__(self, number: int, group_id: bytes) -> None:
        self.number, self.group_id, self.episode_id, self.next_batch = number, group_id, str(uuid4()).encode(), 0


class Fleet:
    def __init__(self, log: Log, config: RunConfig, size: str, num_open: int) -> None:
        self._log, self._topic = log, config.topic("rollouts")
        self._kinds = templates(SIZES[size], config.run_id)
        self._num_open, self._num_begun = num_open, 0
        self._group_id = b""
        self._open: deque[_Open] = deque()
        self.counts = dict.fromkeys(("events", "bytes", "appends", "finished", "wait_s"), 0.0)

    def fill(self) -> None:
        """Open all episodes and play each to a place of its own between its start and its end."""
        chance, pending = random.Random(0), []
        for number in range(self._num_open):
            opened = self._begin()
            num_batches = len(self._kinds[0])
            for _ in range(1 + number * (num_batches - 1) // self._num_open):
                pending += self._next(opened)
            self._open.append(opened)
            if len(pending) > 500:
                self._append(pending)
                pending = []
        self._append(pending)
        chance.shuffle(self._open)

    def play(self, seconds: float, events_per_s: float | None) -> None:
        """Turn after turn, for so long; flat out without a rate."""
        began, first = time.monotonic(), self.counts["events"]
        while (passed := time.monotonic() - began) < seconds:
            ahead = self.counts["events"] - first - passed * events_per_s if events_per_s else 0.0
            if events_per_s and ahead > 0:
                time.sleep(ahead / events_per_s)
            self._append([record for _ in range(min(AT_ONCE, self._num_open)) for record in self._turn()])

    def complete_group(self) -> str:
        """Play all members of the oldest open group to their end."""
        group_id = min(self._open, key=lambda one: one.number).group_id
        records: list[NewRecord] = []
        while self._group_id == group_id and self._num_begun % GROUP_SIZE:
            self._open.append(self._begin())  # its last members have not begun
        for member in [one for one in self._open if one.group_id == group_id]:
            while member.next_batch < len(self._kinds[0]):
                records += self._next(member)
            self._open.remove(member)
        self._append(records)
        return group_id.decode()

    def _begin(self) -> _Open:
        if self._num_begun % GROUP_SIZE == 0:
            self._group_id = str(uuid4()).encode()
        self._num_begun += 1
        return _Open(self._num_begun, self._group_id)

    def _turn(self) -> Iterator[NewRecord]:
        """What the next worker appends; an episode that ends makes room for the next."""
        one = self._open.popleft()
        yield from self._next(one)
        if one.next_batch == len(self._kinds[0]):
            self.counts["finished"] += 1
            one = self._begin()
        self._open.append(one)

    def _next(self, one: _Open) -> Iterator[NewRecord]:
        batch = self._kinds[one.number % 2][one.next_batch]
        one.next_batch += 1
        for template in batch:
            yield template.patched(new_id().encode(), one.group_id, one.episode_id, now_micros())

    def _append(self, records: list[NewRecord]) -> None:
        began = time.monotonic()
        self._log.append(self._topic, records)
        self.counts["wait_s"] += time.monotonic() - began
        self.counts["appends"] += 1
        self.counts["events"] += len(records)
        self.counts["bytes"] += sum(len(record.value) for record in records)


def fleet_process(link: Connection, url: str, prefix: str, size: str, num_open: int) -> None:
    """Obey ("fill",), ("play", seconds, rate), ("complete_group",) until the link closes; answers (result, counts)."""
    with open_log(url) as log:
        fleet = Fleet(log, wait_for_run(log, prefix), size, num_open)
        while True:
            try:
                name, *arguments = link.recv()
            except EOFError:
                return
            link.send((getattr(fleet, name)(*arguments), dict(fleet.counts)))


def role_process(role: str, url: str, prefix: str, run_dir: str, positions: Any) -> None:
    """A real role. `positions` (shared, one entry per partition of .rollouts) shows what its reader has passed."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with open_log(url) as log:
        config = wait_for_run(log, prefix)
        _watch(log, config.topic("rollouts"), positions)
        if role == "assembler":
            run_assembler(log, config, stop)
        else:
            run_archiver(log, config, Path(run_dir), stop)


def _watch(log: Log, topic: str, positions: Any) -> None:
    """Make the log's group reader tell how far it is, after each poll."""
    make = log.group_reader

    def group_reader(*arguments: Any, **named: Any) -> Any:
        reader = make(*arguments, **named)
        poll = reader.poll

        def told(timeout_s: float, *more: Any, **others: Any) -> Any:
            for tp in reader.assignment():
                if tp.topic == topic:  # what the poll before gave has been taken in by now
                    positions[tp.partition] = max(positions[tp.partition], reader.position(tp))
            return poll(timeout_s, *more, **others)

        reader.poll = told
        return reader

    log.group_reader = group_reader


class Process:
    """A child process and what it has cost so far."""

    def __init__(self, target: Any, *arguments: Any) -> None:
        self.child = SPAWN.Process(target=target, args=arguments, daemon=True)
        self.child.start()

    def cpu_s(self) -> float:
        """User and system seconds so far; 0.0 once it has ended."""
        return cpu_s(self.child.pid)

    def rss(self) -> int:
        return psutil.Process(self.child.pid).memory_info().rss

    def kill(self) -> None:
        self.child.kill()
        self.child.join()

    def end(self) -> None:
        """SIGTERM, as for any role; kill what does not go."""
        self.child.terminate()
        self.child.join(30)
        if self.child.exitcode is None:
            self.kill()


def cpu_s(pid: int) -> float:
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return times.user + times.system


class Role(Process):
    def __init__(self, role: str, url: str, prefix: str, run_dir: Path, num_partitions: int) -> None:
        self.role = role
        self.positions = SPAWN.Array("q", [-1] * num_partitions)
        super().__init__(role_process, role, url, prefix, str(run_dir), self.positions)


class Workers(Process):
    """A fleet in a process of its own."""

    def __init__(self, url: str, prefix: str, size: str, num_open: int) -> None:
        self._link, theirs = SPAWN.Pipe()
        super().__init__(fleet_process, theirs, url, prefix, size, num_open)
        theirs.close()

    def ask(self, *command: Any) -> None:
        self._link.send(command)

    def answer(self) -> tuple[Any, Mapping[str, float]]:
        return self._link.recv()

    def ready(self) -> bool:
        return self._link.poll(0)

    def end(self) -> None:
        self._link.close()
        self.child.join(30)
        super().end()


def behind(ends: Mapping[TopicPartition, int], roles: list[Role]) -> int:
    """Records between the end of .rollouts and what the furthest of `roles` has read, over all partitions."""
    return sum(end - max(0, *(role.positions[tp.partition] for role in roles)) for tp, end in ends.items())
