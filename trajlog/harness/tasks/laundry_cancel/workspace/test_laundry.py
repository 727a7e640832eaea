import asyncio

import pytest
from laundry import Machine, MachineError, Program, Room, Timeline


def washed(text, *events):
    """Journal, state and lock after events `(second, function of the machine)`."""

    async def main():
        timeline = Timeline()
        machine = Machine("m", timeline)
        machine.start(Program.parse("p", text))
        calls = []
        for second, event in events:
            await timeline.advance(second - timeline.now)
            calls.append(asyncio.ensure_future(event(machine)))
        await timeline.advance(100)
        await asyncio.wait_for(asyncio.gather(machine.ended(), *calls), 2)
        return machine.journal, machine.state, machine.locked

    return asyncio.run(main())


def test_whole_program():
    journal, state, locked = washed("fill; wash 30 6; spin 5")
    assert (state, locked) == ("done", False)
    assert journal == [
        (0, 'start p'), (0, 'fill'), (4, 'wash 30'), (4, 'heater to 30'), (13, 'heater off'),
        (13, 'spin'), (18, 'drain'), (20, 'open'),
    ]


def test_cancel_while_washing():
    journal, state, _ = washed("fill; wash 30 6; spin 5", (7, Machine.cancel))
    assert (state, journal[3:]) == (
        'cancelled', [(4, 'heater to 30'), (10, 'heater off'), (10, 'drain'), (12, 'open')],
    )


def test_cancel_while_cooling():
    journal, state, locked = washed("fill; wash 30 6; spin 5", (11, Machine.cancel))
    assert (state, locked) == ("cancelled", False)
    assert journal[3:] == [(4, "heater to 30"), (13, "heater off"), (13, "drain"), (15, "open")]


def test_room():
    async def main():
        timeline = Timeline()
        room = Room(timeline, ["a", "b"])
        room.start("a", "quick")
        with pytest.raises(MachineError, match="a is running"):
            room.start("a", "wool")
        await timeline.advance(1)
        free = room.free()
        await timeline.advance(60)
        return free, room.free(), room.report()

    assert asyncio.run(main()) == (["b"], ["a", "b"], ["a: done", "b: idle"])
