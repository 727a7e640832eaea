"""The office that sells the tickets."""

import asyncio
from collections import deque

from boxoffice.gateway import PaymentRefused
from boxoffice.hall import SeatTaken
from boxoffice.orders import Order


class Office:
    def __init__(self, hall, gateway, side_by_side=3):
        if side_by_side < 1:
            raise ValueError(f"{side_by_side} payments side by side")
        self._hall = hall
        self._gateway = gateway
        self._side_by_side = side_by_side
        self._waiting = deque()
        self._number = 0
        self.orders = []
        self.settled = []

    def order(self, customer, seats=None, number=None):
        """Hold seats, either the named ones or the best of that number."""
        seats = list(seats) if seats is not None else self._hall.best(number)
        if not seats:
            raise SeatTaken(f"no {number} seats side by side")
        self._hall.hold(seats)
        self._number += 1
        order = Order(self._number, customer, seats)
        self.orders.append(order)
        self._waiting.append(order)
        return order

    async def sell(self):
        """Have everything paid that was ordered; the number of sold orders."""
        running, sold = set(), 0
        while self._waiting or running:
            while self._waiting and len(running) < self._side_by_side:
                running.add(asyncio.create_task(self._pay(self._waiting.popleft())))
            done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            answers = [task.result() for task in done]
            for order, receipt in sorted(answers, key=lambda answer: answer[0].number):
                sold += self._settle(order, receipt)
        return sold

    async def _pay(self, order):
        """The order with its receipt; the receipt is None if the bank refused."""
        order.go("paying")
        try:
            return order, await self._gateway.pay(order.customer, order.cents())
        except PaymentRefused:
            return order, None

    def _settle(self, order, receipt):
        self.settled.append(order.number)
        if receipt is None:
            order.go("refused")
            self._hall.release(order.seats)
            return False
        order.receipt = receipt
        order.go("sold")
        self._hall.sell(order.seats)
        return True
