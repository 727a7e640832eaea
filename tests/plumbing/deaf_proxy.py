"""A TCP proxy that lets one request through and loses its answer: the caller cannot know whether it was carried out.

It is a process of its own, because deltalake's client keeps Python's lock while it waits for an answer.
"""

from __future__ import annotations

import contextlib
import socket
import subprocess
import sys
import threading
from types import TracebackType


class DeafProxy:
    """Forwards to host:port. The answer to the first request that has `marker` in it is lost, its connection closed.

    `url` is http://host:port of the proxy.
    """

    def __init__(self, host: str, port: int, marker: str) -> None:
        self._command = [sys.executable, __file__, host, str(port), marker]

    def __enter__(self) -> DeafProxy:
        self._process = subprocess.Popen(self._command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self.url = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.communicate()

    def wait_until_lost(self) -> None:
        """Return when the answer was lost; at once when it has been."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "lost\n"


class _Proxy:
    def __init__(self, host: str, port: str, marker: str) -> None:
        self._target = (host, int(port))
        self._marker = marker.encode()
        self._lock = threading.Lock()
        self._num_lost = 0

    def run(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        print(self._server.getsockname()[1], flush=True)
        self._accept()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._server.accept()
                server = socket.create_connection(self._target)
                deaf = threading.Event()
                threading.Thread(target=self._ask, args=(client, server, deaf), daemon=True).start()
                threading.Thread(target=self._answer, args=(client, server, deaf), daemon=True).start()

    def _ask(self, client: socket.socket, server: socket.socket, deaf: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                with self._lock:
                    if self._marker in data and not self._num_lost:
                        self._num_lost += 1
                        deaf.set()
                        print("lost", flush=True)
                server.sendall(data)
        _close(server)

    def _answer(self, client: socket.socket, server: socket.socket, deaf: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while (data := server.recv(65536)) and not deaf.is_set():
                client.sendall(data)
        _close(client)
        _close(server)


def _close(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()


if __name__ == "__main__":
    _Proxy(*sys.argv[1:]).run()
