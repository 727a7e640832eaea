"""A command as its supervisor sees it: a forked warden, and the descriptors that join the two.

Used by the supervisor inside a sandbox, so it imports nothing of ours but its neighbours by path.
"""

import contextlib
import os
import signal
import socket
import tempfile
import time
from typing import Any

from . import warden
from .cgroups import Cgroup
from .proctree import KILL_FOR_S

LATE_S = 3.0
"""What a warden has beyond the command's deadline, or to answer a kill, before it is killed itself."""


class Job:
    """A command as the supervisor sees it.

    spec: `{argv, env, cwd, timeout_s (null: none), memory_bytes, file_bytes, cpu_s, max_processes, max_threads,
    max_open_files, max_output_bytes, disk_bytes, disk_roots, own_user, report, channel}`. `{report}` and `{channel}`
    in an argument become descriptor numbers.
    """

    def __init__(self, number: int, spec: dict[str, Any], cgroup: Cgroup | None) -> None:
        self.number = number
        self.spec = spec
        self.killed: str | None = None
        self.channel: socket.socket | None = None
        self.unsent = bytearray()
        self.report: int | None = None
        self.words = b""
        """What the warden wrote."""
        self.printing = True
        """Whether its output may still bring something."""
        self.total_output = 0
        self.deadline = float("inf")
        self.cgroup = cgroup.child(f"command-{number}") if cgroup is not None else None
        theirs: list[int] = []
        passed = []
        if spec["report"]:
            self.report = anonymous_file()
            passed.append(self.report)
        if spec["channel"]:
            self.channel, other = socket.socketpair()
            self.channel.setblocking(False)
            passed.append(other.detach())
            theirs.append(passed[-1])
        for name, wanted in (("{report}", spec["report"]), ("{channel}", spec["channel"])):
            if wanted:
                fd = str(passed[0] if name == "{report}" else passed[-1])
                spec["argv"] = [part.replace(name, fd) for part in spec["argv"]]
        spec["cgroup"] = self.cgroup.path if self.cgroup is not None else None
        self.output, output = os.pipe()
        self.status, status = os.pipe()
        control, self.control = os.pipe()
        theirs += [output, status, control]
        self.warden = 0
        try:
            self.warden = os.fork()
        except OSError:
            self.close()
            raise
        else:
            if self.warden == 0:
                try:
                    warden.run(spec, output, status, control, passed)
                finally:
                    os._exit(1)
        finally:
            for fd in theirs:
                os.close(fd)
        for fd in (self.output, self.control):
            os.set_blocking(fd, False)

    def give(self, left_s: float) -> None:
        """Its warden may take `left_s` and the time that killing takes; then it is killed itself."""
        self.deadline = min(self.deadline, time.monotonic() + left_s + KILL_FOR_S + LATE_S)

    def stop(self) -> None:
        """Have the whole tree killed; the warden answers with the command's end."""
        self.give(0.0)
        if self.control >= 0:
            os.close(self.control)
            self.control = -1

    def kill_warden(self) -> None:
        """End and collect it, unless it was collected already."""
        with contextlib.suppress(ChildProcessError):
            if self.warden and os.waitpid(self.warden, os.WNOHANG) == (0, 0):
                os.kill(self.warden, signal.SIGKILL)
                os.waitpid(self.warden, 0)

    def close(self) -> None:
        self.stop()
        self.kill_warden()
        for fd in (self.output, self.status, self.report):
            if fd is not None:
                os.close(fd)
        if self.channel is not None:
            self.channel.close()
        if self.cgroup is not None:
            self.cgroup.remove()


def anonymous_file() -> int:
    """A file without a path."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("report")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
