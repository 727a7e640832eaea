"""Puts the cues of a subtitle feed next to the shots of a film."""

from dataclasses import dataclass, field

UNTIMED = -1


@dataclass(frozen=True)
class Cue:
    start: int
    end: int
    text: str

    @property
    def is_timed(self):
        return self.start != UNTIMED


END = Cue(0, 0, "")


class Feed:
    """Cues from `start|end|text` lines; times are frames, `-` where there is none."""

    def __init__(self, lines):
        self._lines = iter(lines)

    def read(self):
        """The next cue, or END."""
        for line in self._lines:
            if line.strip():
                return self._parse(line)
        return END

    @staticmethod
    def _parse(line):
        parts = line.rstrip("\n").split("|", 2)
        if len(parts) != 3:
            raise ValueError(f"no cue: {line.strip()!r}")
        start, end, text = (part.strip() for part in parts)
        return Cue(UNTIMED if start == "-" else int(start), UNTIMED if end == "-" else int(end), text)


@dataclass
class Shot:
    name: str
    first: int
    last: int
    texts: list = field(default_factory=list)

    def shows(self, cue):
        return self.first <= cue.start <= self.last


@dataclass
class Alignment:
    shots: list
    untimed: int = 0
    outside: list = field(default_factory=list)

    def add(self, cue):
        if not cue.is_timed:
            self.untimed += 1
            return
        shot = next((shot for shot in self.shots if shot.shows(cue)), None)
        if shot is None:
            self.outside.append(cue.text)
        elif cue.text:
            shot.texts.append(cue.text)
        else:
            shot.texts.clear()

    def lines(self):
        return [f"{shot.name}: {' / '.join(shot.texts)}" for shot in self.shots if shot.texts]


def align(shots, feed):
    """`shots` are (name, first frame, last frame)."""
    alignment = Alignment([Shot(*shot) for shot in shots])
    for cue in iter(feed.read, END):
        alignment.add(cue)
    return alignment
