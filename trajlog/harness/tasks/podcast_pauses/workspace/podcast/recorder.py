"""Recording a take on several tracks."""

from dataclasses import dataclass

from podcast.track import Track


class RecorderError(RuntimeError):
    """Something that cannot be done in this state."""


@dataclass(frozen=True)
class Mark:
    segment: int
    frame: int
    title: str


class Recorder:
    """States are idle, recording, paused and stopped. A segment has at most `longest` frames."""

    def __init__(self, store, take, tracks, longest=1000):
        if longest < 1:
            raise RecorderError("segments have frames")
        self.take = take
        self.state = "idle"
        self.dropped = 0
        self.marks = []
        self._store = store
        self._longest = longest
        self._tracks = {name: Track(store, take, name) for name in tracks}
        self._listeners = []

    def listen(self, listener):
        """`listener(event, recorder)` for start, pause, resume, segment and stop."""
        self._listeners.append(listener)

    def _tell(self, event):
        for listener in list(self._listeners):
            listener(event, self)

    def _need(self, *states):
        if self.state not in states:
            raise RecorderError(f"{self.take} is {self.state}")

    @property
    def segment(self):
        return max(track.number for track in self._tracks.values())

    @property
    def position(self):
        """Frames in the current segment."""
        return max(track.count for track in self._tracks.values())

    def start(self):
        self._need("idle")
        for track in self._tracks.values():
            track.open()
        self.state = "recording"
        self._tell("start")
        return self

    def feed(self, **frames):
        """One frame for each track; returns whether it was recorded."""
        self._need("recording", "paused")
        if sorted(frames) != sorted(self._tracks):
            raise RecorderError(f"frames for {sorted(frames)}")
        if self.state == "paused":
            self.dropped += 1
            return False
        if self.position >= self._longest:
            self._next_segment()
        for name, frame in frames.items():
            self._tracks[name].write(frame)
        return True

    def _next_segment(self):
        for track in self._tracks.values():
            track.close()
            track.open()
        self._tell("segment")

    def pause(self):
        self._need("recording", "paused")
        if self.state == "recording":
            for track in self._tracks.values():
                track.pause()
            self.state = "paused"
            self._tell("pause")

    def resume(self):
        self._need("recording", "paused")
        if self.state == "paused":
            for track in self._tracks.values():
                track.resume()
            self.state = "recording"
            self._tell("resume")

    def mark(self, title):
        self._need("recording", "paused")
        self.marks.append(Mark(self.segment, self.position, title))

    def stop(self):
        if self.state in ("idle", "stopped"):
            return
        for track in self._tracks.values():
            track.close()
        self.state = "stopped"
        self._tell("stop")

    def discard(self):
        """Stops and removes everything that was recorded."""
        self.stop()
        for track in self._tracks.values():
            track.remove()
        self.marks.clear()

    def __enter__(self):
        return self.start()

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.stop()
        else:
            self.discard()
