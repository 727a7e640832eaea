"""A connection to an in-memory key-value server."""

import asyncio


class ConnectionClosed(RuntimeError):
    """The connection was used after it was closed."""


class Server:
    """Holds the data and counts its connections."""

    def __init__(self, data=None):
        self.data = dict(data or {})
        self.num_connects = 0
        self.refuse_next = 0

    async def connect(self):
        await asyncio.sleep(0)
        if self.refuse_next:
            self.refuse_next -= 1
            raise ConnectionRefusedError("server is busy")
        self.num_connects += 1
        return Connection(self, self.num_connects)


class Connection:
    def __init__(self, server, number):
        self._server = server
        self.number = number
        self.is_open = True

    def __repr__(self):
        return f"Connection({self.number})"

    async def execute(self, command, *args):
        """`get key`, `set key value` or `ping`."""
        if not self.is_open:
            raise ConnectionClosed(repr(self))
        await asyncio.sleep(0)
        if command == "ping":
            return "pong"
        if command == "get":
            return self._server.data.get(args[0])
        if command == "set":
            self._server.data[args[0]] = args[1]
            return True
        raise ValueError(f"unknown command {command!r}")

    def close(self):
        self.is_open = False
