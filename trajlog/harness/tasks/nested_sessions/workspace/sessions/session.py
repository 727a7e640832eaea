"""What is known of a visitor from one request to the next."""

import json
from collections.abc import MutableMapping


class SessionClosed(Exception):
    """The session was written back; changes would be lost."""


class Session(MutableMapping):
    def __init__(self, sid, values=None):
        self.sid = sid
        self._values = dict(values or {})
        self._saved = self.dump()
        self.closed = False
        self.ended = False

    def __getitem__(self, name):
        return self._values[name]

    def __setitem__(self, name, value):
        self._check()
        self._values[name] = value

    def __delitem__(self, name):
        self._check()
        del self._values[name]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def end(self):
        """Forget the visitor, at the end of the request."""
        self._check()
        self._values.clear()
        self.ended = True

    @property
    def changed(self):
        """Also notices changes within lists and the like."""
        return self.dump() != self._saved

    def dump(self):
        return json.dumps(self._values, sort_keys=True)

    def _check(self):
        if self.closed:
            raise SessionClosed(f"session {self.sid} is closed")
