"""One supervised process tree, seen from outside: its output, its channel, its deadline, its end."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Literal

import msgspec
import psutil

from trajlog.errors import SandboxError
from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox.base import CommandResult, Killed, Limits

SUPERVISOR = Path(__file__).with_name("supervisor.py")
MARKER = "TRAJLOG_SANDBOX_ID"
_CLOSE_WITHIN_S = 10.0
_READ_BYTES = 1 << 16
_REPORT_BYTES = 4 << 20


class _Status(msgspec.Struct, frozen=True):
    """The supervisor's last word (see supervisor.py)."""

    exit_code: int | None
    killed: Literal["closed", "memory", "processes"] | None
    survivors: int
    error: str | None


class SupervisedProcess:
    """Runs `argv` under a supervisor process (see supervisor.py) that kills the whole tree when told to.

    `cancelled` is looked at five times a second; once set, `pump` raises SandboxError. Nothing blocks longer than
    the timeout it is given, whatever the command does.
    """

    def __init__(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: Path,
        limits: Limits,
        marker: str,
        cancelled: threading.Event,
        report: bool = False,
        channel: bool = False,
    ) -> None:
        self.output = BoundedOutput(limits.kept_output_bytes)
        self._limits = limits
        self._marker = marker
        self._cancelled = cancelled
        self._started = time.monotonic()
        self._total_output = 0
        self._killed: Killed | None = None
        self._status: bytes = b""
        self._ended = False
        self._channel: socket.socket | None = None
        self._report: IO[bytes] | None = None
        self._result: CommandResult | None = None
        with contextlib.ExitStack() as cleanup:
            passed: list[int] = []
            if report:
                self._report = cleanup.enter_context(tempfile.TemporaryFile())
                passed.append(self._report.fileno())
                argv = [part.replace("{report}", str(passed[-1])) for part in argv]
            with contextlib.ExitStack() as theirs:
                if channel:
                    self._channel, other = socket.socketpair()
                    cleanup.callback(self._channel.close)
                    theirs.callback(other.close)
                    passed.append(other.fileno())
                    argv = [part.replace("{channel}", str(passed[-1])) for part in argv]
                self._spawn(list(argv), dict(env), cwd, passed, cleanup)
            self._cleanup = cleanup.pop_all()

    def _spawn(
        self, argv: list[str], env: dict[str, str], cwd: Path, passed: list[int], cleanup: contextlib.ExitStack
    ) -> None:
        spec = {
            "argv": argv,
            "env": env | {MARKER: self._marker},
            "cwd": str(cwd),
            "memory_bytes": self._limits.memory_bytes,
            "file_bytes": self._limits.file_bytes,
            "cpu_s": self._limits.cpu_s,
            "max_processes": self._limits.max_processes,
            "max_open_files": self._limits.max_open_files,
        }
        status_read, status_write = os.pipe()
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(SUPERVISOR), str(status_write)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                bufsize=0,
                pass_fds=[status_write, *passed],
                start_new_session=True,
                env={MARKER: self._marker},
            )
        except OSError as error:
            os.close(status_read)
            raise SandboxError(f"a sandbox process could not be started: {error}. Free memory or processes.") from error
        finally:
            os.close(status_write)
        cleanup.callback(os.close, status_read)
        assert self._supervisor.stdin is not None
        assert self._supervisor.stdout is not None
        self._control: IO[bytes] = cleanup.enter_context(self._supervisor.stdin)
        self._printed: IO[bytes] = cleanup.enter_context(self._supervisor.stdout)
        self._status_read = status_read
        os.set_blocking(status_read, False)
        os.set_blocking(self._printed.fileno(), False)
        self._selector = cleanup.enter_context(selectors.DefaultSelector())
        self._selector.register(status_read, selectors.EVENT_READ, "status")
        self._selector.register(self._printed, selectors.EVENT_READ, "output")
        with contextlib.suppress(BrokenPipeError):
            line = memoryview(json.dumps(spec).encode() + b"\n")
            while line:
                line = line[self._control.write(line) :]

    def pump(self, timeout_s: float) -> bool:
        """Take in output for at most `timeout_s`; True once the process and all it started are gone."""
        deadline = time.monotonic() + timeout_s
        while not self._ended:
            if self._cancelled.is_set():
                raise SandboxError("the sandbox was cancelled while a command ran.")
            left = deadline - time.monotonic()
            self._select(max(0.0, min(left, 0.2)))
            if left <= 0:
                break
        return self._ended

    def send(self, data: bytes) -> None:
        assert self._channel is not None, "this process was started without a channel"
        self._channel.settimeout(5.0)
        try:
            self._channel.sendall(data)
        except (TimeoutError, ConnectionError) as error:
            raise BrokenPipeError("the process does not read its channel") from error

    def receive(self, timeout_s: float) -> bytes:
        """Bytes from the channel, taking in output meanwhile; b"" after `timeout_s` or when the process ended."""
        assert self._channel is not None, "this process was started without a channel"
        deadline = time.monotonic() + timeout_s
        key = self._selector.register(self._channel, selectors.EVENT_READ, "channel")
        try:
            while True:
                if self._cancelled.is_set():
                    raise SandboxError("the sandbox was cancelled while a command ran.")
                left = deadline - time.monotonic()
                if self._select(max(0.0, min(left, 0.2))) or self._ended:
                    self._channel.setblocking(False)
                    try:
                        return self._channel.recv(_READ_BYTES)
                    except (BlockingIOError, ConnectionError):
                        return b""
                if left <= 0:
                    return b""
        finally:
            self._selector.unregister(key.fileobj)

    def signal(self, number: int) -> None:
        """Send a signal to the main process; nothing happens once it has ended."""
        assert 0 < number < 65, number
        if not self._ended:
            with contextlib.suppress(BrokenPipeError):
                self._control.write(bytes([number]))

    def close(self, killed: Killed | None = None) -> CommandResult:
        """Kill what is left and say how it ended. `killed` is the reason if the process is still running.

        Safe to call again: the answer is the same.
        """
        if self._result is not None:
            return self._result
        if not self._ended:
            self._killed = self._killed or killed
            self._control.close()
            deadline = time.monotonic() + _CLOSE_WITHIN_S
            while not self._ended and time.monotonic() < deadline:
                self._select(0.2)
        status = self._finish()
        duration_s = time.monotonic() - self._started
        report = b""
        if self._report is not None:
            self._report.seek(0)
            report = self._report.read(_REPORT_BYTES)
        self._cleanup.close()
        self._result = CommandResult(
            exit_code=status.exit_code if self._killed is None else None,
            output=self.output.text(),
            truncated_bytes=self.output.truncated_bytes,
            duration_s=duration_s,
            killed=self._killed,
            survivors=status.survivors if self._killed is None else 0,
            report=report,
        )
        return self._result

    def _select(self, timeout_s: float) -> bool:
        """One wait; True if the channel is readable."""
        readable = False
        for key, _ in self._selector.select(timeout_s):
            if key.data == "output":
                self._read_output()
            elif key.data == "status":
                self._read_status()
            else:
                readable = True
        return readable

    def _read_output(self) -> bool:
        """Take in one piece; False if there is none now."""
        if self._printed not in self._selector.get_map():
            return False
        try:
            data = os.read(self._printed.fileno(), _READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            self._selector.unregister(self._printed)
            return False
        self.output.write(data)
        self._total_output += len(data)
        if self._total_output > self._limits.max_output_bytes and self._killed is None:
            self._killed = "output"
            self._control.close()
        return True

    def _read_status(self) -> None:
        data = os.read(self._status_read, _READ_BYTES)
        self._status += data
        if not data:
            self._selector.unregister(self._status_read)
            self._ended = True
            while self._killed != "output" and self._read_output():
                pass

    def _finish(self) -> _Status:
        """The supervisor's last word. Without one, a command stopped or killed it: then end its tree from here."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._supervisor.wait(timeout=2.0 if self._ended else 0.0)
        self._ended = True
        try:
            status = msgspec.json.decode(self._status, type=_Status)
        except msgspec.MsgspecError:
            if self._supervisor.poll() is None:
                with contextlib.suppress(psutil.Error):
                    for process in psutil.Process(self._supervisor.pid).children(recursive=True):
                        process.kill()
                self._supervisor.kill()
                self._supervisor.wait()
            kill_marked(self._marker)
            self._killed = self._killed or "supervisor"
            return _Status(exit_code=None, killed=None, survivors=0, error=None)
        if status.error is not None:
            self._cleanup.close()
            raise SandboxError(f"a sandbox command could not be started: {status.error}.")
        if status.killed is not None and status.killed != "closed":
            self._killed = self._killed or status.killed
        return status


def kill_marked(marker: str) -> None:
    """Kill every process whose environment carries `marker`, until none is left or five seconds have passed."""
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        found = [process for process in psutil.process_iter() if _environment(process).get(MARKER) == marker]
        if not found:
            return
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(found, timeout=1.0)


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ() if process.status() != psutil.STATUS_ZOMBIE else {}
    except (psutil.Error, OSError):
        return {}
