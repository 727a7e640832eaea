"""Pumps of the mixing machine."""


class PumpError(RuntimeError):
    """The pump cannot be used."""


class Jam(PumpError):
    """A nozzle is jammed."""


class Pump:
    def __init__(self, rack):
        self._rack = rack
        self.is_open = True

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def dose(self, colour, ml):
        if not self.is_open:
            raise PumpError("pump is closed")
        self._rack.log.append(f"{colour} {ml}")
        if self._rack.jams and self._rack.jams[0] == colour:
            self._rack.jams.pop(0)
            raise Jam(f"{colour} nozzle")
        return ml

    def close(self):
        if self.is_open:
            self.is_open = False
            self._rack.num_open -= 1
            self._rack.rinsed += 1


class PumpRack:
    """`jams` are colours whose nozzle will jam, one after the other."""

    def __init__(self, jams=()):
        self.jams = list(jams)
        self.log = []
        self.num_open = 0
        self.rinsed = 0

    def open(self):
        self.num_open += 1
        return Pump(self)
