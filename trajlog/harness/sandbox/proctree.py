"""Process trees from inside: who descends from whom, what they use, and killing all of them.

Used by the supervisor and its wardens inside a sandbox, so it imports nothing of ours. On Linux everything is read
from /proc; elsewhere the table comes from `ps`, and sizes are not known.
"""

import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator

KILL_FOR_S = 5.0
HAS_LISTS = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
ChildrenOf = Callable[[int], list[tuple[int, bool]]]


def become_subreaper() -> None:
    """Make orphans of our subtree our children (Linux; elsewhere only the process tree below us is found)."""
    _prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def become_unreadable() -> None:
    """Keep processes of the same user from tracing us or opening our memory and file descriptors (Linux)."""
    _prctl(4, 0)  # PR_SET_DUMPABLE


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def reap(child: int = -1) -> tuple[int | None, bool]:
    """Collect every dead child: (exit code of `child` if it is among them, 128 + N after signal N; none is left)."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code, True
        if pid == 0:
            return code, False
        if pid == child:
            raw = os.waitstatus_to_exitcode(status)
            code = raw if raw >= 0 else 128 - raw


def kill_below(spared: frozenset[int] = frozenset()) -> int:
    """Kill and collect every process below us but `spared` ones and theirs, until there is none.

    Returns how many were alive at first sight. Gives up after KILL_FOR_S (a process in the kernel's hands).
    """
    deadline = time.monotonic() + KILL_FOR_S
    survivors = 0
    while not reap()[1] and time.monotonic() < deadline:
        pids = descendants(whole_table(), spared)
        if not pids and spared:
            break
        survivors = max(survivors, len(pids))
        for sign in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that none can start another meanwhile
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, sign)
        time.sleep(0.003)
    return survivors


def kill_own_user() -> None:
    """Kill every process of our user that we may signal, ourselves apart: only right inside a container."""
    deadline = time.monotonic() + KILL_FOR_S
    while time.monotonic() < deadline:
        try:
            os.kill(-1, signal.SIGKILL)
        except ProcessLookupError:
            return
        if not any(state not in "ZX" and pid != os.getpid() and _is_ours(pid) for pid, _, state in process_table()):
            return
        time.sleep(0.005)


def _is_ours(pid: int) -> bool:
    with contextlib.suppress(OSError):
        # Processes that are not readable by others belong to root in the listing; we may not signal those anyway.
        return os.stat(f"/proc/{pid}").st_uid == os.getuid()
    return False


def descendants(children_of: ChildrenOf, spared: frozenset[int] = frozenset()) -> list[int]:
    """The living processes below us; zombies are not counted."""
    found: list[int] = []
    queue = [os.getpid()]
    while queue:
        for pid, dead in children_of(queue.pop()):
            if pid in spared:
                continue
            queue.append(pid)
            if not dead:
                found.append(pid)
    return found


def listed_children(pid: int) -> list[tuple[int, bool]]:
    """(child, whether it is a zombie), from the kernel's own list: cheap, but it may miss one that just came."""
    found = []
    with contextlib.suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += [(int(child), False) for child in file.read().split()]
    return found


def whole_table() -> ChildrenOf:
    """A function like `listed_children`, from a look at every process of the machine: it misses none."""
    children: dict[int, list[tuple[int, bool]]] = {}
    for pid, parent, state in process_table():
        children.setdefault(parent, []).append((pid, state == "Z"))
    return lambda pid: children.get(pid, [])


def process_table() -> Iterator[tuple[int, int, str]]:
    """(pid, parent pid, state) of every process of the machine."""
    if not os.path.isdir("/proc/self"):
        import subprocess

        listing = subprocess.run(["ps", "-axo", "pid=,ppid=,state="], capture_output=True, text=True)
        for row in listing.stdout.splitlines():
            pid, parent, state = row.split()
            yield int(pid), int(parent), state[0]
        return
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                stat = file.read()
        except OSError:
            continue
        fields = stat[stat.rindex(b")") + 2 :].split()
        yield int(name), int(fields[1]), fields[0].decode()


def resident_bytes(pids: list[int]) -> int:
    total = 0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/statm", "rb") as file:
                total += int(file.read().split()[1])
        except (OSError, IndexError):
            continue
    return total * resource.getpagesize()
