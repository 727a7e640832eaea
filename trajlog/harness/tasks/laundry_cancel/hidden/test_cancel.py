import asyncio

from laundry import Machine, Program, Timeline


def washed(text, *seconds, broken_at=None):
    async def main():
        timeline = Timeline()
        machine = Machine("m", timeline)
        machine.heater.broken_at = broken_at
        machine.start(Program.parse("p", text))
        calls, ended = [], []

        async def press():
            await machine.cancel()
            ended.append(timeline.now)

        for second in seconds:
            await timeline.advance(second - timeline.now)
            calls.append(asyncio.ensure_future(press()))
        await timeline.advance(100)
        await asyncio.wait_for(asyncio.gather(machine.ended(), *calls), 2)
        return machine.state, ended, machine.journal

    return asyncio.run(main())


def test_every_second():
    found = []
    for second in range(1, 20):
        state, ended, journal = washed("fill; wash 40 5; wash 30 2; spin 3", second)
        found.append((second, state, ended[0], journal[-3][1], len(journal)))
    assert found == [
        (1, 'cancelled', 3, 'fill', 4), (2, 'cancelled', 4, 'fill', 4), (3, 'cancelled', 5, 'fill', 4),
        (4, 'cancelled', 9, 'heater off', 7), (5, 'cancelled', 10, 'heater off', 7),
        (6, 'cancelled', 11, 'heater off', 7), (7, 'cancelled', 12, 'heater off', 7),
        (8, 'cancelled', 13, 'heater off', 7), (9, 'cancelled', 14, 'heater off', 7),
        (10, 'cancelled', 14, 'heater off', 7), (11, 'cancelled', 14, 'heater off', 7),
        (12, 'cancelled', 17, 'heater off', 10), (13, 'cancelled', 18, 'heater off', 10),
        (14, 'cancelled', 19, 'heater off', 10), (15, 'cancelled', 19, 'heater off', 10),
        (16, 'cancelled', 19, 'heater off', 10), (17, 'cancelled', 19, 'spin', 11),
        (18, 'cancelled', 20, 'spin', 11), (19, 'cancelled', 21, 'spin', 11),
    ]


def test_several_times():
    state, ended, journal = washed("wash 30 4; spin 9; spin 9", 5, 6, 8)
    assert (state, ended, journal[1:]) == (
        'cancelled', [9, 9, 9],
        [(0, 'wash 30'), (0, 'heater to 30'), (7, 'heater off'), (7, 'drain'), (9, 'open')],
    )


def test_heater_fails():
    state, ended, journal = washed("wash 60 30; spin 2", broken_at=25)
    assert (state, ended, journal[1:]) == (
        'failed', [],
        [(0, 'wash 60'), (0, 'heater to 60'), (9, 'heater off'), (30, 'no heat at 25'), (30, 'drain'),
         (32, 'open')],
    )


def test_step_ends_while_a_broken_heater_cools():
    state, ended, journal = washed("wash 60 6; spin 2", broken_at=24)
    assert (state, ended, journal[1:]) == (
        'failed', [],
        [(0, 'wash 60'), (0, 'heater to 60'), (8, 'heater off'), (8, 'no heat at 24'), (8, 'drain'),
         (10, 'open')],
    )


def test_cancel_while_a_broken_heater_cools():
    state, ended, journal = washed("wash 60 8; spin 2", 9, broken_at=27)
    assert (state, ended, journal[1:]) == (
        'cancelled', [13],
        [(0, 'wash 60'), (0, 'heater to 60'), (11, 'heater off'), (11, 'drain'), (13, 'open')],
    )


def test_used_again():
    async def main():
        timeline = Timeline()
        machine = Machine("m", timeline)
        for wait in (6, 8, 40):
            machine.start(Program.parse("p", "wash 25 5; rinse 3 x2"))
            await timeline.advance(wait)
            pressed = asyncio.ensure_future(machine.cancel())
            await timeline.advance(20)
            await asyncio.wait_for(pressed, 2)
            machine.journal.append((timeline.now, machine.state))
        return [text for _, text in machine.journal]

    assert asyncio.run(main()) == [
        'start p', 'wash 25', 'heater to 25', 'heater off', 'drain', 'open', 'cancelled', 'start p',
        'wash 25', 'heater to 25', 'heater off', 'rinse', 'drain', 'open', 'cancelled', 'start p',
        'wash 25', 'heater to 25', 'heater off', 'rinse', 'rinse', 'drain', 'open', 'done',
    ]
