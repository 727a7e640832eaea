"""Folders with grants; a folder passes its grants on to those below."""

LEVELS = ("none", "read", "write", "own")


class Folders:
    def __init__(self):
        self._grants = {"/": {}}
        self._closed = set()

    def add(self, path, closed=False):
        self._grants.setdefault(path, {})
        if closed:
            self._closed.add(path)

    def grant(self, path, group, level):
        if level not in LEVELS:
            raise ValueError(f"unknown level {level!r}")
        self.add(path)
        self._grants[path][group] = level

    def revoke(self, path, group):
        self._grants.get(path, {}).pop(group, None)

    def forget_group(self, group):
        for grants in self._grants.values():
            grants.pop(group, None)

    def line(self, path):
        """The folders from this one up to the root, or up to the next closed one."""
        found = []
        while True:
            if path in self._grants:
                found.append(path)
            if path == "/" or path in self._closed:
                return found
            path = path.rpartition("/")[0] or "/"

    def level(self, path, groups):
        """The best level that any of the groups has."""
        levels = [self._grants[folder].get(group, "none") for folder in self.line(path) for group in groups]
        return max(levels, key=LEVELS.index, default="none")
