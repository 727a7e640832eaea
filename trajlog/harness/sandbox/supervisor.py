"""The process that runs one command of a sandbox and answers for everything the command starts.

Run by path with `python -I -S -B supervisor.py STATUS_FD`; it imports nothing of ours, so that the same file works
inside a container. Protocol:

- stdin: one line of JSON `{argv, env, cwd, memory_bytes, file_bytes, cpu_s, max_processes, max_open_files}`. Stdin
  then stays open: each byte is the number of a signal for the command's main process. Its end, at any time, means
  "kill everything" (so nothing outlives the process that asked).
- stdout and stderr: the command's own output, merged by the caller. The supervisor prints nothing.
- STATUS_FD: one JSON object when everything is dead: `{exit_code, killed, survivors, error}`. `exit_code` is the
  command's, 128 + N after signal N, null if it was killed from here. `killed` is null, "closed" (stdin ended),
  "memory" or "processes". `survivors` counts processes that outlived the command and were killed.

As a child subreaper (Linux) the supervisor inherits every orphan below it, a grandchild in a session of its own
included, so walking the tree by parent finds all of them. The exit of the command is an event, never a silence.
"""

import contextlib
import json
import os
import resource
import select
import signal
import sys
import time

WATCH_EVERY_S = 0.2
KILL_FOR_S = 5.0
HAS_LISTS = os.path.exists(f"/proc/self/task/{os.getpid()}/children")


def main() -> None:
    status_fd = int(sys.argv[1])
    os.set_inheritable(status_fd, False)
    become_subreaper()
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    for harmless in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(harmless, signal.SIG_IGN)

    line, ended = read_line(0)
    status = {"exit_code": None, "killed": "closed", "survivors": 0, "error": None}
    if not ended:
        spec = json.loads(line)
        try:
            child = spawn(spec)
        except OSError as error:
            status.update(killed=None, error=f"{type(error).__name__}: {error}")
        else:
            status.update(watch(child, spec, wake_read))
    status["survivors"] = kill_all()
    os.write(status_fd, json.dumps(status).encode())


def become_subreaper() -> None:
    """Make orphans of our subtree our children (Linux; elsewhere only the process tree below us is found)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None, use_errno=True).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def read_line(fd: int) -> tuple[bytes, bool]:
    data = bytearray()
    while not data.endswith(b"\n"):
        piece = os.read(fd, 1 << 16)
        if not piece:
            return bytes(data), True
        data += piece
    return bytes(data), False


def spawn(spec: dict) -> int:
    """Start the command in a session of its own, with stdin on /dev/null and the limits inherited from us."""
    os.chdir(spec["cwd"])
    for limit, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, spec["cpu_s"]),
        (resource.RLIMIT_DATA, spec["memory_bytes"]),
        (resource.RLIMIT_FSIZE, spec["file_bytes"]),
        (resource.RLIMIT_NOFILE, spec["max_open_files"]),
    ):
        hard = resource.getrlimit(limit)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (value, value))
    return os.posix_spawn(
        spec["argv"][0],
        spec["argv"],
        spec["env"],
        file_actions=[(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0)],
        setsid=True,
        setsigdef=[signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD],
    )


def watch(child: int, spec: dict, wake_read: int) -> dict:
    """Wait for the command's end, the caller's "kill", or a limit that the whole tree has passed."""
    next_check = time.monotonic() + WATCH_EVERY_S
    while True:
        code, _ = reap(child)
        if code is not None:
            return {"exit_code": code, "killed": None}
        ready, _, _ = select.select([0, wake_read], [], [], max(0.0, next_check - time.monotonic()))
        if wake_read in ready:
            os.read(wake_read, 512)
        if 0 in ready:
            numbers = os.read(0, 512)
            if not numbers:
                return {"killed": "closed"}
            for number in numbers:
                os.kill(child, number)
        if time.monotonic() >= next_check:
            pids = descendants(listed_children if HAS_LISTS else whole_table())
            if len(pids) > spec["max_processes"]:
                return {"killed": "processes"}
            if resident_bytes(pids) > spec["memory_bytes"]:
                return {"killed": "memory"}
            next_check = time.monotonic() + WATCH_EVERY_S


def reap(child: int) -> tuple[int | None, bool]:
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


def kill_all() -> int:
    """Kill every process below us and collect it, until there is none; how many were alive at first sight."""
    deadline = time.monotonic() + KILL_FOR_S
    survivors = 0
    while not reap(-1)[1] and time.monotonic() < deadline:
        pids = descendants(whole_table())
        survivors = max(survivors, len(pids))
        for sign in (signal.SIGSTOP, signal.SIGKILL):  # stopped first, so that none can start another meanwhile
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, sign)
        time.sleep(0.003)
    return survivors


def descendants(children_of) -> list[int]:
    """The living processes below us; zombies are not counted."""
    found: list[int] = []
    queue = [os.getpid()]
    while queue:
        for pid, dead in children_of(queue.pop()):
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


def whole_table():
    """A function like `listed_children`, from a look at every process of the machine: it misses none."""
    children: dict[int, list[tuple[int, bool]]] = {}
    for pid, parent, state in process_table():
        children.setdefault(parent, []).append((pid, state == "Z"))
    return lambda pid: children.get(pid, [])


def process_table():
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


if __name__ == "__main__":
    main()
