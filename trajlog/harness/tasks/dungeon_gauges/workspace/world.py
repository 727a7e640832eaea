"""Rooms and who is in them, read from a JSON file."""

import json
from pathlib import Path

from creatures import Creature


class Room:
    def __init__(self, name, exits, creatures):
        self.name = name
        self.exits = exits
        self.creatures = creatures

    def first(self, kind):
        return next((one for one in self.creatures if one.kind == kind), None)

    def tidy(self):
        """Remove the dead and the fled; returns what there is to say about them."""
        gone = [one for one in self.creatures if not one.alive or one.flees]
        self.creatures = [one for one in self.creatures if one.alive and not one.flees]
        return [f"The {one.kind} {'dies' if not one.alive else 'runs away'}." for one in gone]


class World:
    def __init__(self, hero, rooms, start):
        self.hero = hero
        self.rooms = rooms
        self.here = rooms[start]


def load(path=Path("world.json")):
    data = json.loads(path.read_text(encoding="utf-8"))
    rooms = {}
    for name, entry in data["rooms"].items():
        creatures = [Creature(kind, **data["kinds"][kind]) for kind in entry["creatures"]]
        rooms[name] = Room(name, dict(entry["exits"]), creatures)
    return World(Creature(**data["hero"]), rooms, data["start"])
