"""Chooses one version of every package that is needed."""

from deps.ranges import Range


class Conflict(RuntimeError):
    """No choice of versions fits; the message names the package where the search ended."""


class Resolver:
    def __init__(self, catalog):
        self._catalog = catalog
        self._deepest = ()

    def resolve(self, requires):
        """{name: version} as texts, the newest that fit together."""
        todo = [(name, Range(text)) for name, text in sorted(requires.items())]
        self._deepest = ()
        chosen = self._search({}, todo)
        if chosen is None:
            name, ranges = self._deepest
            raise Conflict(f"nothing fits {name} {' and '.join(ranges)}")
        return {name: str(version) for name, version in sorted(chosen.items())}

    def _search(self, chosen, todo):
        if not todo:
            return chosen
        (name, wanted), *rest = todo
        if name in chosen:
            return self._search(chosen, rest) if wanted.takes(chosen[name]) else None
        same = [wanted, *(other for own, other in rest if own == name)]
        candidates = [version for version in self._catalog.versions(name) if all(r.takes(version) for r in same)]
        for version in candidates:
            needs = sorted(self._catalog.needs(name, version).items())
            found = self._search({**chosen, name: version}, [*rest, *needs])
            if found is not None:
                return found
        if not self._deepest or not candidates:
            self._deepest = name, [str(r) for r in same]
        return None
