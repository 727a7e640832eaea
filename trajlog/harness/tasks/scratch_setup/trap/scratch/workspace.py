"""A folder that is there as long as somebody works in it."""

from contextlib import ExitStack

from scratch.files import LogFile, remove
from scratch.steps import SetupError


class Workspace:
    """Context manager. A workspace made `within` another one lives in its folder."""

    def __init__(self, name, root, registry, steps=(), within=None):
        if not name.isidentifier():
            raise SetupError(f"{name!r} is no name for a workspace")
        self.name = name
        self.path = (within.path if within else root) / name
        self.log = None
        self._registry = registry
        self._steps = list(steps)
        self._stack = None

    def __enter__(self):
        self._stack = ExitStack()
        self._registry.claim(self.name, self.path)
        self._stack.callback(self._registry.release, self.name)
        self.path.mkdir(parents=True)
        self._stack.callback(remove, self.path)
        self.log = self._stack.enter_context(LogFile(self.path / "workspace.log"))
        for step in self._steps:
            try:
                step.apply(self)
            except SetupError:
                remove(self.path)
                raise
            self.log.write(step.describe())
        return self

    def read_log(self):
        return (self.path / "workspace.log").read_text(encoding="utf-8").splitlines()

    def __exit__(self, exc_type, exc, traceback):
        if exc is not None:
            self.log.write(f"left with {exc_type.__name__}")
        return self._stack.__exit__(exc_type, exc, traceback)
