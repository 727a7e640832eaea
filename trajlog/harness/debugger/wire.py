"""This side's end of the channel: requests out, checked messages in.

The other side runs the agent's code, so nothing it says is trusted to be well formed, short, or true.
"""

from __future__ import annotations

import json
import struct
import time
from typing import Any

import msgspec

from trajlog.harness.sandbox.base import Process

MAX_FRAME_BYTES = 1 << 20


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """Any message of a debuggee (debuggee.py and control.py say which fields each kind has)."""

    id: int | None = None
    event: str | None = None
    error: str | None = None
    edited: list[str] = []
    dump: int = 0
    wake: int = 0
    reason: str = ""
    note: str | None = None
    file: str = ""
    line: int = 0
    function: str = ""
    thread: str = ""
    source: list[tuple[int, str]] = []
    queued: int = 0
    code: int = 0
    tests: list[str] = []
    counts: list[tuple[int, int, int]] = []
    trace_lost: bool = False
    text: str = ""
    armed: bool = True
    lines: list[str] = []
    value: str = ""
    interrupted: bool = False


class Ended(Exception):
    """The other side cannot be talked to any more."""


class Garbled(Ended):
    """What came is no message of ours: the program wrote into the channel."""


class Gone(Ended):
    """The process has ended."""


class Wire:
    """`process` was started with a channel; see `trajlog.harness.sandbox.base.Process`."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._buffer = bytearray()
        self._next_id = 0
        self.event: Message | None = None
        """An event that came while an answer was waited for."""

    def ask(self, command: str, **arguments: Any) -> int:
        """Send a request; its id. Raises Gone."""
        self._next_id += 1
        data = json.dumps({"id": self._next_id, "cmd": command} | arguments).encode()
        try:
            self._process.send(struct.pack(">I", len(data)) + data)
        except BrokenPipeError:
            raise Gone from None
        return self._next_id

    def answer(self, wanted: int, timeout_s: float) -> Message | None:
        """The answer to request `wanted`; None after `timeout_s`, or if the program has ended. Raises Ended.

        Late answers to other requests are passed over, an event is kept in `event`.
        """
        deadline = time.monotonic() + timeout_s
        while (message := self._next(deadline - time.monotonic())) is not None:
            if message.event is not None:
                self.event = message
                if message.event == "exited":
                    return None
            elif message.id == wanted:
                return message
        return None

    def next_event(self, timeout_s: float) -> Message | None:
        """The event kept, or the next one; None after `timeout_s`. Raises Ended."""
        deadline = time.monotonic() + timeout_s
        event, self.event = self.event, None
        while event is None:
            event = self._next(deadline - time.monotonic())
            if event is None:
                return None
            if event.event is None:  # an answer that came too late to be wanted
                event = None
        return event

    def _next(self, timeout_s: float) -> Message | None:
        """The next message, or None after `timeout_s`. Raises Gone, or Garbled."""
        deadline = time.monotonic() + timeout_s
        while True:
            message = self._take()
            if message is not None:
                return message
            left = deadline - time.monotonic()
            data = self._process.receive(max(0.0, left))
            self._buffer += data
            if not data and self._process.pump(0.0):
                raise Gone
            if not data and left <= 0:
                return None

    def _take(self) -> Message | None:
        """The first whole message received. Raises Garbled if it is none."""
        if len(self._buffer) < 4:
            return None
        (length,) = struct.unpack(">I", self._buffer[:4])
        if length > MAX_FRAME_BYTES:
            raise Garbled(f"a frame of {length} bytes")
        if len(self._buffer) < 4 + length:
            return None
        try:
            message = msgspec.json.decode(bytes(self._buffer[4 : 4 + length]), type=Message)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise Garbled(str(error)) from None
        del self._buffer[: 4 + length]
        return message
