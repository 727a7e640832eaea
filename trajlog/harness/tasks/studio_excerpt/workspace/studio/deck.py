"""Tapes and the deck that plays them."""


class DeckError(Exception):
    """The deck cannot do that now."""


class Tape:
    def __init__(self, label, samples):
        self.label = label
        self.samples = list(samples)


class Deck:
    """Holds a few tapes at a time. A tape has to be taken out before it can be put in again."""

    def __init__(self, slots=4):
        self._slots = slots
        self._loaded = {}
        self.history = []

    def load(self, tape):
        if tape.label in self._loaded:
            raise DeckError(f"tape {tape.label} is loaded")
        if len(self._loaded) == self._slots:
            raise DeckError("all slots are taken")
        self._loaded[tape.label] = 0
        self.history.append(f"load {tape.label}")

    def read(self, tape, count):
        """The next `count` samples, fewer at the end."""
        start = self._loaded[tape.label]
        self._loaded[tape.label] = start + count
        return tape.samples[start : start + count]

    def unload(self, tape):
        del self._loaded[tape.label]
        self.history.append(f"unload {tape.label}")

    def loaded(self):
        return sorted(self._loaded)


def play(deck, tape, block):
    """Blocks of samples from a tape."""
    deck.load(tape)
    try:
        while samples := deck.read(tape, block):
            yield samples
    finally:
        deck.unload(tape)
