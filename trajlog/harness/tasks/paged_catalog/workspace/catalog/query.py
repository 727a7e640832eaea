"""Queries on a listing, worked off item by item."""

from itertools import islice


class Query:
    """Steps are added by methods that return a new query; nothing is fetched before it is iterated."""

    def __init__(self, client, shelf, steps=()):
        self._client = client
        self._shelf = shelf
        self._steps = tuple(steps)

    def _with(self, step):
        return Query(self._client, self._shelf, (*self._steps, step))

    def where(self, **wanted):
        def step(items):
            return (item for item in items if all(item.get(key) == value for key, value in wanted.items()))

        return self._with(step)

    def distinct(self, key):
        def step(items):
            seen = set()
            for item in items:
                if item[key] not in seen:
                    seen.add(item[key])
                    yield item

        return self._with(step)

    def skip(self, count):
        return self._with(lambda items: islice(items, count, None))

    def limit(self, count):
        return self._with(lambda items: islice(items, count))

    def __iter__(self):
        items = self._client.items(self._shelf)
        for step in self._steps:
            items = step(items)
        return iter(items)

    def values(self, key):
        return [item[key] for item in self]
