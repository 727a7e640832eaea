"""Records and what upstream may answer."""

from dataclasses import dataclass


class ResolveError(Exception):
    pass


class NoName(ResolveError):
    """The name does not exist."""


class NoRecord(ResolveError):
    """The name exists but has no record of that type."""


class TooManyAliases(ResolveError):
    pass


@dataclass(frozen=True)
class Answer:
    """`status` is found, alias, norecord or noname."""

    status: str
    values: tuple = ()
    ttl: float = 0


def normal(name):
    return name.rstrip(".").lower()
