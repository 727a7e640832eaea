"""The embedded sandbox: a private temporary directory and supervised processes on this machine.

What it holds: process trees (sessions of their own, all killed), memory, CPU, file size, processes, open files,
output and wall clock are limited; the environment is made anew, so no secret of ours is in it; stdin is /dev/null.
What it does not hold: commands run as the user who started the harness and can reach the network and that user's
files. Use it for small models and trusted machines; where a policy may look for ways out, use containers.
"""

from __future__ import annotations

import compileall
import contextlib
import fcntl
import functools
import importlib.util
import shutil
import site
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO, Self

from trajlog.errors import SandboxError
from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox.base import CommandResult, Limits
from trajlog.harness.sandbox.process import SupervisedProcess
from trajlog.harness.workspace import PathRefused, Workspace

PREFIX = "trajlog-box-"
_LOCK = "sandbox.lock"


class LocalSandbox:
    """See `trajlog.harness.sandbox.base.Sandbox`. `seed` becomes PYTHONHASHSEED, so that runs repeat.

    >>> with LocalSandbox({"hello.py": b"print('hi')"}) as sandbox:
    ...     sandbox.run(["python", "hello.py"]).output
    'hi\\n'
    """

    def __init__(self, files: Mapping[str, bytes], limits: Limits | None = None, seed: int = 0) -> None:
        self.limits = limits or Limits()
        self.python = sys.executable
        self.code = PurePosixPath(Path(__file__).resolve().parents[1])
        self._cancelled = threading.Event()
        self._started: list[SupervisedProcess] = []
        prepare_pytest()
        remove_abandoned(tempfile.gettempdir())
        try:
            self._base = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
            self._lock = _lock(self._base)
            for folder in ("w", "home", "tmp", "bin"):
                (self._base / folder).mkdir()
            for name, target in (("python", ""), ("python3", ""), ("pytest", " -m pytest")):
                wrapper = self._base / "bin" / name
                wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}"{target} "$@"\n')
                wrapper.chmod(0o755)
            self.workspace = Workspace(self._base / "w")
            self.workspace.fill(files)
        except (OSError, PathRefused) as error:
            with contextlib.suppress(AttributeError):
                self._remove()
            raise SandboxError(
                f"a sandbox could not be made under {tempfile.gettempdir()}: {error}. "
                "Free space there or set TMPDIR to another folder."
            ) from error
        self._env = {
            "PATH": f"{self._base / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self._base / "home"),
            "TMPDIR": str(self._base / "tmp"),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "PYTHONHASHSEED": str(seed % 2**32),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONNOUSERSITE": "1",
            "PYTHONUNBUFFERED": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "MALLOC_ARENA_MAX": "2",
        }

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float | None = None,
        report: bool = False,
        kept_output_bytes: int | None = None,
    ) -> CommandResult:
        """Run `argv` (its first word looked up on the sandbox's PATH). Raises SandboxError."""
        process = self._start(argv, report=report)
        if kept_output_bytes is not None:
            process.output = BoundedOutput(kept_output_bytes)
        try:
            process.pump(self.limits.timeout_s if timeout_s is None else timeout_s)
        except BaseException:
            process.close()
            raise
        return process.close("timeout")

    def start(self, argv: Sequence[str]) -> SupervisedProcess:
        """Start a process with a channel; close it, or it is closed with the sandbox. Raises SandboxError."""
        process = self._start(argv, channel=True)
        self._started.append(process)
        return process

    def cancel(self) -> None:
        self._cancelled.set()

    def close(self) -> None:
        """Kill what runs and remove every file. Raises SandboxError if the directory cannot be removed."""
        while self._started:
            self._started.pop().close()
        self._remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _start(self, argv: Sequence[str], *, report: bool = False, channel: bool = False) -> SupervisedProcess:
        if self._cancelled.is_set():
            raise SandboxError("the sandbox was cancelled.")
        if not self._base.is_dir():
            raise SandboxError(f"the sandbox directory {self._base} is gone.")
        self.workspace.root.mkdir(exist_ok=True)  # an agent may have removed its own workspace
        program = shutil.which(argv[0], path=self._env["PATH"])
        if program is None:
            raise SandboxError(f"{argv[0]} is not installed. Install it, or put it on /usr/bin.")
        return SupervisedProcess(
            [program, *argv[1:]],
            env=self._env,
            cwd=self.workspace.root,
            limits=self.limits,
            marker=f"{self._base.name}-{uuid.uuid4().hex[:8]}",
            cancelled=self._cancelled,
            report=report,
            channel=channel,
        )

    def _remove(self) -> None:
        with contextlib.suppress(AttributeError):  # never made
            self._lock.close()
        remove_tree(self._base)
        if self._base.exists():
            raise SandboxError(f"{self._base} could not be removed. Remove it by hand: rm -rf {self._base}")


@functools.cache
def prepare_pytest() -> None:
    """Write the bytecode of pytest once, where the installer did not (uv does not).

    Commands may not write bytecode, so without it every test run would compile pytest anew, for over a second. Where
    site-packages is read-only this does nothing. Raises SandboxError if commands could not import pytest.
    """
    for package in ("_pytest", "pytest", "pluggy", "iniconfig", "packaging"):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            if site.ENABLE_USER_SITE and folder.startswith(site.getusersitepackages()):
                raise SandboxError(
                    f"{package} is installed for one user ({folder}), which sandboxes do not see. "
                    "Install trajlog in a virtual environment: python3 -m venv .venv; .venv/bin/pip install trajlog"
                )
            compileall.compile_dir(folder, quiet=2)


@functools.cache
def remove_abandoned(folder: str) -> None:
    """Remove the directories of sandboxes whose harness was killed: nobody holds their lock any more."""
    for base in Path(folder).glob(f"{PREFIX}*"):
        try:
            with (base / _LOCK).open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(base)
        except OSError:  # held by a living harness, of another user, or no sandbox
            continue


def _lock(base: Path) -> IO[bytes]:
    """A file lock that lasts as long as this process; it has its name only once it is held."""
    new = base / f"{_LOCK}-new"
    file = new.open("wb")
    fcntl.flock(file, fcntl.LOCK_EX)
    new.rename(base / _LOCK)
    return file


def remove_tree(base: Path) -> None:
    try:
        shutil.rmtree(base)
    except (OSError, RecursionError):
        # Folders without permissions, or nested deeper than Python recurses.
        subprocess.run(["chmod", "-R", "u+rwX", str(base)], capture_output=True, check=False)
        subprocess.run(["rm", "-rf", "--", str(base)], capture_output=True, check=False)
