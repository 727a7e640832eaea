"""Carts: what fits on them, and which stop goes on which cart."""

from dataclasses import dataclass, field


class CartError(Exception):
    pass


@dataclass
class Stop:
    bin: str
    sku: str
    units: int
    order: int


@dataclass
class Cart:
    number: int
    room: int
    load: list = field(default_factory=list)

    def free(self):
        return self.room - sum(units for _, units, _ in self.load)


class Fleet:
    """Carts with the same room; volumes are per unit."""

    def __init__(self, room, volumes=None):
        self.room = room
        self._volumes = volumes or {}

    def volume(self, sku):
        return self._volumes.get(sku, 1)

    def distribute(self, stops):
        """One list of carts for a walk; a stop may be divided between carts, units may not."""
        carts = []
        for stop in stops:
            each = self.volume(stop.sku)
            if each > self.room:
                raise CartError(f"{stop.sku} does not fit on a cart")
            left = stop.units
            while left:
                if not carts or carts[-1].free() < each:
                    carts.append(Cart(len(carts) + 1, self.room))
                taken = min(left, carts[-1].free() // each)
                carts[-1].load.append((stop.bin, taken * each, stop.order))
                left -= taken
        return carts
