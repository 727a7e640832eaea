"""A run in real processes for tests of faults: start, stop, freeze and wake its roles; judge it at the end."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from tests.chaos.invariants import Report, check_run
from tests.stream.roles import WITHIN_S, events_of, until
from tests.stream.stream_events import RUN
from trajlog.config import (
    ArchiveConfig,
    EpisodeConfig,
    GroupConfig,
    LearnerConfig,
    LogConfig,
    RunConfig,
    SchedulerConfig,
    StalenessConfig,
)
from trajlog.schemas import Event, Producer
from trajlog.stream.control import start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

_ROOT = Path(__file__).parents[2]

ROLES = ("scheduler", "assembler", "archiver", "player")
SHORT = ("stream.kafka_client.RETRY_S=8", "stream.kafka_reader._PROBE_S=1")
"""A lost broker is waited for 8 s instead of 60: how long that is changes nothing in what is done."""


class FaultyRun:
    """Processes of one run. `log_url` is what the roles use (a proxy, say); `url` is this process's own way. What they
    print goes to `logs`, else to `folder`."""

    def __init__(
        self,
        folder: Path,
        url: str | None = None,
        *,
        log_url: str | None = None,
        prefix: str = "p",
        numbers: tuple[str, ...] = (),
        config: RunConfig | None = None,
        logs: Path | None = None,
        **scheduler: float,
    ) -> None:
        self.folder = folder
        self.logs = logs or folder
        self.url = url or f"sqlite:///{folder}/log.db"
        self.log_url = log_url or self.url
        self.numbers = numbers
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self._starts: Counter[str] = Counter()
        self._ready_before: Counter[str] = Counter()
        folder.mkdir(exist_ok=True)
        (self.logs / "journals").mkdir(exist_ok=True)
        self.log: Log = open_log(self.url, create=True)
        self.config = start_run(self.log, config or run_config(prefix, **scheduler), Producer("up"))

    def start(self, *roles: str, name: str | None = None) -> None:
        """Start roles; each is named as its role unless `name` says another one for one of them."""
        for role in roles:
            self._starts[name or role] += 1
            journal = self.logs / "journals" / f"{name or role}-{self._starts[name or role]}"
            self._ready_before[name or role] = self.num_ready(name or role)
            command = [sys.executable, "-W", "ignore", "-m", "tests.chaos.faulty_role", str(journal), role]
            command += [self.log_url, self.config.log.prefix, str(self.folder), *self.numbers]
            environment = {**os.environ, "PYTHONPATH": str(_ROOT), "OMP_NUM_THREADS": "1"}
            with (self.logs / f"{name or role}.log").open("a") as output:
                self.processes[name or role] = subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True, env=environment
                )

    def said(self, name: str) -> str:
        """What a role printed."""
        path = self.logs / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def num_ready(self, name: str) -> int:
        """How often a role has found its run. Its errors may hold the word, too ("already has a live member")."""
        return self.said(name).splitlines().count("ready")

    def is_ready(self, name: str) -> bool:
        """Whether the process started last has found its run; one killed early may never have said so."""
        return self.num_ready(name) > self._ready_before[name]

    def freeze(self, name: str) -> None:
        """Stop a role, but never while it holds the write lock of a SQLite log, which would stop all the others too."""
        self.processes[name].send_signal(signal.SIGSTOP)
        while self.url.startswith("sqlite") and self._locked():
            self.wake(name)
            time.sleep(0.05)
            self.processes[name].send_signal(signal.SIGSTOP)

    def _locked(self) -> bool:
        """Whether somebody keeps the write lock for longer than those that run need it."""
        path = self.url.removeprefix("sqlite:///")
        with closing(sqlite3.connect(path, timeout=2.0, isolation_level=None)) as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return True
            connection.execute("ROLLBACK")
        return False

    def wake(self, name: str) -> None:
        self.processes[name].send_signal(signal.SIGCONT)

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def ended(self, name: str, timeout_s: float = WITHIN_S) -> str:
        """Wait until a role has ended by itself with an error; its line."""
        try:
            code = self.processes[name].wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.processes[name].send_signal(signal.SIGUSR1)
            time.sleep(1)  # it prints where it stands
            raise AssertionError(f"{name} still runs after {timeout_s} s: {self.said(name)}") from None
        del self.processes[name]
        lines = [line for line in self.said(name).splitlines() if line != "ready"]
        assert code == 1, f"{name} ended with {code}: {lines}"
        return lines[-1]

    def lose_the_log(self, *names: str) -> None:
        """Wait until roles have ended because the log does not answer, each saying so and what to do."""
        for name in names:
            said = self.ended(name)
            assert said.startswith("LogUnavailable: "), (name, said)
            assert "start again" in said, (name, said)

    def stop(self, *names: str) -> None:
        """End roles in order: SIGTERM, and each must say that all is well."""
        self.until(lambda: all(self.is_ready(name) for name in names))
        for name in names:
            self.processes[name].send_signal(signal.SIGTERM)
        for name in names:
            code = self.processes.pop(name).wait(WITHIN_S)
            assert code == 0, f"{name} ended with {code}: {self.said(name)}"

    def events(self, topic: str, *kinds: str) -> list[Event]:
        return events_of(self.log, self.config.topic(topic), *kinds, run_id=self.config.run_id)  # type: ignore[arg-type]

    def until(self, condition: Callable[[], object], timeout_s: float = WITHIN_S) -> None:
        """Wait for a condition while every role is alive."""

        def holds() -> bool:
            time.sleep(0.1)
            for name, process in self.processes.items():
                assert process.poll() is None, f"{name} ended: {self.said(name)}"
            return bool(condition())

        until(holds, timeout_s)

    def until_any(self, condition: Callable[[], object], timeout_s: float = WITHIN_S) -> None:
        """Wait for a condition, whichever role ends meanwhile."""
        until(condition, timeout_s)

    def until_verdicts(self, more: int, timeout_s: float = WITHIN_S) -> None:
        """Wait for so many more group verdicts."""
        goal = len(self.events("control", "group_verdict")) + more
        self.until(lambda: len(self.events("control", "group_verdict")) >= goal, timeout_s)

    def journals(self) -> list[Path]:
        """What the log acknowledged to each process."""
        return sorted((self.logs / "journals").iterdir())

    def finish(self, abandoned: int = 0, *, dropped: bool = False) -> Report:
        """Play out what was assigned, judge and archive all of it, stop every role, and check the run. `dropped`: the
        log does not hold all that it acknowledged any more, by retention."""
        for name in ("scheduler", "player"):
            if name in self.processes:
                self.stop(name)
        self.until(self._judged)
        for name in ("assembler", "learner", "archiver"):
            if name in self.processes:
                self.stop(name)
        report = check_run(
            self.log,
            self.config,
            self.folder,
            journals=[] if dropped else self.journals(),
            num_worker_kills=abandoned,
            num_slots=1,
        )
        assert report.ok, str(report)
        assert dropped or report.acknowledged > 0
        return report

    def _judged(self) -> bool:
        judged = {event.episode_id for event in self.events("control", "episode_verdict")}
        closed = {event.group_id for event in self.events("control", "group_verdict")}
        finished = self.events("rollouts", "episode_finished")
        return all(event.episode_id in judged for event in finished if event.group_id in closed)

    def close(self) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()
        self.log.close()

    def __enter__(self) -> FaultyRun:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def run_config(prefix: str = "p", **scheduler: float) -> RunConfig:
    """Groups of 3 in 2 partitions; 48 episodes unless `scheduler` says something else."""
    return RunConfig(
        run_id=RUN,
        log=LogConfig(prefix=prefix, num_partitions=2),
        group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=300.0),
        scheduler=SchedulerConfig(**{"max_episodes": 0, "high_water_groups": 1000, "lease_s": 30.0, **scheduler}),
        archive=ArchiveConfig(flush_s=0.2),
    )


def learner_config(prefix: str = "p") -> RunConfig:
    """Groups of 4, two a step, for the tiny model that faulty_role.py trains."""
    return RunConfig(
        run_id=RUN,
        log=LogConfig(prefix=prefix, num_partitions=1),
        group=GroupConfig(group_size=4, min_group_size=3),
        episode=EpisodeConfig(context_limit=200),
        staleness=StalenessConfig(max_off_policy_steps=4),
        learner=LearnerConfig(
            groups_per_step=2,
            lora_rank=2,
            lora_alpha=4.0,
            lora_targets=("q_proj", "k_proj", "v_proj", "o_proj"),
            max_tokens_per_microbatch=200,
        ),
    )


def pause(seconds: float) -> None:
    """Let a run go on for a while, where there is nothing to wait for."""
    time.sleep(seconds)
