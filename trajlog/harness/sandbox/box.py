"""What all sandboxes share: commands through a supervisor, which is replaced when a command has killed it."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, Self

import msgspec

from trajlog.errors import SandboxError
from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox.base import CommandResult, Files, Killed, Limits
from trajlog.harness.sandbox.connection import Connection, ConnectionLost
from trajlog.harness.sandbox.process import SupervisedProcess

HELLO_WITHIN_S = 30.0
ANSWER_WITHIN_S = 30.0
TRIES = 2
"""A command or request that never began because the supervisor was gone is asked for again."""


class Greeting(msgspec.Struct, frozen=True):
    """A new supervisor's first words: its process id inside, and its cgroup's folder, if it could make one."""

    pid: int
    cgroup: str | None = None


class Box(ABC):
    """See `trajlog.harness.sandbox.base.Sandbox`. One thread at a time, but for `cancel`.

    A supervisor that was killed, stopped or broken is replaced; what ran then ends with killed="supervisor". A
    sandbox that has ended as a whole answers every command with killed="sandbox".
    """

    limits: Limits
    python: str
    code: PurePosixPath
    workspace: Files

    def __init__(self, limits: Limits | None) -> None:
        self.limits = limits or Limits()
        self.gate: threading.Semaphore | None = None
        """Held while a command runs, where it is shared with other sandboxes."""
        self._cancelled = threading.Event()
        self._connection: Connection | None = None
        self._numbers = itertools.count(1)
        self._live: list[SupervisedProcess] = []
        self._gone = False
        self._greeting = Greeting(pid=0)

    @abstractmethod
    def _connect(self) -> tuple[Connection, dict[str, Any]]:
        """A new supervisor's connection and the hello to greet it with. Raises SandboxError."""

    @abstractmethod
    def _kill_all(self) -> bool:
        """Kill what a lost supervisor may have left; whether the sandbox still is. Raises SandboxError."""

    @abstractmethod
    def _command(self) -> dict[str, Any]:
        """The part of a command's spec that the kind of sandbox decides: env, cwd, disk_roots, own_user."""

    @abstractmethod
    def _remove(self) -> None:
        """Remove what the sandbox was made of. Raises SandboxError."""

    @property
    def supervisor_pid(self) -> int:
        """The last supervisor's process id inside; 0 before the first command."""
        return self._greeting.pid

    @property
    def supervisor_cgroup(self) -> str | None:
        """The folder of the cgroup that holds the last supervisor's commands, where it could make one."""
        return self._greeting.cgroup

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float | None = None,
        report: bool = False,
        kept_output_bytes: int | None = None,
    ) -> CommandResult:
        """Run `argv` (its first word looked up on the sandbox's PATH). Raises SandboxError.

        The deadline counts from when the command really starts, and is kept by the sandbox itself.
        """
        timeout_s = self.limits.timeout_s if timeout_s is None else timeout_s
        with self._turn():
            for _ in range(TRIES):
                process = self._begin(argv, timeout_s, report=report)
                if process is None:
                    return _ended_sandbox()
                if kept_output_bytes is not None:
                    process.output = BoundedOutput(kept_output_bytes)
                try:
                    process.finish()
                finally:
                    result = process.close()
                if process.started:
                    break
        return result

    def start(self, argv: Sequence[str]) -> SupervisedProcess:
        """Start a process with a channel; close it, or it is closed with the sandbox. Raises SandboxError."""
        process = self._begin(argv, None, channel=True)
        if process is None:
            process = SupervisedProcess(
                Connection(_NoTransport()), 0, self.limits, None, self._step, self._replace_supervisor
            )
            process.end("sandbox")
        return process

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        """Kill what runs and remove every file. Raises SandboxError if that cannot be done."""
        self._disconnect("sandbox")
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextlib.contextmanager
    def _turn(self) -> Iterator[None]:
        while self.gate is not None and not self.gate.acquire(timeout=0.2):
            if self._cancelled.is_set():
                raise SandboxError("the sandbox was cancelled while a command waited for its turn.")
        try:
            yield
        finally:
            if self.gate is not None:
                self.gate.release()

    def _begin(
        self, argv: Sequence[str], timeout_s: float | None, *, report: bool = False, channel: bool = False
    ) -> SupervisedProcess | None:
        """None if the sandbox has ended."""
        self._live = [process for process in self._live if not process.ended]
        for _ in range(TRIES):
            connection = self._connected()
            if connection is None:
                return None
            limits = self.limits
            spec = self._command() | {
                "argv": list(argv),
                "timeout_s": timeout_s,
                "memory_bytes": limits.memory_bytes,
                "file_bytes": limits.file_bytes,
                "cpu_s": limits.cpu_s,
                "max_processes": limits.max_processes,
                "max_threads": limits.max_threads,
                "max_open_files": limits.max_open_files,
                "max_output_bytes": limits.max_output_bytes,
                "disk_bytes": limits.disk_bytes,
                "report": report,
                "channel": channel,
            }
            number = next(self._numbers)
            try:
                connection.send(b"s", number, msgspec.json.encode(spec))
            except ConnectionLost:
                self._replace_supervisor()
                continue
            process = SupervisedProcess(connection, number, limits, timeout_s, self._step, self._replace_supervisor)
            self._live.append(process)
            return process
        raise SandboxError("the sandbox's supervisor ends as soon as it starts. Look at the machine's memory.")

    def _connected(self) -> Connection | None:
        """A connection to a supervisor that has answered; None if the sandbox has ended."""
        if self._cancelled.is_set():
            raise SandboxError("the sandbox was cancelled.")
        if self._gone:
            return None
        if self._connection is None:
            connection, hello = self._connect()
            self._connection = connection
            try:
                greeting = _answer(connection, b"h", 0, msgspec.json.encode(hello), HELLO_WITHIN_S)
                self._greeting = msgspec.json.decode(greeting, type=Greeting)
            except ConnectionLost as error:
                self._replace_supervisor()
                if self._gone:
                    return None
                raise SandboxError(f"a sandbox's supervisor did not start: {error}") from error
        return self._connection

    def _ask(self, payload: bytes) -> bytes | None:
        """The supervisor's answer to a request about files; None if the sandbox has ended."""
        for _ in range(TRIES):
            connection = self._connected()
            if connection is None:
                return None
            try:
                return _answer(connection, b"f", next(self._numbers), payload, ANSWER_WITHIN_S)
            except ConnectionLost:
                self._replace_supervisor()
        if self._gone:
            return None
        raise SandboxError("the sandbox does not answer requests about files.")

    def _step(self, timeout_s: float, cancellable: bool) -> None:
        if cancellable and self._cancelled.is_set():
            raise SandboxError("the sandbox was cancelled while a command ran.")
        if self._connection is None:
            return
        try:
            self._connection.step(timeout_s)
        except ConnectionLost:
            self._replace_supervisor()

    def _replace_supervisor(self) -> None:
        """Kill everything; what ran has ended. The next call starts a new supervisor, if the sandbox still is."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        try:
            self._gone = self._gone or not self._kill_all()
        finally:
            self._end_live("sandbox" if self._gone else "supervisor")

    def _disconnect(self, killed: Killed) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._end_live(killed)

    def _end_live(self, killed: Killed) -> None:
        for process in self._live:
            if not process.ended:
                process.end(killed)


def _answer(connection: Connection, kind: bytes, number: int, payload: bytes, within_s: float) -> bytes:
    """The answer to one request, other frames being dispatched meanwhile. Raises ConnectionLost."""
    answers: list[bytes] = []
    connection.handlers[number] = lambda _, answer: answers.append(answer)
    try:
        connection.send(kind, number, payload)
        give_up = time.monotonic() + within_s
        while not answers:
            connection.step(0.2)
            if not answers and time.monotonic() > give_up:
                raise ConnectionLost(f"no answer within {within_s:.0f} s")
    finally:
        connection.handlers.pop(number, None)
    return answers[0]


def _ended_sandbox() -> CommandResult:
    return CommandResult(exit_code=None, output="", truncated_bytes=0, duration_s=0.0, killed="sandbox")


class _NoTransport:
    read_fd = write_fd = -1

    def read(self) -> bytes | None:
        return b""

    def write(self, data: bytes | bytearray) -> int:
        raise BrokenPipeError("the sandbox has ended")

    def close(self) -> None:
        pass


def environment(seed: int, **own: str) -> Mapping[str, str]:
    """What commands find in their environment, made anew so that nothing of ours is in it."""
    return {
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        "PYTHONHASHSEED": str(seed % 2**32),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "PYTHONUNBUFFERED": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "MALLOC_ARENA_MAX": "2",
        **own,
    }
