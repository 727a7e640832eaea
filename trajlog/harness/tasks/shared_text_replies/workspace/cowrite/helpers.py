"""Subscribers that do something with the text."""

import re

from cowrite.change import Change


class SpellingHelper:
    """Corrects words once they are followed by something else."""

    def __init__(self, document, words):
        self._document = document
        self._words = dict(words)
        self._pattern = re.compile(r"\b(" + "|".join(map(re.escape, self._words)) + r")\b(?=\W)")
        self.corrected = []

    async def __call__(self, revision):
        if revision.author == "spelling":
            return
        found = self._pattern.search(revision.text)
        if found is None:
            return
        right = self._words[found[0]]
        change = Change(found.start(), len(found[0]), right)
        made = await self._document.submit("spelling", change, seen=revision.number)
        self.corrected.append((made.number, found[0], right))


class WordCount:
    """Counts words; `most` ends the writing of whoever writes more."""

    def __init__(self, document, most=None):
        self._document = document
        self._most = most
        self.count = 0

    async def __call__(self, revision):
        self.count = len(revision.text.split())
        if self._most is not None and self.count > self._most and not revision.author.startswith("undo"):
            await self._document.undo(revision.author)


class Recorder:
    """Keeps what it got."""

    def __init__(self):
        self.lines = []

    async def __call__(self, revision):
        self.lines.append(f"{revision.number} {revision.author}: {revision.text}")
