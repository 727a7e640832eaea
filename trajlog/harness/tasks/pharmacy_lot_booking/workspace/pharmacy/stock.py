"""Lots on the shelves. Days are plain numbers."""

from pharmacy.journal import Journal
from shelfdb import Table

OPENED_DAYS = 90


class OutOfStock(RuntimeError):
    """Fewer units than wanted."""


def good_until(lot):
    """The last day on which the lot may be handed out."""
    if lot.opened is None:
        return lot.expires
    return min(lot.expires, lot.opened + OPENED_DAYS)


class Stock:
    def __init__(self):
        self._lots = Table("lot", ["drug", "name", "expires", "left", "opened"])
        self.journal = Journal()

    def receive(self, drug, name, expires, units, day):
        """A lot arrives."""
        if units < 1 or expires <= day:
            raise ValueError(f"lot {name}: {units} units until day {expires}")
        if self._lots.find(name=name):
            raise ValueError(f"lot {name} is here already")
        self._lots.insert(drug=drug, name=name, expires=expires, left=units)
        self.journal.write(day, name, units, "received")

    def lots(self, drug, day):
        """Lots that may be handed out, in the order in which they are used."""
        usable = [lot for lot in self._lots.find(drug=drug) if lot.left and good_until(lot) >= day]
        return sorted(usable, key=lambda lot: (good_until(lot), lot.id))

    def units(self, drug, day):
        return sum(lot.left for lot in self.lots(drug, day))

    def pick(self, drug, units, day):
        """Pairs of lot and units that make up the wanted units."""
        picks = []
        for lot in self.lots(drug, day):
            if units:
                picks.append((lot, min(units, lot.left)))
                units -= picks[-1][1]
        if units:
            raise OutOfStock(f"{drug}: {units} units too few")
        return picks

    def take(self, lot, units, day):
        """Hand out units of a lot."""
        self._lots.update(lot, left=lot.left - units)
        if lot.opened is None:
            self._lots.update(lot, opened=day)
        self.journal.write(day, lot.name, -units, "dispensed")

    def count(self, name, units, day):
        """Somebody counted a lot; the difference goes to the journal."""
        (lot,) = self._lots.find(name=name)
        self._lots.update(lot, left=units)
        if units != lot.left:
            self.journal.write(day, name, units - lot.left, "counted")

    def write_off(self, day):
        """Throw away what is not good any more; pairs of lot and units."""
        gone = []
        for lot in self._lots.find(order="name"):
            if lot.left and good_until(lot) < day:
                self._lots.update(lot, left=0)
                self.journal.write(day, lot.name, -lot.left, "expired")
                gone.append((lot.name, lot.left))
        return gone

    def clear(self):
        """Forget empty lots; their number."""
        return sum(self._lots.delete(lot) for lot in self._lots.find(left=0))

    def overview(self, day):
        """Triples of lot, units and last day, of all lots with units."""
        return [(lot.name, lot.left, good_until(lot)) for lot in self._lots.find(order="name") if lot.left]
