"""Hands out sessions, one object for each visitor at a time."""

import json
from contextlib import contextmanager

from sessions.session import Session


class _Open:
    def __init__(self, session):
        self.session = session
        self.users = 0


class SessionStore:
    def __init__(self, backend, seconds=1800):
        self._backend = backend
        self._seconds = seconds
        self._open = {}

    @contextmanager
    def open(self, sid):
        """The session for the length of a block. It is written back when the last block that uses it has ended."""
        entry = self._open.get(sid)
        if entry is None:
            entry = self._open[sid] = _Open(self._load(sid))
        entry.users += 1
        try:
            yield entry.session
        finally:
            entry.users -= 1
            if not entry.users:
                self._give_back(sid)

    def _load(self, sid):
        text = self._backend.get(sid)
        return Session(sid, json.loads(text) if text else None)

    def _give_back(self, sid):
        session = self._open.pop(sid).session
        session.closed = True
        if session.ended:
            self._backend.delete(sid)
        elif session.changed:
            self._backend.set(sid, session.dump(), self._seconds)

    def in_use(self):
        return sorted(self._open)

    def peek(self, sid):
        """What the backend has, as a dict."""
        return json.loads(self._backend.get(sid) or "{}")
