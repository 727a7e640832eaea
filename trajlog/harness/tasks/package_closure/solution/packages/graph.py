"""Who needs whom among chosen packages."""


class Graph:
    def __init__(self, chosen):
        self._chosen = chosen
        self._below = {}
        self.looked = {}

    def requirements(self, name):
        self.looked[name] = self.looked.get(name, 0) + 1
        return [requirement.name for requirement in self._chosen[name].requires]

    def below(self, name):
        """Everything that a package needs, directly or not."""
        if name not in self._below:
            self._collect(name)
        return self._below[name]

    def _collect(self, name):
        found, direct, todo = set(), {}, [name]
        while todo:
            current = todo.pop()
            if current in direct or current in self._below:
                continue
            direct[current] = self.requirements(current)
            todo += direct[current]
        for start in direct:
            found, todo = set(), list(direct[start])
            while todo:
                current = todo.pop()
                if current not in found:
                    found.add(current)
                    todo += direct[current] if current in direct else self._below[current]
            self._below[start] = frozenset(found - {start})

    def users(self, name):
        """Packages that need this one."""
        return sorted(other for other in self._chosen if name in self.below(other))

    def names(self):
        return sorted(self._chosen)
