"""Who is asking: the user and the roles of the running request."""

from contextlib import contextmanager
from contextvars import ContextVar

_user = ContextVar("user", default=None)
_extra = ContextVar("extra", default=None)


class NoUser(Exception):
    pass


@contextmanager
def acting_as(user):
    token = _user.set(user)
    try:
        yield user
    finally:
        _user.reset(token)


@contextmanager
def elevated(*roles):
    """More roles until the block ends."""
    extra = _extra.get()
    if extra is None:
        extra = []
        _extra.set(extra)
    extra.extend(roles)
    try:
        yield
    finally:
        del extra[len(extra) - len(roles):]


def current_user():
    user = _user.get()
    if user is None:
        raise NoUser("nobody is acting")
    return user


def active_roles():
    """The user's own roles, then the added ones, each once."""
    return list(dict.fromkeys([*current_user().roles, *(_extra.get() or ())]))
