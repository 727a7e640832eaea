"""Hunks, as text:

    @@ title
     kept line
    -old line
    +new line
"""

from dataclasses import dataclass, field

from patchtool.errors import BadPatch


@dataclass
class Hunk:
    title: str = ""
    changes: list = field(default_factory=list)  # of (mark, line)

    @property
    def old(self):
        return [line for mark, line in self.changes if mark in " -"]

    @property
    def new(self):
        return [line for mark, line in self.changes if mark in " +"]

    def reverse(self):
        swap = {"+": "-", "-": "+", " ": " "}
        return Hunk(self.title, [(swap[mark], line) for mark, line in self.changes])


def read_patch(text):
    hunks = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("@@"):
            hunks.append(Hunk(line[2:].strip()))
        elif not hunks:
            continue
        elif line[:1] in ("+", "-", " "):
            hunks[-1].changes.append((line[0], line[1:]))
        elif line:
            raise BadPatch(f"line {number}: {line!r}")
    for hunk in hunks:
        if not hunk.old:
            raise BadPatch(f"hunk {hunk.title!r} has no old lines")
    return hunks
