"""On whose behalf the current thread works."""

import threading
from types import MappingProxyType

_local = threading.local()
SYSTEM = "system"


class Context:
    def __init__(self, user, tags=None):
        self.user = user
        self.tags = MappingProxyType(dict(tags or {}))

    def __repr__(self):
        return f"Context({self.user!r}, {dict(self.tags)!r})"


def current():
    """The context of this thread; outside of any job that of the system."""
    return getattr(_local, "context", None) or Context(SYSTEM)


def bind(context):
    """Make `context` current. Returns what `unbind` wants to have back."""
    previous = getattr(_local, "context", None)
    _local.context = context
    return previous


def unbind(previous):
    _local.context = previous


def clear():
    _local.context = None
