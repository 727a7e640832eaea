import asyncio

import pytest
from dbpool.client import Client
from dbpool.connection import Server
from dbpool.pool import Pool
from steps import settle, within_limit


def test_connections_are_reused():
    async def scenario():
        server = Server({"a": 1, "b": 2, "c": 3})
        async with Client(server, size=2) as client:
            assert await client.get_many(["a", "b", "c"]) == {"a": 1, "b": 2, "c": 3}
            assert await client.set("a", 9)
            assert await client.get("a") == 9
            assert client.pool.num_free == 2
        assert server.num_connects == 2

    asyncio.run(scenario())


def test_waiting_requests_are_served_in_order():
    async def scenario():
        pool = Pool(Server().connect, 1)
        held = await pool.acquire()
        served = []

        async def request(name):
            async with pool.connection():
                served.append(name)
                await settle()

        requests = [asyncio.create_task(request(name)) for name in "abc"]
        await settle()
        pool.release(held)
        await within_limit(asyncio.gather(*requests))
        assert served == ["a", "b", "c"]

    asyncio.run(scenario())


def test_failed_connect_does_not_use_up_the_pool():
    async def scenario():
        server = Server()
        server.refuse_next = 1
        client = Client(server, size=1)
        with pytest.raises(ConnectionRefusedError):
            await client.ping()
        assert await client.ping() == "pong"

    asyncio.run(scenario())


def test_request_cancelled_while_it_waits():
    async def scenario():
        pool = Pool(Server().connect, 1)
        held = await pool.acquire()
        waiting = asyncio.create_task(pool.acquire())
        await settle()
        waiting.cancel()
        await settle()
        pool.release(held)
        assert pool.num_free == 1

    asyncio.run(scenario())
