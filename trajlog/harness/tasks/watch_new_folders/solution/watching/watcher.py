"""Watches whole trees of folders."""

from fnmatch import fnmatch

from watching.fakefs import CREATED, REMOVED, Event
from watching.paths import name


class Watcher:
    """Calls `report(event)` for files below `root` whose name matches one of `patterns`.

    Folders that are made later are watched as well; files that are in them already are reported as created.
    """

    def __init__(self, fs, root, report, patterns=("*",), skip=(".git",)):
        self._fs = fs
        self._root = root
        self._report = report
        self._patterns = patterns
        self._skip = skip
        self._tokens = {}

    def start(self):
        if self._tokens:
            raise RuntimeError(f"{self._root} is watched already")
        self._enter(self._root, quiet=True)
        return self

    def stop(self):
        while self._tokens:
            _, token = self._tokens.popitem()
            self._fs.unlisten(token)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc_info):
        self.stop()

    def watched(self):
        return sorted(self._tokens)

    def _enter(self, folder, quiet):
        self._tokens[folder] = self._fs.listen(folder, self._on_event)
        for path in self._fs.children(folder):
            if not self._fs.is_folder(path):
                if not quiet:
                    self._pass_on(Event(CREATED, path))
            elif name(path) not in self._skip:
                self._enter(path, quiet)

    def _on_event(self, event):
        if not event.folder:
            self._pass_on(event)
        elif event.kind == CREATED and name(event.path) not in self._skip:
            self._enter(event.path, quiet=False)
        elif event.kind == REMOVED:
            self._leave(event.path)

    def _leave(self, folder):
        token = self._tokens.pop(folder, None)
        if token is not None:
            self._fs.unlisten(token)

    def _pass_on(self, event):
        if any(fnmatch(name(event.path), pattern) for pattern in self._patterns):
            self._report(event)
