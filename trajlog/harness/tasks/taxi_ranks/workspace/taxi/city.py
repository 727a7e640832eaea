"""All ranks and taxis."""

from taxi.orders import Orders
from taxi.rank import Rank


class City:
    """`{"station": ["t1", "t2"], "port": []}` has two ranks."""

    def __init__(self, ranks, patience=600):
        self.ranks = {name: Rank(name, taxis) for name, taxis in ranks.items()}
        self.orders = Orders(patience)
        self.taxis = {taxi for taxis in ranks.values() for taxi in taxis}
        self._driving = {}

    async def order(self, passenger, *names):
        ride = await self.orders.order(passenger, [self.ranks[name] for name in names])
        self._driving[ride.taxi] = passenger
        return ride

    def arrive(self, taxi, name):
        """A taxi, perhaps one with a passenger, stops at a rank."""
        self._driving.pop(taxi, None)
        self.taxis.add(taxi)
        self.ranks[name].arrive(taxi)

    def driving(self):
        return dict(sorted(self._driving.items()))

    def audit(self):
        """Where the taxis are; those that are nowhere are `lost`."""
        places = {name: rank.line for name, rank in self.ranks.items()}
        known = {taxi for line in places.values() for taxi in line} | set(self._driving)
        return {**places, "driving": sorted(self._driving), "lost": sorted(self.taxis - known)}
