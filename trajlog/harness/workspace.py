"""The agent's files, reached only by confined paths: no `..`, no links, no devices, nothing of surprising size.

Every component is opened relative to its parent with O_NOFOLLOW, so a link planted between a check and its use is
refused too. The same code runs inside containers, where `answer` serves the requests of a `RemoteWorkspace`
(sandbox/remote.py), so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

MAX_FILE_BYTES = 1024 * 1024
MAX_PATH_PARTS = 32


class PathRefused(Exception):
    """The path is not a plain file inside the workspace; the message is meant for the agent."""


class Workspace:
    """A folder whose files are read and written by relative POSIX path."""

    def __init__(self, root: Path) -> None:
        self.root = Path(root)

    def fill(self, files: Mapping[str, bytes]) -> None:
        """Write all of `files`, making folders as needed. Raises OSError."""
        for path, content in files.items():
            self.write(path, content)

    def read(self, path: str) -> bytes:
        """The file's bytes. Raises PathRefused (also if it is larger than 1 MiB)."""
        parts = self._parts(path)
        with self._parent(parts, path, create=False) as folder, _refusing(path):
            # O_NONBLOCK: opening a FIFO must not wait for a writer.
            fd = os.open(parts[-1], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder)
            with os.fdopen(fd, "rb") as file:
                _check_plain(os.fstat(fd), path)
                content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise PathRefused(f"{path} is larger than {MAX_FILE_BYTES} bytes.")
        return content

    def write(self, path: str, content: bytes) -> None:
        """Replace or make the file in one rename. Raises PathRefused, or OSError for a full disk."""
        parts = self._parts(path)
        with self._parent(parts, path, create=True) as folder:
            name, temporary = parts[-1], f".{parts[-1][:64]}.trajlog-new"
            mode = 0o644
            with contextlib.suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=folder, follow_symlinks=False)
                _check_plain(found, path)
                mode = stat.S_IMODE(found.st_mode)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
            fd = os.open(temporary, flags, mode, dir_fd=folder)
            try:
                with os.fdopen(fd, "wb") as file:
                    file.write(content)
                os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                os.unlink(temporary, dir_fd=folder)
                raise

    def exists(self, path: str) -> bool:
        """Whether `path` names a plain file of the workspace, of any size."""
        try:
            parts = self._parts(path)
            with self._parent(parts, path, create=False) as folder, _refusing(path):
                _check_plain(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False), path)
        except PathRefused:
            return False
        return True

    def files(self, limit: int = 100) -> list[str]:
        """Paths of the first `limit` plain files, sorted; no hidden ones, no caches, no names that are not text."""
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            deep = len(Path(folder).parts) - len(self.root.parts) >= MAX_PATH_PARTS
            folders[:] = sorted(name for name in folders if _is_shown(name) and name != "__pycache__" and not deep)
            for name in sorted(names):
                whole = Path(folder, name)
                if _is_shown(name) and not whole.is_symlink():
                    found.append(whole.relative_to(self.root).as_posix())
                if len(found) >= limit:
                    return found
        return found

    def _parts(self, path: str) -> tuple[str, ...]:
        if path.startswith("/"):
            # Models like to repeat the absolute path that a traceback showed them.
            with contextlib.suppress(ValueError):
                path = PurePosixPath(path).relative_to(self.root).as_posix()
        if path.startswith("/"):
            raise PathRefused(f"{path} is outside the workspace. Use a path relative to it.")
        parts = PurePosixPath(path).parts
        if not parts or "\0" in path:
            raise PathRefused(f"{path!r} is not a file name.")
        if ".." in parts or len(parts) > MAX_PATH_PARTS:
            raise PathRefused(f"{path} is refused: no '..', at most {MAX_PATH_PARTS} folders.")
        return parts

    @contextlib.contextmanager
    def _parent(self, parts: tuple[str, ...], path: str, *, create: bool) -> Iterator[int]:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        with contextlib.ExitStack() as open_folders:
            with _refusing(path):
                folder = os.open(self.root, flags)
            open_folders.callback(os.close, folder)
            for part in parts[:-1]:
                with _refusing(path):
                    if create:
                        with contextlib.suppress(FileExistsError):
                            os.mkdir(part, dir_fd=folder)
                    folder = os.open(part, flags, dir_fd=folder)
                open_folders.callback(os.close, folder)
            yield folder


def _is_shown(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return name[0] != "."


def _check_plain(found: os.stat_result, path: str) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise PathRefused(f"{path} is a symbolic link; links are not followed.")
    if stat.S_ISDIR(found.st_mode):
        raise PathRefused(f"{path} is a folder, not a file.")
    if not stat.S_ISREG(found.st_mode):
        raise PathRefused(f"{path} is not a plain file.")


@contextlib.contextmanager
def _refusing(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise PathRefused(f"{path} does not exist.") from None
    except (NotADirectoryError, PermissionError, OSError) as error:
        raise PathRefused(f"{path} cannot be opened ({error.strerror}); links are not followed.") from None


def answer(workspace: Workspace, request: bytes) -> bytes:
    """Do what a request asks (`{op, path, limit}` as one line of JSON, then content to write), and encode the answer.

    An answer is one line of JSON, `{refused}`, `{errno, error}` or `{value}`, then the content read.
    """
    head, _, content = request.partition(b"\n")
    asked = json.loads(head)
    value: object = None
    read = b""
    try:
        if asked["op"] == "read":
            read = workspace.read(asked["path"])
        elif asked["op"] == "write":
            workspace.write(asked["path"], content)
        elif asked["op"] == "exists":
            value = workspace.exists(asked["path"])
        else:
            assert asked["op"] == "files", asked["op"]
            value = workspace.files(asked["limit"])
    except PathRefused as error:
        return json.dumps({"refused": str(error)}).encode() + b"\n"
    except OSError as error:
        return json.dumps({"errno": error.errno, "error": error.strerror}).encode() + b"\n"
    return json.dumps({"value": value}).encode() + b"\n" + read
