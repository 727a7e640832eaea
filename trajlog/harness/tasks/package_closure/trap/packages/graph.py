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
        return self._collect(name, ())

    def _collect(self, name, above):
        if name in self._below:
            return self._below[name]
        found = set()
        for part in self.requirements(name):
            found.add(part)
            if part in above:
                continue
            found |= self._collect(part, (*above, name))
        self._below[name] = frozenset(found - {name})
        return self._below[name]

    def users(self, name):
        """Packages that need this one."""
        return sorted(other for other in self._chosen if name in self.below(other))

    def names(self):
        return sorted(self._chosen)
