"""Words of a text."""

import re

WORD = re.compile(r"[a-z0-9]+")
STOP = {"a", "an", "and", "of", "the", "to"}


def words(text):
    return [word for word in WORD.findall(text.lower()) if word not in STOP]


def query_key(query):
    """What a search is known by."""
    return tuple(sorted(set(words(query))))


def snippet(text, wanted, width=40):
    """A piece of the text around the first wanted word."""
    lowered = text.lower()
    places = [lowered.find(word) for word in wanted if word in lowered]
    start = max(0, min(places, default=0) - width // 2)
    piece = text[start:start + width]
    return ("…" if start else "") + piece + ("…" if start + width < len(text) else "")
