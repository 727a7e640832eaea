import asyncio

from dispatch import Call, CallQueue, QueueClosed, run_shift


async def takers(count, action, give_up=()):
    """Runs takers, then an action, and returns what they got."""
    queue = CallQueue()
    got = {}

    async def taker(number):
        try:
            got[number] = (await queue.take()).place
        except QueueClosed:
            got[number] = "home"

    tasks = [asyncio.ensure_future(taker(number)) for number in range(count)]
    for _ in range(10):
        await asyncio.sleep(0)
    action(queue)
    for number in give_up:
        tasks[number].cancel()
    await asyncio.wait(tasks, timeout=0.3)
    left = sum(not task.done() for task in tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return sorted(got.values()), left, len(queue)


def put(*places):
    def action(queue):
        for place in places:
            queue.put(Call(place))
    return action


def test_five_calls_for_four():
    assert asyncio.run(takers(4, put(*"abcde"))) == (["a", "b", "c", "d"], 0, 1)


def test_a_crew_goes_off_duty():
    assert asyncio.run(takers(3, put("a", "b"), give_up=[0])) == (["a", "b"], 0, 0)


def test_close_sends_all_home():
    def action(queue):
        queue.put(Call("a"))
        queue.close()

    assert asyncio.run(takers(4, action)) == (["a", "home", "home", "home"], 0, 0)


def test_withdrawn_before_it_was_taken():
    def action(queue):
        numbers = [queue.put(Call(place)) for place in "abc"]
        assert (queue.withdraw(numbers[0]), queue.withdraw(numbers[0]), queue.withdraw(9)) == (True, False, False)

    assert asyncio.run(takers(2, action)) == (["b", "c"], 0, 0)


def test_crews_come_back():
    async def drive(crew, call):
        for _ in range(call.urgency):
            await asyncio.sleep(0)

    def many(queue, shift):
        for number in range(9):
            queue.put(Call(f"p{number}", urgency=1 + number % 3))

    board, done = asyncio.run(run_shift(["Fox", "Owl", "Elk"], [many, lambda q, s: s.send_home("Owl"), many], drive))
    numbers = sorted(number for found in done.values() for number in found)
    assert (numbers, board.count("off duty"), board.journal[3:6]) == (
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18], 3,
        ['Fox out #1 p0', 'Owl out #4 p3', 'Elk out #7 p6'],
    )
