"""The heater: one degree a second, three seconds to cool down."""

import asyncio


class HeaterError(RuntimeError):
    """The heater does not work."""


class Heater:
    COOLING = 3

    def __init__(self, timeline, note):
        self._timeline = timeline
        self._note = note
        self._running = None
        self._stopping = False
        self.temperature = 20
        self.broken_at = None

    def start(self, target):
        if self._running is not None:
            raise HeaterError("the heater is on already")
        self._note(f"heater to {target}")
        self._stopping = False
        self._running = asyncio.ensure_future(self._run(target))

    async def _run(self, target):
        try:
            while True:
                await self._timeline.sleep(1)
                if self.temperature == self.broken_at:
                    raise HeaterError(f"no heat at {self.temperature}")
                if self.temperature < target:
                    self.temperature += 1
        finally:
            self._stopping = True
            await self._timeline.sleep(self.COOLING)
            self._note("heater off")
            self.temperature = 20

    async def stop(self):
        """Returns when the heater is off; raises what went wrong with it."""
        running = self._running
        if running is None:
            return
        if not self._stopping:
            self._stopping = True
            running.cancel()
        await asyncio.wait([running])
        self._running = None
        if not running.cancelled():
            running.result()
