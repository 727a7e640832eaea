"""The document that everybody writes in."""

import asyncio
from collections import deque
from dataclasses import dataclass

from cowrite.change import Change, ChangeError


@dataclass(frozen=True)
class Revision:
    number: int
    author: str
    change: Change
    text: str


class Document:
    """`subscriber(revision)` is a coroutine function."""

    def __init__(self, text=""):
        self.text = text
        self.revisions = []
        self.dropped = []
        self._before = []
        self._subscribers = {}
        self._lock = asyncio.Lock()
        self._outbox = deque()
        self._delivery = None

    @property
    def number(self):
        return len(self.revisions)

    def subscribe(self, name, subscriber):
        if name in self._subscribers:
            raise ValueError(f"{name} is subscribed")
        self._subscribers[name] = (self.number, subscriber)

    def unsubscribe(self, name):
        self._subscribers.pop(name, None)

    async def submit(self, author, change, seen=None):
        """Makes a change to the text as its author saw it; returns the revision."""
        async with self._lock:
            revision = self._make(author, self._current(change, seen))
        await self._deliver(revision)
        return revision

    async def undo(self, author):
        """Takes back the last change of an author that was not taken back."""
        async with self._lock:
            index = self._last_of(author)
            change = self.revisions[index].change.inverse(self._before[index])
            for later in self.revisions[index + 1:]:
                change = change.after(later.change)
            revision = self._make(f"undo {index + 1}", change)
        await self._deliver(revision)
        return revision

    def _last_of(self, author):
        undone = {int(rev.author.split()[1]) for rev in self.revisions if rev.author.startswith("undo ")}
        for index in range(self.number - 1, -1, -1):
            if self.revisions[index].author == author and index + 1 not in undone:
                return index
        raise ChangeError(f"nothing of {author} to undo")

    def _current(self, change, seen):
        seen = self.number if seen is None else seen
        if not 0 <= seen <= self.number:
            raise ChangeError(f"no revision {seen}")
        for later in self.revisions[seen:]:
            change = change.after(later.change)
        return change

    def _make(self, author, change):
        text = change.apply(self.text)
        self._before.append(self.text)
        self.text = text
        revision = Revision(self.number + 1, author, change, text)
        self.revisions.append(revision)
        self._outbox.append(revision)
        return revision

    async def _deliver(self, revision):
        """Serves the outbox. A call by a subscriber leaves that to the delivery it is part of."""
        while self._outbox:
            await self._tell(self._outbox.popleft())

    async def _tell(self, revision):
        for name, (since, subscriber) in list(self._subscribers.items()):
            if name not in self._subscribers or since >= revision.number:
                continue
            try:
                await subscriber(revision)
            except Exception as error:
                self._subscribers.pop(name, None)
                self.dropped.append((name, str(error)))

    def blame(self):
        """Pairs (author, text) as the characters came in; the text at the beginning is by nobody."""
        marks = [None] * len(self._before[0] if self._before else self.text)
        for revision in self.revisions:
            change = revision.change
            marks[change.at: change.end] = [revision.author] * len(change.come)
        runs = []
        for author, character in zip(marks, self.text, strict=True):
            if runs and runs[-1][0] == author:
                runs[-1] = (author, runs[-1][1] + character)
            else:
                runs.append((author, character))
        return runs
