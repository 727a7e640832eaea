"""The book: price first, then time."""

from matching.model import BUY, SELL, OrderError, Trade


class OrderBook:
    def __init__(self):
        self._resting = {BUY: [], SELL: []}
        self.orders = {}

    def submit(self, order):
        """Match `order` as far as possible, keep the rest. Returns the trades."""
        if order.number in self.orders:
            raise OrderError(f"order {order.number} exists")
        self.orders[order.number] = order
        facing = self._resting[SELL if order.side == BUY else BUY]
        trades = []
        while facing and order.open and order.crosses(facing[0]):
            trades.append(self._trade(order, facing[0]))
            if not facing[0].open:
                facing.pop(0)
        if order.open:
            self._rest(order)
        return trades

    def _trade(self, incoming, resting):
        quantity = min(incoming.open, resting.open)
        incoming.open -= quantity
        resting.open -= quantity
        buyer, seller = (incoming, resting) if incoming.side == BUY else (resting, incoming)
        return Trade(buyer.number, seller.number, resting.price, quantity)

    def _rest(self, order):
        queue = self._resting[order.side]
        queue.append(order)
        queue.sort(key=lambda each: -each.price if order.side == BUY else each.price)

    def cancel(self, number):
        order = self.orders[number]
        queue = self._resting[order.side]
        if order not in queue:
            raise OrderError(f"order {number} does not rest")
        queue.remove(order)
        return order

    def depth(self, side):
        return [(order.price, order.open) for order in self._resting[side]]
