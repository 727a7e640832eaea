"""The desk: many traders, one book."""

import threading

from matching.book import OrderBook


class OrderCancelled(Exception):
    """The order was taken back before it was filled."""


class Desk:
    """Thread-safe front of an order book.

    A trader places an order and may wait, in a thread of its own, until it is filled.
    """

    def __init__(self, book=None, condition=None):
        self._book = book or OrderBook()
        self._changed = condition or threading.Condition()
        self._cancelled = set()
        self.tape = []

    def place(self, order):
        with self._changed:
            trades = self._book.submit(order)
            self.tape.extend(trades)
            self._changed.notify(2 * len(trades))  # buyer and seller
            return trades

    def cancel(self, number):
        with self._changed:
            order = self._book.cancel(number)
            self._cancelled.add(number)
            self._changed.notify_all()
            return order.open

    def wait_filled(self, number, timeout=None):
        """Wait until the order is filled; the average price that was paid."""
        with self._changed:
            if not self._changed.wait_for(lambda: self._settled(number), timeout):
                raise TimeoutError(f"order {number} is still open")
            if number in self._cancelled:
                raise OrderCancelled(number)
            return self._average(number)

    def _settled(self, number):
        order = self._book.orders.get(number)
        return number in self._cancelled or (order is not None and not order.open)

    def _average(self, number):
        mine = [trade for trade in self.tape if number in (trade.buyer, trade.seller)]
        return sum(trade.price * trade.quantity for trade in mine) / sum(trade.quantity for trade in mine)

    def volume(self):
        with self._changed:
            return sum(trade.quantity for trade in self.tape)
