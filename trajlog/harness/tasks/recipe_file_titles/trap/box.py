"""A folder of `*.recipe` files and its index."""

from dataclasses import dataclass

ENDING = ".recipe"
DRAFT = "draft-"


class UnknownRecipe(LookupError):
    """No recipe has this title."""


@dataclass(frozen=True)
class Entry:
    title: str
    filename: str
    is_draft: bool


def title_of(filename):
    """`draft-pie-crust.recipe` is the "Pie Crust"."""
    stem = filename.replace(ENDING, "").replace(DRAFT, "")
    return " ".join(word.capitalize() for word in stem.split("-"))


class Box:
    def __init__(self, filenames):
        self._entries = {}
        for filename in sorted(filenames):
            if not filename.endswith(ENDING):
                continue
            entry = Entry(title_of(filename), filename, filename.startswith(DRAFT))
            self._entries[entry.title] = entry

    def titles(self):
        return sorted(self._entries)

    def filename(self, title):
        try:
            return self._entries[title].filename
        except KeyError:
            raise UnknownRecipe(title) from None

    def drafts(self):
        return [entry.title for entry in self._entries.values() if entry.is_draft]

    def index(self):
        """The table of contents: one line per first letter."""
        lines = {}
        for title in self.titles():
            lines.setdefault(title[:1], []).append(title)
        return [f"{letter}: {', '.join(titles)}" for letter, titles in lines.items()]
