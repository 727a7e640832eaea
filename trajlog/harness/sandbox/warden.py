"""One command of a sandbox: started, watched against its limits, and killed with everything it started.

A warden is forked by the supervisor for each command and runs inside the sandbox, so this imports nothing of ours.
As a child subreaper (Linux) it inherits every orphan below it, a grandchild in a session of its own included. So the
processes of one command are told from those of another that runs beside it, and walking the tree by parent finds
all of them. The end of the command is an event, never a silence.
"""

import contextlib
import json
import os
import resource
import select
import shutil
import signal
import time
from typing import Any, NoReturn

from .cgroups import Cgroup
from .proctree import (
    HAS_LISTS,
    become_subreaper,
    become_unreadable,
    descendants,
    kill_below,
    listed_children,
    reap,
    resident_bytes,
    whole_table,
)

WATCH_EVERY_S = 0.2
FIRST_WATCH_S = 0.01
"""The first look comes soon, the next after twice that time, and so on up to WATCH_EVERY_S."""
DISK_EVERY_S = 1.0
CPU_GRACE_S = 2
RESET_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD)
OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def run(spec: dict[str, Any], output: int, status: int, control: int, passed: list[int]) -> NoReturn:
    """Start `spec["argv"]` and see it to its end; what happened is written to `status`, one JSON object a line.

    `control`: each byte is the number of a signal for the command's main process; its end means "kill everything".
    First line: `{"started": pid}` or `{"error": text, "errno": number}`. Last line: `{exit_code, killed, survivors,
    duration_s}`; `killed` is null, "closed" (control ended), "timeout", "memory", "processes", "cpu" or "disk".
    """
    keep_only(output, status, control, *passed)
    become_subreaper()
    become_unreadable()
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    before = oom_kills(), disk_use(spec["disk_roots"], spec["disk_bytes"])
    started = time.monotonic()
    try:
        child = spawn(spec, output, passed)
    except OSError as error:
        tell(status, {"error": error.strerror or str(error), "errno": error.errno})
        os._exit(0)
    for fd in (output, *passed):
        os.close(fd)
    tell(status, {"started": child})
    result = {"exit_code": None, "killed": None}
    result |= watch(child, spec, control, wake_read, started, before[1])
    if result["killed"] is not None and spec.get("cgroup"):
        Cgroup(spec["cgroup"]).kill()  # all at once: a fork bomb is faster than a walk
    result["survivors"] = kill_below()
    result["duration_s"] = time.monotonic() - started
    code = result["exit_code"]
    if code == 128 + signal.SIGXCPU:
        result["killed"] = "cpu"
    elif result["killed"] is None and code == 128 + signal.SIGKILL and oom_kills() > before[0]:
        result["killed"] = "memory"
    tell(status, result)
    os._exit(0)


def tell(status: int, message: dict[str, Any]) -> None:
    with contextlib.suppress(BrokenPipeError):  # the supervisor is gone: nobody wants to know
        os.write(status, json.dumps(message).encode() + b"\n")


def keep_only(*kept: int) -> None:
    """Close every descriptor but these; 0, 1 and 2 become /dev/null."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(null, fd)
    low = 3
    for fd in sorted(kept):
        os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, max(low, os.sysconf("SC_OPEN_MAX")))


def spawn(spec: dict[str, Any], output: int, passed: list[int]) -> int:
    """Start the command in a session of its own, with stdin on /dev/null. Raises OSError (127: no such program)."""
    program = shutil.which(spec["argv"][0], path=spec["env"].get("PATH", os.defpath))
    if program is None:
        raise FileNotFoundError(127, f"{spec['argv'][0]} is not installed in the sandbox")
    failed_read, failed_write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setsid()
            os.dup2(output, 1)
            os.dup2(output, 2)
            for fd in passed:
                os.set_inheritable(fd, True)
            enter_cgroup(spec.get("cgroup"))
            os.chdir(spec["cwd"])
            signal.set_wakeup_fd(-1)
            for number in RESET_SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            limit(spec)
            os.execve(program, spec["argv"], spec["env"])
        except OSError as error:
            os.write(failed_write, f"{error.errno} {error.strerror}".encode())
        finally:
            os._exit(127)
    os.close(failed_write)
    failed = os.read(failed_read, 1000).decode()
    os.close(failed_read)
    if failed:
        os.waitpid(child, 0)
        number, _, text = failed.partition(" ")
        raise OSError(int(number), text)
    return child


def limit(spec: dict[str, Any]) -> None:
    limits = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_CPU, spec["cpu_s"], spec["cpu_s"] + CPU_GRACE_S),
        (resource.RLIMIT_DATA, spec["memory_bytes"], spec["memory_bytes"]),
        (resource.RLIMIT_FSIZE, spec["file_bytes"], spec["file_bytes"]),
        (resource.RLIMIT_NOFILE, spec["max_open_files"], spec["max_open_files"]),
    ]
    if spec["own_user"]:  # nobody else runs as this user, so the kernel's count is of this sandbox alone
        limits.append((resource.RLIMIT_NPROC, spec["max_threads"], spec["max_threads"]))
    for name, soft, hard in limits:
        most = resource.getrlimit(name)[1]
        if most != resource.RLIM_INFINITY:
            soft, hard = min(soft, most), min(hard, most)
        resource.setrlimit(name, (soft, hard))


def enter_cgroup(folder: str | None) -> None:
    if folder is not None:
        # Where it is not allowed, killing by walking the tree has to do.
        with contextlib.suppress(OSError), open(f"{folder}/cgroup.procs", "w") as file:
            file.write(str(os.getpid()))


def watch(
    child: int, spec: dict[str, Any], control: int, wake_read: int, started: float, used_before: int
) -> dict[str, Any]:
    """Wait for the command's end, the caller's "kill", or a limit that the whole tree has passed."""
    deadline = started + spec["timeout_s"] if spec["timeout_s"] is not None else float("inf")
    pause = FIRST_WATCH_S
    next_check = time.monotonic() + pause
    next_disk = time.monotonic() + DISK_EVERY_S
    while True:
        code, _ = reap(child)
        if code is not None:
            return {"exit_code": code}
        now = time.monotonic()
        if now >= deadline:
            return {"killed": "timeout"}
        ready, _, _ = select.select([control, wake_read], [], [], max(0.0, min(next_check, deadline) - now))
        if wake_read in ready:
            os.read(wake_read, 512)
        if control in ready:
            numbers = os.read(control, 512)
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
            pause = min(2 * pause, WATCH_EVERY_S)
            next_check = time.monotonic() + pause
        if time.monotonic() >= next_disk:
            if disk_use(spec["disk_roots"], spec["disk_bytes"]) > max(spec["disk_bytes"], used_before):
                return {"killed": "disk"}
            next_disk = time.monotonic() + DISK_EVERY_S


def disk_use(roots: list[str], enough: int) -> int:
    """Bytes below `roots`, each file with at least 4 KiB; counting ends somewhat above `enough`.

    No roots where the filesystem itself is limited.
    """
    total = 0
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                with contextlib.suppress(OSError):
                    found = os.lstat(os.path.join(folder, name))
                    total += max(4096, found.st_blocks * 512)
            if total > 2 * enough:
                return total
    return total


def oom_kills() -> int:
    """How often the kernel killed a process of our cgroup for memory; 0 where that cannot be read."""
    for path in OOM_COUNTERS:
        with contextlib.suppress(OSError), open(path) as file:
            for line in file:
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    return 0
