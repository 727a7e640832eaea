"""A pool of at most `size` connections, handed from request to request.

Who finds none free waits in line. A connection that is given back goes straight to the first in line, so a
newcomer cannot snatch it away.
"""

import asyncio
from collections import deque
from contextlib import asynccontextmanager


class PoolClosed(RuntimeError):
    """The pool hands out nothing any more."""


class Pool:
    """`connect` is a coroutine function that opens a connection."""

    def __init__(self, connect, size):
        if size < 1:
            raise ValueError(f"size is {size}; a pool needs at least 1")
        self._connect = connect
        self._size = size
        self._num_open = 0
        self._free = []
        self._line = deque()
        self._is_closed = False

    @property
    def num_free(self):
        """Connections that could be handed out at once, the unopened ones included."""
        return len(self._free) + self._size - self._num_open

    async def acquire(self):
        if self._is_closed:
            raise PoolClosed("acquire on a closed pool")
        if self._free:
            return self._free.pop()
        if self._num_open < self._size:
            return await self._open()
        turn = asyncio.get_running_loop().create_future()
        self._line.append(turn)
        return await turn

    def release(self, connection):
        """Give a connection back; it goes to the first in line, if any."""
        if self._is_closed:
            connection.close()
            self._num_open -= 1
            return
        while self._line and self._line[0].done():
            self._line.popleft()
        if self._line:
            self._line.popleft().set_result(connection)
        else:
            self._free.append(connection)

    @asynccontextmanager
    async def connection(self):
        connection = await self.acquire()
        try:
            yield connection
        finally:
            self.release(connection)

    def close(self):
        """Close what is free; what is in use is closed when given back. Whoever waits gets PoolClosed."""
        self._is_closed = True
        while self._free:
            self._free.pop().close()
            self._num_open -= 1
        while self._line:
            turn = self._line.popleft()
            if not turn.done():
                turn.set_exception(PoolClosed("closed while waiting"))

    async def _open(self):
        self._num_open += 1
        try:
            return await self._connect()
        except BaseException:
            self._num_open -= 1
            raise
