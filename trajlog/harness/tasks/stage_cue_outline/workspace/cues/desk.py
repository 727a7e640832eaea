"""The desk that fires the cues: `advance` it by seconds, `hold` it, `go` on."""


class Desk:
    def __init__(self, sheet, fire):
        self._waiting = list(sheet.cues)
        self._fire = fire
        self.time = 0.0
        self._held = False

    def hold(self):
        self._held = True

    def go(self):
        self._held = False

    def advance(self, seconds):
        """Let time pass; fires what is due. Returns the number of cues fired."""
        if self._held:
            return 0
        self.time += seconds
        fired = 0
        while self._waiting and self._waiting[0].start <= self.time:
            self._fire(self._waiting.pop(0).what)
            fired += 1
        return fired

    def jump(self, scene):
        """Go to the first cue of a scene that is still to come; what lies before is dropped."""
        for place, cue in enumerate(self._waiting):
            if cue.scene == scene:
                del self._waiting[:place]
                self.time = cue.start
                return self.advance(0)
        raise LookupError(f"no scene {scene!r} to come")
