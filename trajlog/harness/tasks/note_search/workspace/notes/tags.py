"""Tags of notes: `#shop` in the text."""

import re

TAG = re.compile(r"#([a-z][a-z0-9-]*)")


class TagBook:
    """Which notes carry which tag; `renamed` maps old tags to new ones."""

    def __init__(self):
        self._notes = {}
        self._renamed = {}

    def put(self, number, text):
        self.remove(number)
        for tag in TAG.findall(text.lower()):
            self._notes.setdefault(self.current(tag), set()).add(number)

    def remove(self, number):
        for numbers in self._notes.values():
            numbers.discard(number)

    def current(self, tag):
        while tag in self._renamed:
            tag = self._renamed[tag]
        return tag

    def rename(self, old, new):
        if self.current(new) == old:
            raise ValueError(f"{new} is called {old} now")
        self._renamed[old] = new
        numbers = self._notes.pop(old, set())
        self._notes.setdefault(self.current(new), set()).update(numbers)

    def numbers(self, tag):
        return sorted(self._notes.get(self.current(tag), ()))

    def cloud(self):
        """(tag, how many), the most used first."""
        counts = [(tag, len(numbers)) for tag, numbers in self._notes.items() if numbers]
        return sorted(counts, key=lambda entry: (-entry[1], entry[0]))
