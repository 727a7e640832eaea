"""What request handlers use."""

import asyncio

from dbpool.pool import Pool


class Client:
    """`timeout_s` bounds one command, the wait for a connection included."""

    def __init__(self, server, size=2, timeout_s=5.0):
        self.pool = Pool(server.connect, size)
        self._timeout_s = timeout_s

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc):
        self.pool.close()

    async def get(self, key):
        return await self._run("get", key)

    async def set(self, key, value):
        return await self._run("set", key, value)

    async def ping(self):
        return await self._run("ping")

    async def get_many(self, keys):
        """Values of all keys, fetched side by side."""
        return dict(zip(keys, await asyncio.gather(*map(self.get, keys)), strict=True))

    async def _run(self, command, *args):
        async with asyncio.timeout(self._timeout_s), self.pool.connection() as connection:
            return await connection.execute(command, *args)
