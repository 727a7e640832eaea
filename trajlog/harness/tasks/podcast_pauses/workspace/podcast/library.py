"""Reading what was recorded."""

from dataclasses import dataclass, field

from podcast.encode import add_to_check


class LibraryError(LookupError):
    """A take or track that is not there."""


@dataclass
class Segment:
    track: str
    number: int
    frames: list = field(default_factory=list)
    gaps: list = field(default_factory=list)
    whole: bool = False


def parse_segment(lines):
    """A segment up to its end line. Old recorders filled files up behind it."""
    segment = None
    check = 0
    for line in lines:
        word, *rest = line.split()
        if word == "head":
            segment = Segment(rest[0], int(rest[1]))
        elif segment is None:
            raise LibraryError(f"{line!r} before the head")
        elif word == "frame":
            segment.frames.append(int(rest[0]))
            check = add_to_check(check, segment.frames[-1])
        elif word == "gap":
            segment.gaps.append(len(segment.frames))
        elif word == "end":
            segment.whole = [int(text) for text in rest] == [len(segment.frames), check]
            break
    return segment


class Library:
    def __init__(self, store):
        self._store = store

    def takes(self):
        return sorted({name.split("/")[0] for name in self._store.names()})

    def segments(self, take, track):
        names = self._store.names(f"{take}/{track}.")
        if not names:
            raise LibraryError(f"no {track} of {take}")
        found = [parse_segment(self._store.read(name)) for name in names]
        return sorted(found, key=lambda segment: segment.number)

    def frames(self, take, track):
        return [frame for segment in self.segments(take, track) for frame in segment.frames]

    def damaged(self):
        """Names of files whose end does not agree with their frames, or is not there."""
        return [name for name in self._store.names() if not parse_segment(self._store.read(name)).whole]

    def mixed(self, take, *tracks):
        """The sum of the tracks, frame by frame."""
        return [sum(frames) for frames in zip(*(self.frames(take, track) for track in tracks), strict=True)]

    def chapters(self, recorder, track):
        """Marks as (frame of the whole take, title)."""
        begins, total = {}, 0
        for segment in self.segments(recorder.take, track):
            begins[segment.number] = total
            total += len(segment.frames)
        return [(begins[mark.segment] + mark.frame, mark.title) for mark in recorder.marks]

    def summary(self, take, track):
        segments = self.segments(take, track)
        lengths = "+".join(str(len(segment.frames)) for segment in segments)
        gaps = sum(len(segment.gaps) for segment in segments)
        return f"{take} {track}: {lengths} frames, {gaps} gaps"
