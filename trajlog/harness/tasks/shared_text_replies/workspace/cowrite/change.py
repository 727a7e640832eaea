"""Changes of a text: at a position some characters go and others come."""

from dataclasses import dataclass


class ChangeError(ValueError):
    """A change that does not fit the text."""


@dataclass(frozen=True)
class Change:
    at: int
    gone: int = 0
    come: str = ""

    @property
    def end(self):
        return self.at + self.gone

    @property
    def grows(self):
        return len(self.come) - self.gone

    def apply(self, text):
        if not 0 <= self.at <= self.end <= len(text):
            raise ChangeError(f"{self.at} to {self.end} of {len(text)}")
        return text[: self.at] + self.come + text[self.end:]

    def inverse(self, text):
        """What takes the change back, for the text before it."""
        return Change(self.at, len(self.come), text[self.at: self.end])

    def moved(self, position, sticky=False):
        """Where a position is after the change. A sticky one stays before text that comes in at it."""
        if position < self.at or position == self.at and sticky:
            return position
        if position >= self.end:
            return position + self.grows
        return self.at + len(self.come)

    def after(self, other):
        """The same change for a text in which `other` was made first."""
        begin = other.moved(self.at)
        end = max(begin, other.moved(self.end, sticky=self.gone > 0))
        return Change(begin, end - begin, self.come)


def between(before, after):
    """One change that makes one text of another."""
    if before == after:
        return None
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    limit = min(len(before), len(after)) - head
    while tail < limit and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    return Change(head, len(before) - head - tail, after[head: len(after) - tail])
