"""Rooms and desks.

What is said in a room reaches every member. A desk has one inbox, from which its clerks help themselves.
"""

import asyncio

from broker.inbox import Inbox
from broker.message import Message, Priority


class Chat:
    def __init__(self):
        self._rooms = {}
        self._desks = {}

    def join(self, room, member):
        members = self._rooms.setdefault(room, {})
        if member in members:
            raise ValueError(f"{member} is in {room} already")
        members[member] = Inbox(f"{room}/{member}")
        return members[member]

    def leave(self, room, member):
        self._rooms[room].pop(member).close()

    def say(self, room, sender, text, priority=Priority.NORMAL):
        """Returns how many members it goes to; the sender is not one of them."""
        message = Message(sender, text, priority)
        others = [inbox for member, inbox in self._rooms.get(room, {}).items() if member != sender]
        for inbox in others:
            inbox.put(message)
        return len(others)

    def desk(self, name):
        if name not in self._desks:
            self._desks[name] = Inbox(name)
        return self._desks[name]

    def close(self):
        for members in self._rooms.values():
            for inbox in members.values():
                inbox.close()
        for inbox in self._desks.values():
            inbox.close()


async def serve(inbox, handle, clerks=1):
    """Let some clerks work on an inbox until it is closed. Returns the number of messages of each."""

    async def work(number):
        done = 0
        async for message in inbox.read():
            await handle(number, message)
            done += 1
        return done

    return await asyncio.gather(*(work(number) for number in range(clerks)))
