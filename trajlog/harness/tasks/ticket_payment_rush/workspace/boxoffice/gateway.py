"""Payments. `Gateway` stands in for the bank and answers after a number of turns of the event loop."""

import asyncio


class PaymentRefused(RuntimeError):
    """The bank does not pay."""


class Gateway:
    def __init__(self, turns=None, refuse=()):
        self._turns = dict(turns or {})
        self._refuse = set(refuse)
        self.started = []
        self.taken = 0
        self.most = 0
        self._open = 0

    async def pay(self, customer, cents):
        self.started.append(customer)
        self._open += 1
        self.most = max(self.most, self._open)
        for _ in range(self._turns.get(customer, 1)):
            await asyncio.sleep(0)
        self._open -= 1
        if customer in self._refuse:
            raise PaymentRefused(customer)
        self.taken += cents
        return f"R-{customer}-{cents}"
