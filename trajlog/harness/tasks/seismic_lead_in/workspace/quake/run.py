"""Runs over a recording that can be interrupted."""

import json

from quake.cutter import Cutter, Settings


class Run:
    """Iterate over it to get the events. `checkpoint()` may be called between two events or after a stop."""

    def __init__(self, recording, settings=None, cutter=None):
        self.recording = recording
        self.cutter = cutter or Cutter(settings or Settings())
        self.blocks_done = 0

    @classmethod
    def resume(cls, recording, text):
        state = json.loads(text)
        recording.seek(state["position"])
        run = cls(recording, cutter=Cutter.from_state(state["cutter"]))
        run.blocks_done = state["blocks_done"]
        return run

    def __iter__(self):
        return self.events()

    def events(self, limit=None):
        """Events of the next `limit` blocks (of all, without a limit)."""
        done = 0
        if limit == 0:
            return
        for start, samples in self.recording.blocks(self.cutter.settings.block):
            event = self.cutter.feed(start, samples)
            self.blocks_done += 1
            done += 1
            if event is not None:
                yield event
            if done == limit:
                return
        event = self.cutter.finish()
        if event is not None:
            yield event

    def checkpoint(self):
        return json.dumps(
            {
                "position": self.recording.position,
                "blocks_done": self.blocks_done,
                "cutter": self.cutter.state(),
            }
        )
