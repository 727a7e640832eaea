"""The text, as lines numbered from 1."""


class EditError(Exception):
    """An edit that the text does not allow."""


class Buffer:
    def __init__(self, lines=()):
        self.lines = list(lines)

    @classmethod
    def parse(cls, text):
        return cls(text.splitlines())

    def text(self):
        return "".join(f"{line}\n" for line in self.lines)

    def check(self, first, last):
        if not 1 <= first <= last <= len(self.lines):
            raise EditError(f"no lines {first}-{last} in {len(self.lines)}")

    def replace(self, first, count, lines):
        """Put `lines` in the place of `count` lines from `first` on. Returns what was there."""
        start = first - 1
        old = self.lines[start : start + count]
        self.lines[start : start + count] = lines
        return old
