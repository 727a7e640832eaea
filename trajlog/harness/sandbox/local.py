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
import os
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any

import psutil

from trajlog.errors import SandboxError
from trajlog.harness.sandbox.base import Limits
from trajlog.harness.sandbox.box import Box, environment
from trajlog.harness.sandbox.cgroups import Cgroup
from trajlog.harness.sandbox.connection import Connection, PipeTransport
from trajlog.harness.sandbox.proctree import KILL_FOR_S
from trajlog.harness.workspace import PathRefused, Workspace

PREFIX = "trajlog-box-"
MARKER = "TRAJLOG_SANDBOX_ID"
SUPERVISOR = Path(__file__).with_name("supervisor.py")
WARNING = (
    "the local sandbox is not a security boundary: commands run as your user, and can reach the network and your "
    "files. Use containers for policies that may look for ways out."
)
_LOCK = "sandbox.lock"
_FOLDERS = ("w", "home", "tmp", "bin")
_LEAVE_S = 10.0


class LocalSandbox(Box):
    """See `trajlog.harness.sandbox.base.Sandbox`. `seed` becomes PYTHONHASHSEED, so that runs repeat.

    >>> with LocalSandbox({"hello.py": b"print('hi')"}) as sandbox:
    ...     sandbox.run(["python", "hello.py"]).output
    'hi\\n'
    """

    def __init__(self, files: Mapping[str, bytes], limits: Limits | None = None, seed: int = 0) -> None:
        super().__init__(limits)
        self.python = sys.executable
        self.code = PurePosixPath(Path(__file__).resolve().parents[1])
        self._supervisor: subprocess.Popen[bytes] | None = None
        prepare_pytest()
        remove_abandoned(tempfile.gettempdir())
        if shutil.which("bash") is None:
            raise SandboxError("bash is not installed. Install it, or put it on the PATH.")
        try:
            self._base = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
            self._lock = _lock(self._base)
            self._furnish()
            self.workspace: Workspace = Workspace(self._base / "w")
            self.workspace.fill(files)
        except (OSError, PathRefused) as error:
            with contextlib.suppress(AttributeError):
                self._remove()
            raise SandboxError(
                f"a sandbox could not be made under {tempfile.gettempdir()}: {error}. "
                "Free space there or set TMPDIR to another folder."
            ) from error
        self._env = environment(
            seed,
            PATH=f"{self._base / 'bin'}:/usr/local/bin:/usr/bin:/bin",
            HOME=str(self._base / "home"),
            TMPDIR=str(self._base / "tmp"),
        ) | {MARKER: self._base.name}

    def _furnish(self) -> None:
        """Make the folders and wrappers that are not there (any more). Raises OSError."""
        for folder in _FOLDERS:
            (self._base / folder).mkdir(parents=True, exist_ok=True)
        for name, target in (("python", ""), ("python3", ""), ("pytest", " -m pytest")):
            wrapper = self._base / "bin" / name
            if not wrapper.exists():
                wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}"{target} "$@"\n')
                wrapper.chmod(0o755)

    def _command(self) -> dict[str, Any]:
        return {
            "env": dict(self._env),
            "cwd": str(self.workspace.root),
            "disk_roots": [str(self._base / folder) for folder in ("w", "home", "tmp")],
            "own_user": False,
        }

    def _connected(self) -> Connection | None:
        try:
            self._furnish()  # an agent may have removed its own sandbox
        except OSError:
            self._gone = True
        return super()._connected()

    def _connect(self) -> tuple[Connection, dict[str, Any]]:
        try:
            self._supervisor = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", str(SUPERVISOR)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                start_new_session=True,
                env={MARKER: self._base.name},
            )
        except OSError as error:
            raise SandboxError(f"a sandbox process could not be started: {error}. Free memory or processes.") from error
        hello = {"workspace": str(self.workspace.root), "cgroup": self._base.name, "kill_first": False}
        return Connection(PipeTransport(self._supervisor)), hello

    def _kill_all(self) -> bool:
        supervisor, self._supervisor = self._supervisor, None
        if supervisor is not None:
            _end_group(supervisor)
        if self._greeting.cgroup is not None:
            Cgroup(self._greeting.cgroup).remove()
        kill_marked(self._base.name)
        return True

    def _remove(self) -> None:
        if self._supervisor is not None:
            try:
                self._supervisor.wait(_LEAVE_S)  # its input has ended: it kills what there is, and leaves
                self._supervisor = None
            except subprocess.TimeoutExpired:
                self._kill_all()
        with contextlib.suppress(AttributeError):  # never made
            self._lock.close()
        remove_tree(self._base)
        if self._base.exists():
            raise SandboxError(f"{self._base} could not be removed. Remove it by hand: rm -rf {self._base}")


def _end_group(supervisor: subprocess.Popen[bytes]) -> None:
    """End a supervisor and its wardens, which share its process group.

    Wardens left alone kill their command's tree, and know it best; they are given time for it, and woken if stopped.
    """
    supervisor.kill()
    supervisor.wait()
    give_up = time.monotonic() + KILL_FOR_S + 1.0
    with contextlib.suppress(ProcessLookupError):
        os.killpg(supervisor.pid, signal.SIGCONT)
        while time.monotonic() < give_up:
            os.killpg(supervisor.pid, 0)
            time.sleep(0.005)
        os.killpg(supervisor.pid, signal.SIGKILL)


def kill_marked(marker: str) -> None:
    """Kill every process whose environment carries `marker`, until none is left or five seconds have passed."""
    deadline = time.monotonic() + 5.0
    while time.monotonic() < deadline:
        found = [process for process in psutil.process_iter() if _environment(process).get(MARKER) == marker]
        if not found:
            return
        for process in found:
            with contextlib.suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(found, timeout=1.0)


def _environment(process: psutil.Process) -> dict[str, str]:
    try:
        return process.environ() if process.status() != psutil.STATUS_ZOMBIE else {}
    except (psutil.Error, OSError):
        return {}


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
