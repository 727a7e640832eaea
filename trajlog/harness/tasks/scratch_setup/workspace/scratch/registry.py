"""Which workspaces are in use."""


class NameInUse(Exception):
    """Two workspaces with one name at the same time."""


class Registry:
    def __init__(self, limit=8):
        self._paths = {}
        self._limit = limit
        self.peak = 0

    def claim(self, name, path):
        if name in self._paths:
            raise NameInUse(f"workspace {name} is in use: {self._paths[name].name}")
        if len(self._paths) >= self._limit:
            raise NameInUse(f"all {self._limit} workspaces are in use")
        self._paths[name] = path
        self.peak = max(self.peak, len(self._paths))

    def release(self, name):
        del self._paths[name]

    def names(self):
        return sorted(self._paths)
