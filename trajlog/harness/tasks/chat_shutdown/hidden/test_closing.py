import asyncio

from broker.chat import Chat, serve
from broker.message import Message, Priority


def read_all(inbox):
    async def collect():
        return [str(message) async for message in inbox.read()]

    return asyncio.run(asyncio.wait_for(collect(), 2))


def test_newsletters_are_read_too():
    chat = Chat()
    inbox = chat.join("all", "ada")
    for number in range(3):
        chat.say("all", "news", f"letter {number}", Priority.BULK)
        chat.say("all", "ben", f"note {number}")
    chat.close()
    assert read_all(inbox) == [
        "ben: note 0",
        "ben: note 1",
        "ben: note 2",
        "news: letter 0",
        "news: letter 1",
        "news: letter 2",
    ]


def test_member_who_leaves_reads_the_rest():
    chat = Chat()
    left, stays = chat.join("ops", "ada"), chat.join("ops", "ben")
    chat.say("ops", "cid", "one", Priority.BULK)
    chat.leave("ops", "ada")
    assert chat.say("ops", "cid", "two") == 1
    chat.close()
    assert (read_all(left), read_all(stays)) == (["cid: one"], ["cid: two", "cid: one"])


def test_clerks_share_what_is_left():
    async def scenario():
        desk = Chat().desk("help")
        for number in range(6):
            desk.put(Message("web", f"ticket {number}", Priority.BULK if number % 2 else Priority.NORMAL))
        desk.close()
        seen = []

        async def handle(number, message):
            seen.append(message.text)
            await asyncio.sleep(0)

        counts = await asyncio.wait_for(serve(desk, handle, clerks=2), 2)
        return sum(counts), seen

    assert asyncio.run(scenario()) == (
        6,
        ["ticket 0", "ticket 2", "ticket 4", "ticket 1", "ticket 3", "ticket 5"],
    )


def test_reader_that_waits_while_it_is_closed():
    async def scenario():
        inbox = Chat().join("ops", "ada")
        texts = []

        async def read():
            async for message in inbox.read():
                texts.append(message.text)

        reader = asyncio.create_task(read())
        await asyncio.sleep(0)
        for text, priority in (("bulk", Priority.BULK), ("plain", Priority.NORMAL), ("red", Priority.URGENT)):
            inbox.put(Message("ben", text, priority))
        inbox.close()
        inbox.close()
        await asyncio.wait_for(reader, 2)
        return texts, len(inbox)

    assert asyncio.run(scenario()) == (["red", "plain", "bulk"], 0)
