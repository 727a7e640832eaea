"""The lines of a room; the oldest are dropped."""

import re
from collections import deque

MENTION = re.compile(r"@([a-z][a-z0-9]*)")


class Scrollback:
    def __init__(self, limit=200):
        self._lines = deque(maxlen=limit)
        self._dropped = 0
        self._seen = {}

    def append(self, text):
        if len(self._lines) == self._lines.maxlen:
            self._dropped += 1
        self._lines.append(text)

    @property
    def total(self):
        return self._dropped + len(self._lines)

    def texts(self):
        return list(self._lines)

    def unread(self, member):
        """Lines since the last call for this member."""
        start = max(0, self._seen.get(member, 0) - self._dropped)
        self._seen[member] = self.total
        return self.texts()[start:]

    def find(self, word):
        return [line for line in self._lines if word.lower() in line.lower()]

    def mentions(self, member):
        return [line for line in self._lines if member in MENTION.findall(line)]
