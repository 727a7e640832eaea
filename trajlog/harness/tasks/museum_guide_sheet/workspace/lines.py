"""Lines of a sheet with their numbers."""

from dataclasses import dataclass


class SheetError(ValueError):
    def __init__(self, number, reason):
        super().__init__(f"line {number}: {reason}")
        self.number = number


@dataclass(frozen=True)
class Line:
    number: int
    text: str

    @property
    def is_title(self):
        return self.text.startswith("== ")

    @property
    def is_setting(self):
        return "=" in self.text and not self.is_title and not self.is_remark and not self.is_stop

    @property
    def is_stop(self):
        return self.text.startswith("@")

    @property
    def is_remark(self):
        return self.text.startswith("- ")


def numbered(text, keep_blank=False):
    """The lines that mean something."""
    for number, row in enumerate(text.splitlines(), start=1):
        row = row.strip()
        if row.startswith("#") or (not row and not keep_blank):
            continue
        yield Line(number, row)


class Lookahead:
    """An iterator that can show its next item."""

    def __init__(self, items):
        self._items = iter(items)
        self._held = []

    def __iter__(self):
        return self

    def __next__(self):
        return self._held.pop() if self._held else next(self._items)

    def peek(self):
        """The next item, which stays; None at the end."""
        if not self._held:
            try:
                self._held.append(next(self._items))
            except StopIteration:
                return None
        return self._held[0]
