"""One role in a process of its own, with what a test makes worse: shorter waits, a wall clock that a file sets.

    python -m tests.chaos.faulty_role JOURNAL ROLE URL PREFIX RUN_DIR [MODULE.NAME=NUMBER ...]

JOURNAL: a file for the ids of what the log acknowledged to this process (invariants.py).
ROLE: scheduler, assembler, archiver, learner (of a tiny model), engine or player (a worker without sandboxes and
sampling).
Numbers are set in trajlog's modules before anything runs. RUN_DIR/clock, when it is there, holds seconds by which this
process's wall clock is wrong. As on the command line, an error meant for people is one line on stderr and exit code 1.
"""

from __future__ import annotations

import datetime
import faulthandler
import importlib
import signal
import sys
import threading
import time
from pathlib import Path

from trajlog.errors import TrajlogError

TASKS = ("t1", "t2", "t3")


def set_number(assignment: str) -> None:
    """`stream.sqlite_reader.LEASE_S=1.5`, wherever the name was imported to."""
    path, _, number = assignment.partition("=")
    module, _, name = path.rpartition(".")
    importlib.import_module(f"trajlog.{module}")
    value = float(number)
    for imported in [m for n, m in sys.modules.items() if n.startswith("trajlog.")]:
        if hasattr(imported, name):
            setattr(imported, name, value)


def wrong_clock(folder: Path) -> None:
    """Let `folder`/clock say how wrong the wall clock of this process is, at any moment."""
    said, true_time, true_ns = folder / "clock", time.time, time.time_ns

    def off_s() -> float:
        return float(said.read_text() or 0) if said.exists() else 0.0

    time.time = lambda: true_time() + off_s()
    time.time_ns = lambda: true_ns() + int(off_s() * 1e9)

    class WrongDatetime(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:
            return datetime.datetime.fromtimestamp(time.time(), tz)

    base = importlib.import_module("trajlog.schemas.base")
    base.Producer.stamp.__globals__["datetime"] = WrongDatetime


def main() -> None:
    journal, role, url, prefix, run_dir, *numbers = sys.argv[1:]
    folder = Path(run_dir)
    for assignment in numbers:
        set_number(assignment)
    wrong_clock(folder)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    faulthandler.register(signal.SIGUSR1)  # where it stands, for a test that waits in vain
    from tests.chaos.invariants import Journal, acknowledging
    from trajlog.stream.control import wait_for_run
    from trajlog.stream.open import open_log

    try:
        with open_log(url) as log:
            acknowledging(type(log), Journal(Path(journal)))
            config = wait_for_run(log, prefix)
            print("ready", flush=True)
            _run(role, log, config, folder, stop)
    except TrajlogError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(1)


def _run(role: str, log, config, folder: Path, stop: threading.Event) -> None:
    match role:
        case "scheduler":
            from trajlog.stream.curriculum import CurriculumTask
            from trajlog.stream.scheduler import run_scheduler

            run_scheduler(log, config, [CurriculumTask(name) for name in TASKS], stop)
        case "assembler":
            from trajlog.stream.assembler import run_assembler

            run_assembler(log, config, stop)
        case "archiver":
            from trajlog.stream.archiver import run_archiver

            run_archiver(log, config, folder, stop)
        case "learner":
            from tests.learner.learner_process import make_learner

            make_learner(log, config, folder / "learner").run(stop)
        case "engine":
            from trajlog.serving.engine import run_engine

            run_engine(log, config, folder, stop)
        case "player":
            from tests.stream.roles import InstantWorker

            with InstantWorker(log, config, num_slots=4) as worker:
                beaten_s = float("-inf")
                while not stop.is_set():
                    played = worker.take()
                    for assignment in played:
                        worker.play(assignment)
                    stop.wait(0.2)  # four slots, some ten episodes a second
                    if played or time.monotonic() - beaten_s > config.scheduler.lease_s / 4:
                        worker.heartbeat()
                        beaten_s = time.monotonic()
                worker.heartbeat(leaving=True)
        case _:
            raise ValueError(role)


if __name__ == "__main__":
    main()
