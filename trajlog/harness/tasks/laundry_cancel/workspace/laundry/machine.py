"""One machine."""

import asyncio

from laundry.heater import Heater, HeaterError


class MachineError(RuntimeError):
    """Something that cannot be done now."""


class Machine:
    DRAINING = 2

    def __init__(self, name, timeline):
        self.name = name
        self.state = "idle"
        self.locked = False
        self.journal = []
        self._timeline = timeline
        self._task = None
        self._cancelled = False
        self.heater = Heater(timeline, self._note)

    def _note(self, text):
        self.journal.append((self._timeline.now, text))

    def start(self, program):
        if self._task is not None and not self._task.done():
            raise MachineError(f"{self.name} is running")
        self.state = "running"
        self._cancelled = False
        self._task = asyncio.ensure_future(self._run(program))

    async def _run(self, program):
        self.locked = True
        self._note(f"start {program.name}")
        try:
            for step in program.steps:
                await self._step(step)
            self.state = "done"
        except HeaterError as error:
            self._note(str(error))
            self.state = "failed"
        except asyncio.CancelledError:
            self.state = "cancelled"
        finally:
            await self._shut_down()

    async def _step(self, step):
        self._note(str(step))
        if step.target is None:
            await self._timeline.sleep(step.seconds)
            return
        self.heater.start(step.target)
        await self._timeline.sleep(step.seconds)
        await self.heater.stop()

    async def _shut_down(self):
        try:
            await self.heater.stop()
        except HeaterError as error:
            self._note(str(error))
        self._note("drain")
        await self._timeline.sleep(self.DRAINING)
        self.locked = False
        self._note("open")

    async def ended(self):
        if self._task is not None:
            await asyncio.wait([self._task])

    async def cancel(self):
        """Ends the program; returns when the door is open."""
        if self._task is None or self._task.done():
            return
        if not self._cancelled:
            self._cancelled = True
            self._task.cancel()
        await self.ended()
