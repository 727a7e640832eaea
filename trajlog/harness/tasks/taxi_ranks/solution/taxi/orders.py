"""Orders that ask several ranks."""

import asyncio
from dataclasses import dataclass


class NoTaxi(LookupError):
    """No rank had a taxi in time."""


@dataclass(frozen=True)
class Ride:
    passenger: str
    taxi: str
    rank: str


class Orders:
    def __init__(self, patience=600):
        self.patience = patience
        self.rides = []

    async def order(self, passenger, ranks):
        """A ride from one of the ranks."""
        asked = {asyncio.ensure_future(rank.take()): rank for rank in ranks}
        try:
            first = await self._first(asked)
            rank = asked[first]
            ended = self._withdraw(asked, first)
            if ended:
                await asyncio.wait(ended)
        except BaseException:
            self._withdraw(asked)
            raise
        ride = Ride(passenger, first.result(), rank.name)
        self.rides.append(ride)
        return ride

    async def _first(self, asked):
        pending = set(asked)
        while pending:
            done, pending = await asyncio.wait(
                pending, timeout=self.patience, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                raise NoTaxi("no taxi in time")
            for task in asked:
                if task in done and task.exception() is None:
                    return task
        raise NoTaxi("all ranks are closed")

    def _withdraw(self, asked, keep=None):
        """Withdraws all questions but one; returns those that have to be waited for."""
        ended = []
        for task in [task for task in asked if task is not keep]:
            rank = asked.pop(task)
            if not task.done():
                task.cancel()
                ended.append(task)
            elif task.exception() is None:
                rank.give_back(task.result())
        return ended
