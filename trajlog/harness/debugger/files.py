"""The program's files: which they are, their text as it was when their code was loaded, and which were edited since."""

import os
import stat

from .lines import source_lines

MAX_BYTES = 1 << 20

_realpath, _stat, _open = os.path.realpath, os.stat, open  # before the program could replace them


class Files:
    """`root` is the workspace; files outside it, and code without a file, are not the program's own."""

    def __init__(self, root: str) -> None:
        self.root = _realpath(root)
        self._real: dict[str, str | None] = {}
        self._loaded: dict[str, tuple[tuple[int, int] | None, list[str]]] = {}

    def real(self, file: str) -> str | None:
        """The real path of a code object's file (links resolved); None if it is not one of the workspace."""
        try:
            return self._real[file]
        except KeyError:
            path = _realpath(os.path.join(self.root, file))
            inside = not file.startswith("<") and path.startswith(self.root + os.sep)
            self._real[file] = path if inside else None
            return self._real[file]

    def own(self, code) -> bool:
        return self.real(code.co_filename) is not None

    def shown(self, file: str) -> str:
        """The path as the agent writes it."""
        real = self.real(file)
        return os.path.basename(file) if real is None else real[len(self.root) + 1 :]

    def loaded(self, file: str) -> None:
        """The file's code begins to run: what it says now is what runs. Later calls change nothing."""
        path = self.real(file)
        if path is not None and path not in self._loaded:
            text = (self.source(path) or b"").decode("utf-8", errors="replace")
            self._loaded[path] = (_stamp(path), source_lines(text))

    def lines(self, file: str) -> list[str]:
        """The text that the running code was made from."""
        path = self.real(file)
        if path is None:
            return []
        self.loaded(file)
        return self._loaded[path][1]

    def line(self, file: str, number: int) -> str:
        lines = self.lines(file)
        return lines[number - 1].strip()[:200] if 0 < number <= len(lines) else ""

    def source(self, path: str) -> bytes | None:
        """The text of a plain file of the workspace as it is now; None if there is none."""
        real = self.real(path)
        try:
            if real is None or not stat.S_ISREG(_stat(real).st_mode):
                return None
            with _open(real, "rb") as file:
                return file.read(MAX_BYTES)
        except OSError:
            return None

    def edited(self) -> list[str]:
        """Files that are no longer what was loaded."""
        return [self.shown(path) for path, (stamp, _) in list(self._loaded.items()) if _stamp(path) != stamp]


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = _stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
