"""Child processes of `trajlog up`: started by exec, watched, and never left behind.

Each child runs in a session of its own, so that Ctrl-C reaches only the parent, which then ends them in order. A child
ends by itself when its parent dies (`end_with_parent`), so that even a killed parent leaves none. It starts with
SIGTERM held back until it can end in order (`take_sigterm`): a request to stop that comes while it still imports does
not cut off what it has to do at the end.
"""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from trajlog.errors import ProcessError
from trajlog.private_folder import make_private

PARENT_VARIABLE = "TRAJLOG_PARENT_PID"
SHARED_CORES = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Compute threads that wait for each other sleep: spinning, they take the cores that the other roles need (seen: 94 s
instead of 13 s for one learner step on two busy cores)."""
MAX_RESTARTS = 5
STOP_GRACE_S = 20.0
_LOG_LINES = 15


class Child:
    """One role's process. Output goes to `<log_dir>/<name>.log`, appended."""

    def __init__(self, name: str, arguments: Sequence[str], log_dir: Path) -> None:
        self.name = name
        self.restarts = 0
        self._arguments = [sys.executable, "-m", "trajlog", *arguments]
        self._log = log_dir / f"{name}.log"
        self._env = {**SHARED_CORES, **os.environ, PARENT_VARIABLE: str(os.getpid())}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        make_private(self._log.parent)
        with self._log.open("ab") as log, _sigterm_held_back():
            self._process = subprocess.Popen(
                self._arguments, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._env, start_new_session=True
            )

    @property
    def exit_code(self) -> int | None:
        """None while it runs, or was never started; negative for a signal."""
        return self._process.poll() if self._process else None

    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def check(self) -> bool:
        """Start it again when a signal ended it. Returns whether it did; raises ProcessError for any other end."""
        if self._process is None or (code := self._process.poll()) is None:
            return False
        if code < 0 and self.restarts < MAX_RESTARTS:
            self.restarts += 1
            self.start()
            return True
        how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
        raise ProcessError(f"{self.name} {how}. The end of {self._log}:\n{self.last_lines()}")

    def last_lines(self) -> str:
        text = self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""
        return "\n".join(f"  {line}" for line in text.splitlines()[-_LOG_LINES:]) or "  (no output)"

    def terminate(self) -> None:
        """SIGTERM, without waiting."""
        if self.running():
            with contextlib.suppress(ProcessLookupError):
                self._process.terminate()

    def stop(self, grace_s: float = STOP_GRACE_S) -> None:
        """SIGTERM, then SIGKILL after `grace_s`; returns when it has ended."""
        if self._process is None:
            return
        self.terminate()
        try:
            self._process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.wait()


def stop_all(children: Sequence[Child], last: Child | None = None, last_grace_s: float = STOP_GRACE_S) -> None:
    """End all at once, then `last`."""
    others = [child for child in children if child is not last]
    for child in others:
        child.terminate()
    for child in others:
        child.stop()
    if last is not None:
        last.stop(last_grace_s)


@contextlib.contextmanager
def _sigterm_held_back() -> Iterator[None]:
    """A process that is started in here has SIGTERM blocked, as it inherits this thread's mask."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def take_sigterm() -> None:
    """In a child, once it has its own handler or wants none: a SIGTERM that came before comes now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def end_with_parent(stop: Callable[[], None], grace_s: float = STOP_GRACE_S) -> None:
    """In a child: call `stop` when the parent is gone, and end the process hard after `grace_s`."""
    parent = os.environ.get(PARENT_VARIABLE)
    if parent is None:
        return

    def watch() -> None:
        while os.getppid() == int(parent):
            time.sleep(0.5)
        stop()
        time.sleep(grace_s)
        os._exit(1)

    threading.Thread(target=watch, name="parent-watch", daemon=True).start()
