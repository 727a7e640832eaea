"""The harness's end of a supervisor's stdin and stdout: frames out and in, without ever blocking for long."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import subprocess
from collections.abc import Callable
from typing import Protocol

from trajlog.harness.sandbox.frames import Frames, pack

READ_BYTES = 1 << 16
_DOCKER_HEADER = struct.Struct(">BxxxI")


class ConnectionLost(Exception):
    """The supervisor has gone, or what came is not from one."""


class Transport(Protocol):
    """A byte stream to and from a supervisor. `read_fd` and `write_fd` are for waiting on."""

    read_fd: int
    write_fd: int

    def read(self) -> bytes | None:
        """What there is; None if nothing now, b"" at the end."""

    def write(self, data: bytes | bytearray) -> int:
        """How many bytes were taken; 0 if none now. Raises BrokenPipeError."""

    def close(self) -> None: ...


class PipeTransport:
    """Over a child process's stdin and stdout."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._pipes = process.stdin, process.stdout
        self.write_fd, self.read_fd = process.stdin.fileno(), process.stdout.fileno()
        os.set_blocking(self.read_fd, False)
        os.set_blocking(self.write_fd, False)

    def read(self) -> bytes | None:
        try:
            return os.read(self.read_fd, READ_BYTES)
        except BlockingIOError:
            return None

    def write(self, data: bytes | bytearray) -> int:
        try:
            return os.write(self.write_fd, data)
        except BlockingIOError:
            return 0

    def close(self) -> None:
        for pipe in self._pipes:
            with contextlib.suppress(OSError):
                pipe.close()


class DockerTransport:
    """Over the socket of a `docker exec`, whose answers carry an 8-byte header: stream number and length."""

    def __init__(self, connected: socket.socket, close: Callable[[], None]) -> None:
        connected.setblocking(False)
        self._socket = connected
        self._close = close
        self._buffer = bytearray()
        self.read_fd = self.write_fd = connected.fileno()

    def read(self) -> bytes | None:
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return None
        except ConnectionError:
            return b""
        self._buffer += data
        out = bytearray()
        while len(self._buffer) >= _DOCKER_HEADER.size:
            stream, length = _DOCKER_HEADER.unpack_from(self._buffer)
            end = _DOCKER_HEADER.size + length
            if len(self._buffer) < end:
                break
            if stream == 1:  # 2 is stderr, on which the engine says why an exec failed
                out += self._buffer[_DOCKER_HEADER.size : end]
            del self._buffer[:end]
        return bytes(out) if out or not data else None

    def write(self, data: bytes | bytearray) -> int:
        try:
            return self._socket.send(data)
        except BlockingIOError:
            return 0
        except ConnectionError as error:
            raise BrokenPipeError(str(error)) from error

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._close()


Handler = Callable[[bytes, bytes], None]
"""Takes a frame's kind and payload."""


class Connection:
    """Frames over a transport, dispatched by number. One thread at a time."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._frames = Frames()
        self._outbox = bytearray()
        self._closed = False
        self.handlers: dict[int, Handler] = {}
        """Number -> who takes its frames; those of other numbers are dropped."""

    def send(self, kind: bytes, number: int, payload: bytes = b"") -> None:
        """Queue a frame; what cannot be written now is written by `step`. Raises ConnectionLost."""
        self._outbox += pack(kind, number, payload)
        self._flush()

    def step(self, timeout_s: float) -> None:
        """Wait for at most `timeout_s` until something can be done, and do it. Raises ConnectionLost."""
        poll = select.poll()
        poll.register(self._transport.read_fd, select.POLLIN)
        if self._outbox:
            both = self._transport.read_fd == self._transport.write_fd
            poll.register(self._transport.write_fd, select.POLLOUT | (select.POLLIN if both else 0))
        if not poll.poll(max(0.0, timeout_s) * 1000):
            return
        if self._outbox:
            self._flush()
        data = self._transport.read()
        if data == b"":
            raise ConnectionLost("the supervisor's output ended")
        if data is None:
            return
        try:
            for kind, number, payload in self._frames.feed(data):
                if kind == b"x":
                    raise ConnectionLost(payload.decode(errors="replace"))
                if number in self.handlers:
                    self.handlers[number](kind, payload)
        except ValueError as error:
            raise ConnectionLost(f"what came is not from a supervisor: {error}") from error

    def close(self) -> None:
        """Safe to call again; what is sent afterwards raises ConnectionLost."""
        if not self._closed:
            self._closed = True
            self._transport.close()

    def _flush(self) -> None:
        if self._closed:
            raise ConnectionLost("the connection was closed")
        try:
            del self._outbox[: self._transport.write(self._outbox[:READ_BYTES])]
        except BrokenPipeError as error:
            raise ConnectionLost("the supervisor's input is closed") from error
