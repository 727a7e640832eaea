"""Mazes as text.

`#` wall, `.` floor, `~` mud, `S` start, `E` exit, small letters are keys, capital letters (other than S and E) doors,
equal digits teleporters.
"""

from dataclasses import dataclass, field

DIRECTIONS = {"N": (-1, 0), "E": (0, 1), "S": (1, 0), "W": (0, -1)}


class BadMaze(ValueError):
    """The text is no maze."""


@dataclass
class Grid:
    cells: dict
    start: tuple
    exit: tuple
    jumps: dict = field(default_factory=dict)
    size: tuple = (0, 0)

    def __getitem__(self, place):
        return self.cells.get(place, "#")

    def is_door(self, place):
        return self[place].isupper() and self[place] not in "SE"

    def key_at(self, place):
        """The name of the key there, or None."""
        return self[place] if self[place].islower() else None

    def cost(self, place):
        return 3 if self[place] == "~" else 1

    def neighbours(self, place):
        """Yield (move, place), jumps last."""
        row, column = place
        for move, (down, right) in DIRECTIONS.items():
            target = (row + down, column + right)
            if self[target] != "#":
                yield move, target
        if place in self.jumps:
            yield "J", self.jumps[place]


def find_one(places, mark):
    found = places.get(mark, [])
    if len(found) != 1:
        raise BadMaze(f"{len(found)} cells are marked {mark}")
    return found[0]


def read_grid(text):
    rows = [line.strip() for line in text.strip().splitlines()]
    places = {}
    cells = {}
    for row, line in enumerate(rows):
        for column, mark in enumerate(line):
            if not (mark in "#.~" or mark.isalnum()):
                raise BadMaze(f"unknown mark {mark!r} in row {row + 1}")
            cells[row, column] = mark
            places.setdefault(mark, []).append((row, column))
    jumps = {}
    for mark, found in places.items():
        if mark.isdigit():
            if len(found) != 2:
                raise BadMaze(f"teleporter {mark} has {len(found)} ends")
            jumps[found[0]], jumps[found[1]] = found[1], found[0]
    size = (len(rows), max(map(len, rows), default=0))
    return Grid(cells, find_one(places, "S"), find_one(places, "E"), jumps, size)
