"""Resolving with a cache in front of upstream."""

from resolver.cache import AnswerCache
from resolver.records import NoName, NoRecord, TooManyAliases, normal

MAX_STEPS = 8


class Resolver:
    def __init__(self, upstream, clock, limit=1000):
        self._upstream = upstream
        self._cache = AnswerCache(clock, limit)

    def resolve(self, name, kind="A"):
        """The values of a record; aliases are followed."""
        asked = name = normal(name)
        for _ in range(MAX_STEPS + 1):
            answer = self._ask(name, kind)
            if answer.status == "found":
                return list(answer.values)
            if answer.status == "noname":
                raise NoName(name)
            if answer.status == "norecord":
                raise NoRecord(f"{name} {kind}")
            name = normal(answer.values[0])
        raise TooManyAliases(asked)

    def _ask(self, name, kind):
        answer = self._cache.get(name, kind)
        if answer is None:
            answer = self._upstream.query(name, kind)
            self._cache.put(name, kind, answer)
        return answer

    def flush(self, name):
        self._cache.forget(normal(name))

    def try_all(self, name, kinds):
        """kind -> values or the name of the error."""
        found = {}
        for kind in kinds:
            try:
                found[kind] = self.resolve(name, kind)
            except (NoName, NoRecord) as error:
                found[kind] = type(error).__name__
        return found
