"""Patches in the order in which they were applied."""

from copy import deepcopy
from dataclasses import dataclass, field

from netplan.merge import merge, paths


@dataclass
class Change:
    title: str
    author: str
    patch: dict

    def summary(self):
        return f"{self.title} ({self.author}): " + " ".join(paths(self.patch))


@dataclass
class History:
    """`first` is the plan before any change; `position` counts the changes that are in force."""

    first: dict
    changes: list = field(default_factory=list)
    position: int = 0

    def record(self, change):
        """Add a change at the current position; changes that were undone are forgotten."""
        del self.changes[self.position :]
        self.changes.append(change)
        self.position += 1

    def document(self, position=None):
        """The plan after so many changes."""
        document = deepcopy(self.first)
        for change in self.changes[: self.position if position is None else position]:
            document = merge(document, change.patch)
        return document

    def step(self, by):
        """Move the position; returns the document there."""
        wanted = self.position + by
        if not 0 <= wanted <= len(self.changes):
            raise IndexError("nothing to undo" if by < 0 else "nothing to redo")
        self.position = wanted
        return self.document()
