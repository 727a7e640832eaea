"""Cue sheets.

    preset house lights 3s          what stands at the top goes off at 0:00
    scene Storm at 1:00             a scene; without `at` it begins when the one before has ended
        cue lights blue 5s          cues go off one after another, each when all below the one before has ended
            follow thunder 2s       goes off when the line above it has ended
            with fog 10s            goes off together with the line above it
        wait 4s
"""

from dataclasses import dataclass

from cues.durations import is_duration, parse_clock, parse_duration
from cues.outline import parse_outline


class CueError(ValueError):
    """A line that cannot be carried out."""

    def __init__(self, node, message):
        super().__init__(f"line {node.number}: {message}")


@dataclass(frozen=True)
class Cue:
    start: float
    end: float
    scene: str
    what: str


class Sheet:
    """`cues` in order of their start."""

    def __init__(self, text):
        self._cues = []
        self.scenes = []
        end = 0.0
        for node in parse_outline(text):
            if node.words[0] == "scene":
                end = self._scene(node, end)
            else:
                end = max(end, self._cue(node, 0.0, "-"))
        self.end = end

    @property
    def cues(self):
        return sorted(self._cues, key=lambda cue: (cue.start, cue.end, cue.what))

    def _scene(self, node, start):
        words = node.words[1:]
        if len(words) > 2 and words[-2] == "at":
            try:
                wanted = parse_clock(words[-1])
            except ValueError as problem:
                raise CueError(node, str(problem)) from None
            if wanted < start:
                raise CueError(node, f"{words[-1]} is before the end of the scene before")
            start, words = wanted, words[:-2]
        if not words:
            raise CueError(node, "the scene has no name")
        name = " ".join(words)
        self.scenes.append((start, name))
        for child in node.children:
            start = self._cue(child, start, name)
        return start

    def _cue(self, node, start, scene):
        """Schedule a line and all below it; returns when the last of it ends."""
        word, *rest = node.words
        if word not in ("cue", "follow", "with", "wait", "preset"):
            raise CueError(node, f"unknown word {word!r}")
        length = 0.0
        if rest and is_duration(rest[-1]):
            length = parse_duration(rest.pop())
        own_end = start + length
        if word == "wait":
            if rest or not length:
                raise CueError(node, "wait needs a duration only")
        else:
            if not rest:
                raise CueError(node, f"{word} what?")
            self._cues.append(Cue(start, own_end, scene, " ".join(rest)))
        last = own_end
        for child in node.children:
            begin = start if child.words[0] == "with" else own_end
            last = max(last, self._cue(child, begin, scene))
        return last
