import asyncio

import pytest
from broker.chat import Chat, serve
from broker.inbox import InboxClosed
from broker.message import Priority


def read_all(inbox):
    async def collect():
        return [str(message) async for message in inbox.read()]

    return asyncio.run(asyncio.wait_for(collect(), 2))


def test_urgent_messages_come_first():
    async def scenario():
        chat = Chat()
        inbox = chat.join("ops", "ada")
        chat.say("ops", "ben", "lunch?")
        chat.say("ops", "cid", "fire", Priority.URGENT)
        reader = inbox.read()
        return [str(await anext(reader)), str(await anext(reader))]

    assert asyncio.run(scenario()) == ["cid: fire!", "ben: lunch?"]


def test_nothing_is_said_to_oneself():
    chat = Chat()
    inboxes = [chat.join("ops", name) for name in ("ada", "ben", "cid")]
    assert chat.say("ops", "ada", "hello") == 2
    assert [len(inbox) for inbox in inboxes] == [0, 1, 1]


def test_what_was_said_before_closing_is_read():
    chat = Chat()
    inbox = chat.join("ops", "ada")
    chat.say("ops", "ben", "deploying")
    chat.say("ops", "ben", "stop", Priority.URGENT)
    chat.say("ops", "ben", "done")
    chat.close()
    assert read_all(inbox) == ["ben: stop!", "ben: deploying", "ben: done"]


def test_closed_inbox_takes_nothing():
    inbox = Chat().join("ops", "ada")
    inbox.close()
    with pytest.raises(InboxClosed, match="ops/ada"):
        inbox.put(None)


def test_clerks_end_with_their_desk():
    async def scenario():
        desk = Chat().desk("help")
        desk.close()

        async def handle(number, message):
            pass

        return await asyncio.wait_for(serve(desk, handle, clerks=3), 2)

    assert asyncio.run(scenario()) == [0, 0, 0]
