"""The feed: updates come in, snapshots go out."""

import asyncio

from scores.snapshot import Snapshot, with_period, with_points


class Feed:
    def __init__(self, rules=(), keep=50):
        self._rules = list(rules)
        self._current = Snapshot()
        self._keep = keep
        self._turn = asyncio.Lock()
        self._boards = []
        self.history = [self._current]
        self.refused = 0

    @property
    def current(self):
        return self._current

    def show_on(self, board):
        """`board(snapshot)` is called after each update."""
        self._boards.append(board)
        board(self._current)

    def remove(self, board):
        self._boards.remove(board)

    async def _checked(self, before, after):
        for rule in self._rules:
            try:
                await rule(before, after)
            except ValueError:
                self.refused += 1
                raise

    async def _update(self, change):
        before = self._current
        after = change(before)
        await self._checked(before, after)
        async with self._turn:
            self._publish(after)
        return after

    def _publish(self, snapshot):
        self._current = snapshot
        self.history.append(snapshot)
        del self.history[: -self._keep]
        for board in list(self._boards):
            board(snapshot)

    async def score(self, team, points=1):
        return await self._update(lambda before: with_points(before, team, points))

    async def period(self, number):
        return await self._update(lambda before: with_period(before, number))

    async def undo(self):
        """Back to the points and period before the last update, as a new version."""

        def change(before):
            found = [old for old in self.history if old.version < before.version]
            if not found:
                raise LookupError("nothing to undo")
            return Snapshot(before.version + 1, found[-1].points, found[-1].period)

        return await self._update(change)

    def since(self, version):
        return [snapshot for snapshot in self.history if snapshot.version > version]
