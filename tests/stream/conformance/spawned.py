"""Start log_process.py and end it without fail."""

import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stream.roles import WITHIN_S

_PROGRAM = Path(__file__).with_name("log_process.py")


class Spawned:
    """A running log_process.py: its output line by line, kill -9, and its exit code."""

    def __init__(self, *arguments: str) -> None:
        command = [sys.executable, "-W", "ignore", str(_PROGRAM), *arguments]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.strip())

    def line(self, timeout_s: float = WITHIN_S) -> str:
        return self._lines.get(timeout=timeout_s)

    def wait_for(self, wanted: str, timeout_s: float = WITHIN_S) -> None:
        while self.line(timeout_s) != wanted:
            pass

    def lines_left(self) -> list[str]:
        """What it printed and was not read yet; call it when the process has ended."""
        self._reading.join(10)
        return [self._lines.get_nowait() for _ in range(self._lines.qsize())]

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def wait(self, timeout_s: float = WITHIN_S) -> int:
        return self.process.wait(timeout_s)


@contextmanager
def spawned(*arguments: str) -> Iterator[Spawned]:
    program = Spawned(*arguments)
    try:
        yield program
    finally:
        program.kill()
        program._reading.join(10)
        assert program.process.stdout is not None
        program.process.stdout.close()
