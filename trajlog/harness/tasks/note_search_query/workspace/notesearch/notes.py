"""Notes and the search over them."""

import re
from dataclasses import dataclass

from notesearch.parser import parse

WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class Note:
    title: str
    body: str = ""
    tags: tuple = ()

    def words_of(self, field):
        """Lists of lower case words; of all fields when none is given."""
        texts = {"title": self.title, "body": self.body, "tag": " ".join(self.tags)}
        chosen = [texts[field]] if field in texts else [] if field else texts.values()
        return [WORD.findall(text.lower()) for text in chosen]


class Notebook:
    def __init__(self, notes=()):
        self.notes = list(notes)

    def search(self, query):
        """Titles of the matching notes; all for an empty query."""
        if not query.strip():
            return [note.title for note in self.notes]
        node = parse(query)
        return [note.title for note in self.notes if node.matches(note)]
