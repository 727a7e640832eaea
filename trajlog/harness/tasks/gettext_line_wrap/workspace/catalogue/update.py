"""Takes a catalogue over to a new version of the program."""

from dataclasses import replace
from difflib import SequenceMatcher

from catalogue.entries import Catalogue, Entry

SIMILAR = 0.75


def similarity(first, second):
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def update(old, sources):
    """A catalogue for `sources`: known messages keep their translation, similar ones get it as fuzzy."""
    known = {entry.source: entry for entry in old}
    new = Catalogue(old.language)
    for source in sources:
        entry = known.get(source)
        if entry is None:
            close = max(known.values(), key=lambda other: similarity(other.source, source), default=None)
            if close is not None and close.target and similarity(close.source, source) >= SIMILAR:
                new.add(replace(close, source=source, is_fuzzy=True, comments=[f"was: {close.source}"]))
                continue
            entry = Entry(source)
        new.add(replace(entry))
    return new
