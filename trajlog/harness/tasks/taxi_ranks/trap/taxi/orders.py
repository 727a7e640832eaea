"""Orders that ask several ranks."""

import asyncio
from dataclasses import dataclass

from taxi.rank import RankClosed


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
        finally:
            await self._withdraw(asked)
        ride = Ride(passenger, first.result(), asked[first].name)
        self.rides.append(ride)
        return ride

    async def _first(self, asked):
        pending = set(asked)
        while pending:
            done, pending = await asyncio.wait(
                pending, timeout=self.patience, return_when=asyncio.FIRST_COMPLETED)
            if not done:
                raise NoTaxi("no taxi in time")
            for task in list(asked):
                if task in done and task.exception() is None:
                    self._return_others(asked, task)
                    return task
        raise NoTaxi("all ranks are closed")

    def _return_others(self, asked, first):
        for task, rank in asked.items():
            if task is not first and task.done():
                rank.give_back(task.result())

    async def _withdraw(self, asked):
        """Cancels what has not been answered."""
        open_ = [task for task in asked if not task.done()]
        for task in open_:
            task.cancel()
        for task in open_:
            try:
                await task
            except (asyncio.CancelledError, RankClosed):
                pass
