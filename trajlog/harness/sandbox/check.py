"""What isolates an agent's commands on this machine, found by trying: each probe is a command that attempts it."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from trajlog.errors import SandboxError
from trajlog.harness.sandbox.base import Limits, MiB
from trajlog.harness.sandbox.box import Box
from trajlog.harness.sandbox.choice import choose, docker_problem
from trajlog.harness.sandbox.local import WARNING, LocalSandbox
from trajlog.harness.sandbox.pool import Kind

LIMITS = Limits(
    timeout_s=20.0,
    cpu_s=1,
    memory_bytes=192 * MiB,
    file_bytes=4 * MiB,
    disk_bytes=16 * MiB,
    max_processes=24,
    max_output_bytes=4 * MiB,
)


class Answer(msgspec.Struct, frozen=True):
    held: bool
    """Whether the sandbox holds this back."""
    text: str


class Row(msgspec.Struct, frozen=True):
    title: str
    answers: dict[Kind, Answer]


class Found(msgspec.Struct, frozen=True):
    kinds: tuple[Kind, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...]
    choice: Kind
    """What episode.sandbox = "auto" uses here ..."""
    reason: str
    """... and why."""


def check_sandboxes() -> Found:
    """Try everything in each kind of sandbox that can be made here. Takes some seconds; raises SandboxError."""
    kinds: list[Kind] = []
    notes = []
    problem = docker_problem()
    if problem is None:
        kinds.append("docker")
    else:
        notes.append(f"docker: {problem}")
    kinds.append("local")
    notes.append(f"local: {WARNING}")
    answers: dict[str, dict[Kind, Answer]] = {title: {} for title, _ in PROBES}
    for kind in kinds:
        sandbox = _make(kind)
        try:
            for title, probe in PROBES:
                answers[title][kind] = _try(probe, sandbox)
        finally:
            sandbox.close()
    choice = choose("auto")
    rows = tuple(Row(title, found) for title, found in answers.items())
    return Found(tuple(kinds), rows, tuple(notes), choice.kind, choice.reason)


def _make(kind: Kind) -> Box:
    if kind == "local":
        return LocalSandbox({}, LIMITS)
    from trajlog.harness.sandbox.container import DockerSandbox

    return DockerSandbox({}, LIMITS)


def _try(probe: Callable[[Box], Answer], sandbox: Box) -> Answer:
    try:
        return probe(sandbox)
    except SandboxError as error:
        return Answer(False, f"the probe failed: {error}")


def _python(sandbox: Box, code: str, *arguments: str) -> str:
    return sandbox.run(["python", "-c", code, *arguments]).output.strip()


def network(sandbox: Box) -> Answer:
    code = """import socket, sys
for host in sys.argv[2:]:
    try:
        socket.create_connection((host, int(sys.argv[1])), 2).close()
        print("reached", host)
        break
    except OSError:
        pass"""
    with _listener() as (port, hosts):
        said = _python(sandbox, code, str(port), *hosts)
    return Answer(not said, f"this machine's ports are {'reachable' if said else 'out of reach'}")


def others_files(sandbox: Box) -> Answer:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.write_text("found it")
        seen = "found it" in sandbox.run(["cat", str(secret)]).output
    return Answer(not seen, "your files are readable" if seen else "files outside are not there")


def others_processes(sandbox: Box) -> Answer:
    code = "import os, sys; os.kill(int(sys.argv[1]), 0); print('could')"
    could = _python(sandbox, code, str(os.getpid())).endswith("could")
    return Answer(not could, "your processes can be signalled" if could else "processes outside are not there")


def root_files(sandbox: Box) -> Answer:
    code = "import os; p = '/trajlog-probe'; open(p, 'w').close(); os.unlink(p); print('could')"
    could = _python(sandbox, code).endswith("could")
    return Answer(not could, "/ is writable" if could else "/ is not writable")


def privileges(sandbox: Box) -> Answer:
    code = """import os
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(os.getuid(), int(status["CapEff"], 16), status["NoNewPrivs"].strip())"""
    words = _python(sandbox, code).split()
    if len(words) != 3 or not all(word.isdigit() for word in words):
        return Answer(False, "not known on this system")
    uid, capabilities, sealed = map(int, words)
    held = uid != 0 and capabilities == 0 and sealed == 1
    what = f"user {uid}, {'no' if not capabilities else 'with'} capabilities"
    return Answer(held, f"{what}, {'can' if not sealed else 'cannot'} gain any")


def supervisor_memory(sandbox: Box) -> Answer:
    sandbox.run(["true"])
    pid = sandbox.supervisor_pid
    code = "import os, sys; os.open(f'/proc/{sys.argv[1]}/mem', os.O_RDWR); print('could')"
    could = _python(sandbox, code, str(pid)).endswith("could")
    return Answer(not could, "can be opened by commands" if could else "is closed to commands")


def memory(sandbox: Box) -> Answer:
    result = sandbox.run(["python", "-c", "import time; x = b'x' * (400 * 2**20); print('had it'); time.sleep(2)"])
    held = "had it" not in result.output
    return Answer(held, f"one process: {'stopped' if held else 'not stopped'}")


def tree_memory(sandbox: Box) -> Answer:
    code = "import os, time\nos.fork(); os.fork()\nx = b'x' * (90 * 2**20)\ntime.sleep(5)\nprint('had it')"
    result = sandbox.run(["python", "-c", code])
    return Answer(result.killed == "memory", f"a tree of processes: {result.killed or 'not stopped'}")


def processes(sandbox: Box) -> Answer:
    result = sandbox.run(["bash", "-c", "for i in $(seq 200); do sleep 5 & done; wait; echo had them"])
    well = sandbox.run(["echo", "well"]).output == "well\n"
    held = "had them" not in result.output and well
    return Answer(held, f"{'stopped' if held else 'not stopped'}; commands run afterwards: {'yes' if well else 'no'}")


def file_size(sandbox: Box) -> Answer:
    result = sandbox.run(["python", "-c", "f = open('big', 'wb'); f.write(b'x' * (8 * 2**20)); f.close()"])
    sandbox.run(["rm", "-f", "big"])
    return Answer(result.exit_code != 0, "stopped" if result.exit_code != 0 else "not stopped")


def disk(sandbox: Box) -> Answer:
    code = """import time
for number in range(20):
    open(f"f{number}", "wb").write(b"x" * (3 * 2**20))
time.sleep(4)
print("could")"""
    result = sandbox.run(["python", "-c", code])
    sandbox.run(["bash", "-c", "rm -f f*"])
    held = "could" not in result.output
    how = "writing fails" if "No space" in result.output else "the command is killed, a second late at most"
    return Answer(held, how if held else "not stopped")


def cpu(sandbox: Box) -> Answer:
    result = sandbox.run(["python", "-c", "while True: pass"])
    return Answer(result.killed == "cpu", f"an endless loop: {result.killed or 'not stopped'}")


def deadline(sandbox: Box) -> Answer:
    result = sandbox.run(["bash", "-c", "trap '' TERM INT HUP; sleep 60; sleep 60"], timeout_s=1.0)
    return Answer(result.killed == "timeout" and result.duration_s < 5, f"ended after {result.duration_s:.1f} s")


def printing(sandbox: Box) -> Answer:
    result = sandbox.run(["yes"])
    return Answer(result.killed == "output", f"an endless print: {result.killed or 'not stopped'}")


def survivors(sandbox: Box) -> Answer:
    code = "import os, sys; print([p for p in sys.argv[1:] if os.path.exists(f'/proc/{p}')])"
    started = sandbox.run(["bash", "-c", "setsid sleep 60 & echo $!; (env -i setsid sleep 60 & echo $!); exit 0"])
    pids = started.output.split()
    held = len(pids) == 2 and _python(sandbox, code, *pids) == "[]"
    return Answer(held, "killed when the command ends" if held else "live on")


def after_the_supervisor(sandbox: Box) -> Answer:
    code = """import os
warden = os.getppid()
supervisor = int(open(f"/proc/{warden}/stat").read().rpartition(")")[2].split()[1])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve("/bin/sleep", ["sleep", "60.125"], {})
    os._exit(0)
os.wait()
os.kill(supervisor, 9)
os.kill(warden, 9)"""
    killed = sandbox.run(["python", "-c", code]).killed
    by = "by its user"
    if isinstance(sandbox, LocalSandbox):
        by = "by a mark in their environment" if sandbox.supervisor_cgroup is None else "by their cgroup"
    count = "n=0; for f in /proc/[0-9]*/cmdline; do grep -qs '^sleep.60[.]125' $f && n=$((n+1)); done; echo $n"
    held = killed == "supervisor" and sandbox.run(["bash", "-c", count]).output == "0\n"
    return Answer(held, f"replaced, and its orphans are found {by}: {'all killed' if held else 'some live on'}")


def keeper(sandbox: Box) -> Answer:
    if isinstance(sandbox, LocalSandbox):
        return Answer(False, "commands run as your user: they can signal all of your processes")
    sandbox.run(["bash", "-c", "kill -9 1; kill -9 -1; sleep 5"])
    well = sandbox.run(["echo", "well"]).output == "well\n"
    return Answer(well, "outlives `kill -9 -1`" if well else "ended by `kill -9 -1`")


PROBES: tuple[tuple[str, Callable[[Box], Answer]], ...] = (
    ("network", network),
    ("files outside", others_files),
    ("processes outside", others_processes),
    ("root file system", root_files),
    ("privileges", privileges),
    ("memory limit", memory),
    ("memory limit, forked", tree_memory),
    ("process limit", processes),
    ("file size limit", file_size),
    ("disk limit", disk),
    ("CPU time limit", cpu),
    ("deadline, signals ignored", deadline),
    ("output limit", printing),
    ("survivors (setsid, env -i)", survivors),
    ("killing the supervisor", after_the_supervisor),
    ("the supervisor's memory", supervisor_memory),
    ("ending the whole sandbox", keeper),
)


@contextlib.contextmanager
def _listener() -> Iterator[tuple[int, list[str]]]:
    """A port of this machine that accepts connections, and names it may be reached by."""
    with socket.create_server(("", 0)) as server:
        hosts = ["127.0.0.1", "172.17.0.1"]
        with contextlib.suppress(OSError):
            hosts += [str(found[4][0]) for found in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)]
        yield server.getsockname()[1], hosts


def as_dict(found: Found) -> dict[str, Any]:
    return msgspec.to_builtins(found)
