import asyncio

import pytest
from dbpool.client import Client
from dbpool.connection import Server
from dbpool.pool import Pool, PoolClosed
from steps import settle, within_limit


async def waiting_requests(pool, count):
    requests = [asyncio.create_task(pool.acquire()) for _ in range(count)]
    await settle()
    return requests


def test_request_behind_a_cancelled_one_is_served():
    async def scenario():
        server = Server()
        pool = Pool(server.connect, 1)
        held = await pool.acquire()
        first, second, third = await waiting_requests(pool, 3)
        first.cancel()
        await settle()
        pool.release(held)
        assert await within_limit(second) is held
        assert not third.done()
        pool.release(held)
        assert await within_limit(third) is held
        served = [repr(request.result()) for request in (second, third)]
        assert (served, first.cancelled(), server.num_connects) == (["Connection(1)", "Connection(1)"], True, 1)

    asyncio.run(scenario())


def test_request_cancelled_just_after_it_was_served():
    async def scenario():
        pool = Pool(Server().connect, 1)
        held = await pool.acquire()
        (request,) = await waiting_requests(pool, 1)
        pool.release(held)
        request.cancel()
        await settle()
        assert request.cancelled()
        assert pool.num_free == 1
        again = await within_limit(pool.acquire())
        assert again is held
        assert (repr(again), again.is_open, pool.num_free) == ("Connection(1)", True, 0)

    asyncio.run(scenario())


def test_connection_of_a_cancelled_request_goes_to_the_next():
    async def scenario():
        pool = Pool(Server().connect, 1)
        held = await pool.acquire()
        first, second = await waiting_requests(pool, 2)
        pool.release(held)
        first.cancel()
        assert await within_limit(second) is held
        assert (second.result().number, first.cancelled(), pool.num_free) == (1, True, 0)

    asyncio.run(scenario())


def test_timeouts_do_not_wear_the_pool_out():
    async def scenario():
        server = Server({"a": 1})
        client = Client(server, size=2, timeout_s=0.02)
        held = [await client.pool.acquire() for _ in range(2)]
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await client.get("a")
        for connection in held:
            client.pool.release(connection)
        assert client.pool.num_free == 2
        assert server.num_connects == 2
        assert [await client.get("a"), await client.ping(), server.num_connects] == [1, "pong", 2]

    asyncio.run(scenario())


def test_close_sends_the_waiting_away():
    async def scenario():
        pool = Pool(Server().connect, 1)
        held = await pool.acquire()
        first, second = await waiting_requests(pool, 2)
        first.cancel()
        await settle()
        pool.close()
        with pytest.raises(PoolClosed):
            await within_limit(second)
        pool.release(held)
        assert not held.is_open
        with pytest.raises(PoolClosed) as refused:
            await pool.acquire()
        assert (str(refused.value), first.cancelled(), held.number) == ("acquire on a closed pool", True, 1)

    asyncio.run(scenario())
