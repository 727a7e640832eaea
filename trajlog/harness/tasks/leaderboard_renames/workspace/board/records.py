"""Entries of the two streams."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Result:
    at: int
    player: str
    points: int


@dataclass(frozen=True)
class Rename:
    at: int
    player: str
    name: str


@dataclass(frozen=True)
class Named:
    """A result with the name of that time."""

    at: int
    player: str
    name: str
    points: int


def parse_results(lines):
    """`at player points` lines, one by one."""
    for line in lines:
        at, player, points = line.split()
        yield Result(int(at), player, int(points))


def parse_renames(lines):
    """`at player name` lines; the name may have spaces."""
    for line in lines:
        at, player, name = line.split(maxsplit=2)
        yield Rename(int(at), player, name)
