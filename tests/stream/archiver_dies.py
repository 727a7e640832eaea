"""Runs an archiver in a process of its own that kills itself behind one step of a flush.

Usage: python -m tests.stream.archiver_dies URL RUN_DIR STEP
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.stream.archive_events import append, episode, run_config
from tests.stream.roles import WITHIN_S
from trajlog.stream import archive as archive_module
from trajlog.stream.archive import Archive
from trajlog.stream.archive_rows import PartitionRows
from trajlog.stream.archiver import Archiver, run_archiver
from trajlog.stream.open import open_log


def die(step: str) -> None:
    print(f"dies: {step}", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def dying_behind(owner: Any, name: str, step: str) -> None:
    """Replace a function by one that dies when it has done its work."""
    done = getattr(owner, name)

    def then_die(*arguments: Any, **named: Any) -> None:
        done(*arguments, **named)
        die(step)

    setattr(owner, name, then_die)


def dying_with_a_flush_in_flight(owner: Any, log: Any) -> None:
    """The file step of the first flush waits until records are collected behind it."""
    collected = threading.Event()
    add = PartitionRows.add

    def add_and_tell(rows: PartitionRows, *arguments: Any) -> None:
        add(rows, *arguments)
        if threading.current_thread() is threading.main_thread() and writing.is_set():
            collected.set()

    writing = threading.Event()

    def write_rows(*arguments: Any, **named: Any) -> None:
        writing.set()
        append(log, "t.rollouts", episode("g", f"behind-{time.time_ns()}"))
        assert collected.wait(WITHIN_S)
        die("collected behind a flush")

    PartitionRows.add = add_and_tell
    owner.write_rows = write_rows


if __name__ == "__main__":
    url, run_dir, step = sys.argv[1:]
    with open_log(url) as log:
        match step:
            case "taken":
                dying_behind(PartitionRows, "take", step)
            case "files written":
                dying_behind(archive_module, "write_rows", step)
            case "committed":
                dying_behind(Archive, "commit", step)
            case "hinted":
                dying_behind(Archiver, "_hint", step)
            case "collected behind a flush":
                dying_with_a_flush_in_flight(archive_module, log)
        run_archiver(log, run_config(flush_s=0.01), Path(run_dir), threading.Event())
