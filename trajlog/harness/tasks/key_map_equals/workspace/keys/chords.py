"""Chords: a key with modifiers, such as `ctrl+shift+a`, `f5`, `alt++`."""

import re
from dataclasses import dataclass

MODIFIERS = ("ctrl", "alt", "shift", "meta")
ALIASES = {"equals": "=", "bar": "|", "plus": "+", "esc": "escape", "return": "enter"}
_MODIFIER = re.compile(r"(ctrl|alt|shift|meta)\+(?=\S)", re.IGNORECASE)
_KEY = re.compile(r"[a-z0-9]+|\S", re.IGNORECASE)


class KeyProblem(ValueError):
    """A chord or a line that cannot be understood."""


@dataclass(frozen=True)
class Chord:
    key: str
    modifiers: frozenset = frozenset()

    def __str__(self):
        return "+".join([*(name for name in MODIFIERS if name in self.modifiers), self.key])


def scan_chord(text, place):
    """The chord that begins at a place of the text, and the place behind it."""
    modifiers = set()
    while match := _MODIFIER.match(text, place):
        modifiers.add(match.group(1).lower())
        place = match.end()
    match = _KEY.match(text, place)
    if match is None:
        raise KeyProblem("a key is missing")
    key = match.group().lower()
    return Chord(ALIASES.get(key, key), frozenset(modifiers)), match.end()


def skip_blanks(text, place):
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def scan_sequence(text, place=0, stops=""):
    """Chords up to the end, or to one of the signs in `stops` behind a complete chord."""
    chords = []
    place = skip_blanks(text, place)
    while place < len(text) and not (chords and text[place] in stops):
        chord, place = scan_chord(text, place)
        chords.append(chord)
        place = skip_blanks(text, place)
    return tuple(chords), place
