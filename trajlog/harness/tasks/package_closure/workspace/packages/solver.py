"""Chooses one version of every package that is needed."""

from packages.versions import Requirement


class Unsolvable(Exception):
    pass


class Solver:
    def __init__(self, registry):
        self._registry = registry

    def solve(self, *wanted):
        """name -> package; newer versions are tried first."""
        todo = [Requirement.parse(text) for text in wanted]
        chosen = self._search({}, todo)
        if chosen is None:
            raise Unsolvable(", ".join(wanted))
        return chosen

    def _search(self, chosen, todo):
        if not todo:
            return chosen
        first, rest = todo[0], todo[1:]
        present = chosen.get(first.name)
        if present is not None:
            return self._search(chosen, rest) if first.accepts(present.version) else None
        for package in self._registry.candidates(first.name):
            if first.accepts(package.version):
                found = self._search({**chosen, first.name: package}, [*rest, *package.requires])
                if found is not None:
                    return found
        return None
