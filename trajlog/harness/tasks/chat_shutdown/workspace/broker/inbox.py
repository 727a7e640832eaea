"""Messages on their way to one reader or to several that share the work."""

import asyncio
import itertools

from broker.message import Priority


class InboxClosed(Exception):
    """Nothing more can be put in."""


class Inbox:
    def __init__(self, name):
        self.name = name
        self.closed = False
        self._queue = asyncio.PriorityQueue()
        self._count = itertools.count()

    def __len__(self):
        return self._queue.qsize() - self.closed

    def put(self, message):
        if self.closed:
            raise InboxClosed(self.name)
        self._queue.put_nowait((message.priority, next(self._count), message))

    def close(self):
        """No more messages. Readers end when they have read what there is."""
        if not self.closed:
            self.closed = True
            self._put_end()

    def _put_end(self):
        self._queue.put_nowait((Priority.URGENT, next(self._count), None))

    async def read(self):
        """The messages, urgent ones first, until the inbox is closed."""
        while True:
            _, _, message = await self._queue.get()
            if message is None:
                self._put_end()  # for the next reader
                return
            yield message
