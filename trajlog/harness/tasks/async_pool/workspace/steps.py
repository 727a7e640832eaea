"""For tests: let other tasks run until nothing moves."""

import asyncio

LIMIT_S = 3.0


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


async def within_limit(awaitable):
    """The result, or TimeoutError if it never comes."""
    return await asyncio.wait_for(awaitable, LIMIT_S)
