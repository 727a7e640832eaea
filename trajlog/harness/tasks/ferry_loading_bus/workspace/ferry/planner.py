"""Places vehicles on the lanes of the deck."""

GAP = 0.5


class DeckFull(RuntimeError):
    """No lane has enough room."""


class Lane:
    def __init__(self, number, length):
        self.number = number
        self.length = length
        self.placed = []

    @property
    def free(self):
        return round(self.length - sum(length + GAP for _, length in self.placed), 2)


class Planner:
    """First lane that fits; a vehicle stays together with its trailers."""

    def __init__(self, bus, lengths, replay=False):
        self._lanes = [Lane(number, length) for number, length in enumerate(lengths, start=1)]
        bus.attach("checked_in", self._on_checked_in, replay=replay)
        bus.attach("cancelled", self._on_cancelled, replay=replay)

    def _on_checked_in(self, message):
        needed = round(message["length"] + sum(message["trailers"]), 2)
        for lane in self._lanes:
            if lane.free >= needed + GAP:
                lane.placed.append((message["plate"], needed))
                return
        raise DeckFull(f"{message['plate']} needs {needed} m")

    def _on_cancelled(self, message):
        for lane in self._lanes:
            lane.placed = [item for item in lane.placed if item[0] != message["plate"]]

    def lanes(self):
        return {lane.number: list(lane.placed) for lane in self._lanes}

    def free(self):
        return [lane.free for lane in self._lanes]
