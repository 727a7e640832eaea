"""The line: all stations cook for one table, course by course."""

import asyncio

from kitchen.clock import KitchenClock
from kitchen.gate import Gate


class Line:
    """The dishes of a course are carried out together, and not before every station is ready with it."""

    def __init__(self, card, clock=None):
        self._card = card
        self._clock = clock or KitchenClock()
        self.log = []

    async def serve(self, order, timeout=2):
        stations = self._card.stations()
        gate = Gate(len(stations))
        work = [self._station(name, order, gate) for name in stations]
        await asyncio.wait_for(asyncio.gather(*work), timeout)
        return [entry for entry in self.log if entry[0] == order.table]

    async def _station(self, name, order, gate):
        last = max((n for n, dishes in enumerate(order.courses, 1) if self._mine(name, dishes)), default=0)
        for number, dishes in enumerate(order.courses, 1):
            if number > last:
                break
            for dish in self._mine(name, dishes):
                await self._clock.cook(dish.minutes)
                self.log.append((order.table, number, "ready", dish.name))
            await gate.arrive()
            for dish in self._mine(name, dishes):
                self.log.append((order.table, number, "served", dish.name))
        gate.leave()

    def _mine(self, name, dishes):
        return [dish for dish in dishes if dish.station == name]


def timeline(entries, event="served"):
    """The numbers of the courses in the order in which something happened."""
    return [number for _, number, what, _ in entries if what == event]


def missed(entries):
    """Dishes that were made ready after another one of their course had been carried out."""
    served, late = set(), []
    for _, number, event, dish in entries:
        if event == "served":
            served.add(number)
        elif number in served:
            late.append(dish)
    return late
