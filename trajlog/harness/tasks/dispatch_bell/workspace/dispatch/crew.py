"""Crews that take calls."""

import asyncio

from dispatch.calls import QueueClosed


class Crew:
    """`drive(crew, call)` is a coroutine function that ends when the crew is back."""

    def __init__(self, name, queue, board, drive):
        self.name = name
        self.queue = queue
        self.board = board
        self.drive = drive
        self.done = []

    async def duty(self):
        try:
            while True:
                self.board.note(self.name, "idle")
                try:
                    call = await self.queue.take()
                except QueueClosed:
                    return
                self.board.note(self.name, "out", call)
                await self.drive(self, call)
                self.done.append(call.number)
        finally:
            self.board.note(self.name, "off duty")


class Shift:
    """Running crews."""

    def __init__(self, crews):
        self.tasks = {crew.name: asyncio.ensure_future(crew.duty()) for crew in crews}

    async def send_home(self, name):
        """Ends the duty of a crew that is idle."""
        task = self.tasks.pop(name)
        task.cancel()
        await asyncio.wait([task], timeout=2)

    async def ended(self):
        await asyncio.wait_for(asyncio.gather(*self.tasks.values()), 2)


async def settle(rounds=20):
    """Lets everything happen that can happen now."""
    for _ in range(rounds):
        await asyncio.sleep(0)


async def run_shift(names, steps, drive):
    """Runs crews through steps: functions of queue and shift that may be coroutine functions."""
    from dispatch.board import Board
    from dispatch.calls import CallQueue

    queue, board = CallQueue(), Board()
    crews = [Crew(name, queue, board, drive) for name in names]
    shift = Shift(crews)
    await settle()
    for step in steps:
        result = step(queue, shift)
        if asyncio.iscoroutine(result):
            await result
        await settle()
    queue.close()
    await shift.ended()
    return board, {crew.name: crew.done for crew in crews}
