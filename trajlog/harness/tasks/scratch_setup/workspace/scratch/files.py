"""Small helpers around files."""

import shutil


def remove(path):
    """Remove a folder and what is in it, also what is write-protected."""
    for each in path.rglob("*"):
        if each.is_dir():
            each.chmod(0o700)
    shutil.rmtree(path)


def listing(path):
    """Relative names of everything below `path`; folders end with a slash."""
    names = []
    for each in sorted(path.rglob("*")):
        name = each.relative_to(path).as_posix()
        names.append(f"{name}/" if each.is_dir() else name)
    return names


class LogFile:
    """Numbered lines. Knows how many of its kind are open."""

    open_count = 0

    def __init__(self, path):
        self._path = path
        self._lines = 0

    def __enter__(self):
        self._file = self._path.open("w", encoding="utf-8")
        LogFile.open_count += 1
        return self

    def write(self, text):
        self._lines += 1
        self._file.write(f"{self._lines:03} {text}\n")
        self._file.flush()

    def __exit__(self, *exc_info):
        self._file.close()
        LogFile.open_count -= 1
