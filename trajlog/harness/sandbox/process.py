"""One command of a sandbox, seen from outside: its output, its channel, its deadline, its end."""

from __future__ import annotations

import errno
import time
from collections.abc import Callable

import msgspec

from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox.base import CommandResult, Killed, Limits
from trajlog.harness.sandbox.connection import Connection, ConnectionLost

CHANNEL_BYTES = 16 << 20
"""What may wait in a channel; a process that sends more unread is killed."""
START_WITHIN_S = 30.0
"""A supervisor that does not start a command by then was stopped by one: it is replaced."""
CLOSE_WITHIN_S = 15.0
"""What a supervisor has beyond a deadline, or to answer a kill, before it is replaced."""
_SPENT: dict[int, Killed] = {errno.EAGAIN: "processes", errno.ENOMEM: "memory"}
"""Why a command could not be started."""


class _Started(msgspec.Struct, frozen=True):
    pid: int = 0
    error: str | None = None
    errno: int = 0


class _Ended(msgspec.Struct, frozen=True):
    exit_code: int | None
    killed: Killed | str | None
    survivors: int
    duration_s: float = 0.0


class SupervisedProcess:
    """A command under a supervisor; see `trajlog.harness.sandbox.base.Process`.

    `step` waits for frames (at most its argument in seconds, raising SandboxError once the sandbox is cancelled, if
    its second argument is true); `replace_supervisor` is called when the supervisor is silent for too long. Nothing
    blocks longer than the timeout it is given, whatever the command does.
    """

    def __init__(
        self,
        connection: Connection,
        number: int,
        limits: Limits,
        timeout_s: float | None,
        step: Callable[[float, bool], None],
        replace_supervisor: Callable[[], None],
    ) -> None:
        self.output = BoundedOutput(limits.kept_output_bytes)
        self.started = False
        """Whether the command began to run, or failed to."""
        self.ended = False
        self._connection = connection
        self._number = number
        self._limits = limits
        self._timeout_s = timeout_s
        self._step = step
        self._replace_supervisor = replace_supervisor
        self._asked = self._began = time.monotonic()
        self._killed: Killed | None = None
        self._status = _Ended(exit_code=None, killed=None, survivors=0)
        self._report = bytearray()
        self._channel = bytearray()
        connection.handlers[number] = self._take

    def pump(self, timeout_s: float) -> bool:
        deadline = time.monotonic() + timeout_s
        while not self.ended:
            left = deadline - time.monotonic()
            self._wait(max(0.0, left))
            if left <= 0:
                break
        return self.ended

    def finish(self) -> None:
        """Wait for the end, which the sandbox itself brings about at the command's deadline."""
        while not self.ended:
            self._wait(1.0)

    def send(self, data: bytes) -> None:
        if self.ended:
            raise BrokenPipeError("the process has ended")
        self._tell(b"c", data)

    def receive(self, timeout_s: float) -> bytes:
        deadline = time.monotonic() + timeout_s
        while not self._channel and not self.ended:
            left = deadline - time.monotonic()
            self._wait(max(0.0, left))
            if left <= 0:
                break
        data = bytes(self._channel)
        self._channel.clear()
        return data

    def signal(self, number: int) -> None:
        assert 0 < number < 65, number
        if not self.ended:
            self._tell(b"g", bytes([number]))

    def close(self, killed: Killed | None = None) -> CommandResult:
        """Kill what is left and say how it ended. `killed` is the reason if the process is still running.

        Safe to call again: the answer is the same.
        """
        if not self.ended:
            self._killed = self._killed or killed
            self._tell(b"k", b"")
            give_up = time.monotonic() + CLOSE_WITHIN_S
            while not self.ended:
                self._step(0.2, False)
                if time.monotonic() > give_up and not self.ended:
                    self._replace_supervisor()
        status = self._status
        found: str | None = self._killed or status.killed
        reason: Killed | None = None if found in (None, "closed") else found  # type: ignore[assignment]
        return CommandResult(
            exit_code=status.exit_code if found is None else None,
            output=self.output.text(),
            truncated_bytes=self.output.truncated_bytes,
            duration_s=status.duration_s or time.monotonic() - self._began,
            killed=reason,
            survivors=status.survivors if found is None else 0,
            report=bytes(self._report),
        )

    def end(self, killed: Killed) -> None:
        """It ended with its supervisor, or with its sandbox."""
        self.ended = True
        late = self._timeout_s is not None and self.started and time.monotonic() - self._began > self._timeout_s
        self._killed = self._killed or ("timeout" if late and killed == "supervisor" else killed)
        self._status = msgspec.structs.replace(self._status, duration_s=time.monotonic() - self._began)

    def _wait(self, timeout_s: float) -> None:
        self._step(min(timeout_s, 0.2), True)
        if self.ended:
            return
        now = time.monotonic()
        unanswered = not self.started and now > self._asked + START_WITHIN_S
        late = self.started and self._timeout_s is not None and now > self._began + self._timeout_s + CLOSE_WITHIN_S
        if unanswered or late:
            self._replace_supervisor()

    def _tell(self, kind: bytes, payload: bytes) -> None:
        try:
            self._connection.send(kind, self._number, payload)
        except ConnectionLost:
            self._step(0.0, False)  # notices the loss too, and ends what ran

    def _take(self, kind: bytes, payload: bytes) -> None:
        if kind == b"o":
            self.output.write(payload)
        elif kind == b"c":
            self._channel += payload
            if len(self._channel) > CHANNEL_BYTES:
                self._killed = self._killed or "output"
                self._channel.clear()
                self._connection.send(b"k", self._number)
        elif kind == b"r":
            self._report += payload
        elif kind == b"s":
            self._take_start(msgspec.json.decode(payload, type=_Started))
        elif kind == b"e":
            self._status = msgspec.json.decode(payload, type=_Ended)
            self._is_over()

    def _take_start(self, words: _Started) -> None:
        self.started = True
        self._began = time.monotonic()
        if words.error is None:
            return
        if words.errno in _SPENT:  # by another command beside it: the limits leave enough for an honest one
            self._killed = self._killed or _SPENT[words.errno]
        self._status = _Ended(exit_code=127 if words.errno == 127 else 126, killed=None, survivors=0)
        self.output.write(words.error.encode())
        self._is_over()

    def _is_over(self) -> None:
        self.ended = True
        del self._connection.handlers[self._number]
