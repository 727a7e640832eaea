"""What is done to a workspace before it is handed out."""

import shutil


class SetupError(Exception):
    """A workspace could not be prepared."""


class MakeFolders:
    def __init__(self, *names):
        self._names = names

    def apply(self, workspace):
        for name in self._names:
            (workspace.path / name).mkdir(parents=True, exist_ok=True)

    def describe(self):
        return f"folders {', '.join(self._names)}"


class CopyFiles:
    """Copies the files of a template folder. `only` are patterns."""

    def __init__(self, source, only=("*",)):
        self._source = source
        self._only = only

    def apply(self, workspace):
        if not self._source.is_dir():
            raise SetupError(f"no template {self._source.name}")
        for pattern in self._only:
            found = [each for each in sorted(self._source.glob(pattern)) if each.is_file()]
            if not found:
                raise SetupError(f"template {self._source.name} has no {pattern}")
            for each in found:
                shutil.copy(each, workspace.path / each.name)

    def describe(self):
        return f"copied {self._source.name}"


class RunHook:
    def __init__(self, name, hook):
        self._name = name
        self._hook = hook

    def apply(self, workspace):
        self._hook(workspace)

    def describe(self):
        return f"hook {self._name}"
