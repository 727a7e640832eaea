"""Kitchen time. A minute is one turn of the event loop."""

import asyncio


class KitchenClock:
    def __init__(self):
        self.cooked = 0

    async def cook(self, minutes):
        for _ in range(minutes):
            await asyncio.sleep(0)
        self.cooked += minutes
