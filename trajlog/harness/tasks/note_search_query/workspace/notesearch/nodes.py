"""Parsed queries. Every node says whether a note matches, and writes itself with all brackets."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Term:
    text: str
    field: str = ""

    def matches(self, note):
        return any(self.text.lower() in words for words in note.words_of(self.field))

    def __str__(self):
        return f"{self.field}:{self.text}" if self.field else self.text


@dataclass(frozen=True)
class Phrase:
    text: str
    field: str = ""

    def matches(self, note):
        wanted = f" {' '.join(self.text.lower().split())} "
        return any(wanted in f" {' '.join(words)} " for words in note.words_of(self.field))

    def __str__(self):
        return f'{self.field}:"{self.text}"' if self.field else f'"{self.text}"'


@dataclass(frozen=True)
class Not:
    node: object

    def matches(self, note):
        return not self.node.matches(note)

    def __str__(self):
        return f"!{self.node}"


@dataclass(frozen=True)
class All:
    nodes: tuple

    def matches(self, note):
        return all(node.matches(note) for node in self.nodes)

    def __str__(self):
        return f"({' & '.join(map(str, self.nodes))})"


@dataclass(frozen=True)
class Any:
    nodes: tuple

    def matches(self, note):
        return any(node.matches(note) for node in self.nodes)

    def __str__(self):
        return f"({' | '.join(map(str, self.nodes))})"
