"""A file system in memory, for trying things out.

Listeners are told of what happens directly in a folder. As with polling, they belong to the path: they are still
there when the folder is removed and made again.
"""

from dataclasses import dataclass

from watching.paths import inside, parent

CREATED = "created"
CHANGED = "changed"
REMOVED = "removed"


@dataclass(frozen=True)
class Event:
    kind: str
    path: str
    folder: bool = False


class FakeFS:
    def __init__(self):
        self._folders = {"/"}
        self._files = {}
        self._listeners = {}
        self._last_token = 0

    def make(self, path):
        """Make a folder, and those above it."""
        if path in self._folders:
            return
        self.make(parent(path))
        self._folders.add(path)
        self._tell(Event(CREATED, path, folder=True))

    def write(self, path, text):
        if parent(path) not in self._folders:
            raise FileNotFoundError(parent(path))
        kind = CHANGED if path in self._files else CREATED
        self._files[path] = text
        self._tell(Event(kind, path))

    def read(self, path):
        try:
            return self._files[path]
        except KeyError:
            raise FileNotFoundError(path) from None

    def remove(self, path):
        """Remove a file, or a folder with all that is in it, the innermost first."""
        if path in self._files:
            del self._files[path]
            self._tell(Event(REMOVED, path))
            return
        if path not in self._folders:
            raise FileNotFoundError(path)
        for each in self.children(path):
            self.remove(each)
        self._folders.remove(path)
        self._tell(Event(REMOVED, path, folder=True))

    def is_folder(self, path):
        return path in self._folders

    def children(self, path):
        every = [*self._folders, *self._files]
        return sorted(each for each in every if each != "/" and parent(each) == path)

    def files(self, path="/"):
        return sorted(each for each in self._files if inside(each, path))

    def listen(self, folder, call):
        """Returns a token for `unlisten`."""
        self._last_token += 1
        self._listeners[self._last_token] = (folder, call)
        return self._last_token

    def unlisten(self, token):
        del self._listeners[token]

    def listeners(self):
        """Number of listeners of every folder that has some."""
        counts = {}
        for folder, _ in self._listeners.values():
            counts[folder] = counts.get(folder, 0) + 1
        return dict(sorted(counts.items()))

    def _tell(self, event):
        for token, (folder, call) in list(self._listeners.items()):
            if folder == parent(event.path) and token in self._listeners:
                call(event)
