"""Finds events in the blocks of a recording and cuts them out."""

from collections import deque
from dataclasses import asdict, dataclass

from quake.events import Event
from quake.measures import SlowLevel, level


@dataclass(frozen=True)
class Settings:
    block: int = 10
    lead: int = 2
    tail: int = 1
    on: float = 4.0
    off: float = 1.5


class Cutter:
    """Feed it blocks in order; `feed` gives the event that ended with this block, or None."""

    def __init__(self, settings):
        self.settings = settings
        self._slow = SlowLevel()
        self._before = deque(maxlen=settings.lead)
        self._event = None
        self._quiet = 0

    def feed(self, start, samples):
        current = level(samples)
        ratio = self._slow.ratio(current)
        if self._event is None:
            if ratio < self.settings.on:
                self._slow.feed(current)
                self._before.append((start, samples))
                return None
            self._event = Event([*self._before], len(self._before))
            self._before.clear()
            self._quiet = 0
        self._event.blocks.append((start, samples))
        self._quiet = self._quiet + 1 if ratio < self.settings.off else 0
        return self.finish() if self._quiet > self.settings.tail else None

    def finish(self):
        """Close the open event, if there is one."""
        event, self._event = self._event, None
        if event is not None:
            event.is_open = False
        return event

    def state(self):
        return {
            "settings": asdict(self.settings),
            "slow": self._slow.value,
            "before": [[start, list(samples)] for start, samples in self._before],
            "event": self._event.to_plain() if self._event else None,
            "quiet": self._quiet,
        }

    @classmethod
    def from_state(cls, state):
        cutter = cls(Settings(**state["settings"]))
        cutter._slow.value = state["slow"]
        cutter._before.extend((start, samples) for start, samples in state["before"])
        cutter._event = Event.from_plain(state["event"]) if state["event"] else None
        cutter._quiet = state["quiet"]
        return cutter
