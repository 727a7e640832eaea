"""The debuggee's end of the channel: frames of four bytes of length (big endian), then JSON, over a socket of its own.

Nothing travels over the program's stdin, stdout or stderr. A program that closes or reuses the descriptor ends its own
debugging: the process leaves with `LOST`, before anything is written to what is no longer ours.
"""

import json
import os
import socket
import struct
from _thread import allocate_lock

MAX_FRAME_BYTES = 1 << 20
LOST = 97
"""Exit code of a debuggee that cannot reach its other side any more."""

_exit, _fstat, _getpid = os._exit, os.fstat, os.getpid  # as they were before the program could replace them
_dumps, _loads, _pack, _unpack = json.dumps, json.loads, struct.pack, struct.unpack


class Channel:
    def __init__(self, fd: int) -> None:
        os.set_inheritable(fd, False)
        self.fd = fd
        self._socket = socket.socket(fileno=fd)
        self._identity = self._seen()
        self._pid = os.getpid()
        self._lock = allocate_lock()

    def send(self, **message: object) -> None:
        """Send one message; in a forked child, nothing. Leaves the process if the channel is gone."""
        if _getpid() != self._pid:
            return
        data = _dumps(message, ensure_ascii=False).encode("utf-8", errors="replace")
        with self._lock:
            try:
                if self._seen() != self._identity:
                    _exit(LOST)
                self._socket.sendall(_pack(">I", len(data)) + data)
            except OSError:
                _exit(LOST)

    def receive(self) -> dict:
        """The next request. Leaves the process if the channel is gone."""
        try:
            (length,) = _unpack(">I", self._exactly(4))
            return _loads(self._exactly(min(length, MAX_FRAME_BYTES)))
        except (OSError, EOFError, ValueError):
            _exit(LOST)

    def close(self) -> None:
        """For a forked child, which keeps no end of its parent's channel."""
        self._socket.close()

    def _exactly(self, length: int) -> bytes:
        data = b""
        while len(data) < length:
            piece = self._socket.recv(length - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def _seen(self) -> tuple[int, int]:
        found = _fstat(self.fd)
        return found.st_dev, found.st_ino
