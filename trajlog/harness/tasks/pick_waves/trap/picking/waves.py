"""Waves: orders that are picked on one walk."""

from collections import deque
from dataclasses import dataclass, field

from picking.carts import Fleet, Stop
from picking.labels import shortages, walk_sheet


@dataclass
class Wave:
    orders: list
    stops: list = field(default_factory=list)

    def walk(self):
        return [(stop.bin, stop.units, stop.order) for stop in self.stops]

    def sheet(self):
        return walk_sheet(self.stops)

    def missing(self):
        return shortages(self.orders, self.stops)


class Planner:
    def __init__(self, stock, per_wave=2, fleet=None):
        self.stock = stock
        self.fleet = fleet or Fleet(10)
        self.per_wave = per_wave
        self.queue = deque()

    def submit(self, order):
        self.queue.append(order)

    def next_wave(self):
        count = min(self.per_wave, len(self.queue))
        wave = Wave([self.queue.popleft() for _ in range(count)])
        for order in wave.orders:
            wave.stops += self._stops(order)
        wave.stops.sort(key=lambda stop: stop.bin)
        return wave

    def _stops(self, order):
        for line in order.open_lines():
            for bin_name, free in self.stock.bins_of(line.sku):
                units = min(free, line.units)
                if not units:
                    break
                line.units -= units
                self.stock.reserve(bin_name, units)
                yield Stop(bin_name, line.sku, units, order.number)

    def confirm(self, wave, count=None):
        """The first `count` stops of the walk are done (all of them without a count)."""
        done = wave.stops[:count]
        wave.stops = wave.stops[len(done):]
        by_number = {order.number: order for order in wave.orders}
        for stop in done:
            self.stock.remove(stop.bin, stop.units)
            by_number[stop.order].confirm(stop.sku, stop.units)
        return len(done)

    def carts(self, wave):
        return [cart.load for cart in self.fleet.distribute(wave.stops)]

    def cancel(self, wave):
        """Give the rest of a wave back: stock is free again, unfinished orders are first in the queue."""
        by_number = {order.number: order for order in wave.orders}
        for stop in wave.stops:
            self.stock.release(stop.bin, stop.units)
            by_number[stop.order].reopen(stop.sku, stop.units)
        wave.stops = []
        self.queue.extendleft(order for order in reversed(wave.orders) if order.open_units())
