"""A control group (version 2) of our own, where this user may make one: then nothing leaves a killed tree behind.

No controller is needed, only `cgroup.kill`. Used on both sides, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import os
import time


class Cgroup:
    """A group by its folder. Children are made for single commands."""

    def __init__(self, path: str) -> None:
        self.path = path

    @classmethod
    def make(cls, name: str) -> Cgroup | None:
        """A new group `name` below that of this process, or None where that is not allowed or not there."""
        parent = own_folder()
        if parent is None:
            return None
        path = os.path.join(parent, name)
        try:
            os.mkdir(path)
            if os.access(f"{path}/cgroup.kill", os.W_OK) and os.access(f"{parent}/cgroup.procs", os.W_OK):
                return cls(path)
            os.rmdir(path)
        except OSError:
            pass
        return None

    def child(self, name: str) -> Cgroup | None:
        path = os.path.join(self.path, name)
        try:
            os.mkdir(path)
        except OSError:
            return None
        return Cgroup(path)

    def kill(self) -> None:
        """Kill every process in it and below."""
        with contextlib.suppress(OSError), open(f"{self.path}/cgroup.kill", "w") as file:
            file.write("1")

    def remove(self, within_s: float = 2.0) -> None:
        """Kill what is in it and remove it with its children."""
        give_up = time.monotonic() + within_s
        while True:
            with contextlib.suppress(OSError):
                for child in os.scandir(self.path):
                    if child.is_dir():
                        with contextlib.suppress(OSError):
                            os.rmdir(child.path)
            try:
                os.rmdir(self.path)
            except FileNotFoundError:
                return
            except OSError:
                if time.monotonic() > give_up:
                    return
                self.kill()
                time.sleep(0.002)
            else:
                return


def own_folder() -> str | None:
    """Where the group of this process lies in the mounted version 2 tree."""
    try:
        with open("/proc/self/cgroup") as file:
            paths = [line.rstrip("\n")[3:] for line in file if line.startswith("0::")]
        with open("/proc/self/mountinfo") as file:
            mounts = [fields for line in file if " - cgroup2 " in line for fields in [line.split()]]
    except OSError:
        return None
    if not paths or not mounts:
        return None
    return os.path.normpath(mounts[0][4] + "/" + os.path.relpath(paths[0], mounts[0][3]))
