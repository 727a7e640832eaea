"""A TCP proxy that can be cut: it stands between clients and a broker, and a test takes the network away.

While it is cut, connections stay open and nothing passes in either direction, as when a cable is pulled; new ones are
accepted and get no answer. `mend` closes what hung meanwhile and lets new connections through.
"""

from __future__ import annotations

import contextlib
import socket
import threading


class CutProxy:
    """Forwards its own port to `target` while it is not cut. A context manager; threads of this process."""

    def __init__(self, target: tuple[str, int], port: int = 0) -> None:
        self._target = target
        self._server = socket.create_server(("127.0.0.1", port))
        self.port: int = self._server.getsockname()[1]
        self._open = threading.Event()
        self._open.set()
        self._lock = threading.Lock()
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self.cut_on: bytes | None = None
        """Cut as soon as a client sends these bytes; they are not passed on."""
        self.was_cut = threading.Event()

    def __enter__(self) -> CutProxy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        _close(self._server)  # wakes the thread that waits for connections
        self.mend()

    def cut(self) -> None:
        """Let nothing through any more."""
        self._open.clear()
        self.was_cut.set()

    def mend(self) -> None:
        """Let through what connects from now on; what was connected is reset."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        self._open.set()
        for pair in pairs:
            for one in pair:
                _close(one)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._connect, args=(client,), daemon=True).start()

    def _connect(self, client: socket.socket) -> None:
        self._open.wait()
        try:
            server = socket.create_connection(self._target)
        except OSError:
            _close(client)
            return
        with self._lock:
            self._pairs.append((client, server))
        threading.Thread(target=self._carry, args=(server, client, False), daemon=True).start()
        self._carry(client, server, True)

    def _carry(self, source: socket.socket, sink: socket.socket, asks: bool) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                marker = self.cut_on
                if asks and marker is not None and marker in data:
                    self.cut_on = None
                    self.cut()
                if not self._open.is_set():
                    self._open.wait()
                    break  # what hung is lost: its sender must ask again
                sink.sendall(data)
        _close(source)
        _close(sink)


def _close(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
