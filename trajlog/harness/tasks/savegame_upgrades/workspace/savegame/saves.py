"""Saves as text: a head line with version and check sum, then the fields."""

import json
import zlib

from savegame.rules import STARTING_GOLD, STARTING_PACK, starting_stats
from savegame.upgrades import CURRENT, upgrade
from savegame.world import Hero, World


class SaveError(ValueError):
    """The text is not a save, or damaged."""


def dump_fields(fields, version):
    body = json.dumps(fields, sort_keys=True)
    return f"SAVE {version} {zlib.crc32(body.encode()):08x}\n{body}\n"


def parse_save(text):
    """Version and fields of a save."""
    head, _, body = text.partition("\n")
    body = body.removesuffix("\n")
    words = head.split()
    if len(words) != 3 or words[0] != "SAVE" or not words[1].isdigit():
        raise SaveError(f"not a save: {head[:30]!r}")
    if f"{zlib.crc32(body.encode()):08x}" != words[2]:
        raise SaveError("check sum does not match")
    return int(words[1]), json.loads(body)


def dumps(world):
    return dump_fields(world.as_fields(), CURRENT)


def loads(text):
    version, fields = parse_save(text)
    return World.from_fields(upgrade(fields, version))


def new_game(*names):
    heroes = [Hero(name, stats=starting_stats(), pack=list(STARTING_PACK)) for name in names]
    return World(gold=STARTING_GOLD, heroes=heroes)


class Slots:
    """Saves by slot name; the last `num_auto` automatic ones are kept."""

    def __init__(self, num_auto=3):
        self._texts = {}
        self._num_auto = num_auto
        self._auto_count = 0

    def put(self, slot, text):
        parse_save(text)
        self._texts[slot] = text

    def save(self, slot, world):
        self._texts[slot] = dumps(world)

    def autosave(self, world):
        self._auto_count += 1
        self.save(f"auto-{self._auto_count}", world)
        self._texts.pop(f"auto-{self._auto_count - self._num_auto}", None)

    def load(self, slot):
        if slot not in self._texts:
            raise SaveError(f"slot {slot!r} is empty")
        return loads(self._texts[slot])

    def names(self):
        return sorted(self._texts)
