"""What the debugging harness costs, beside the plain thing each part stands for.

    python benchmarks/harness.py --quick                  # local sandboxes, a minute
    python benchmarks/harness.py --kind docker            # containers: an engine and `trajlog sandbox build` first
    python benchmarks/harness.py --soak 1000              # a thousand episodes in a row, and what they leave behind

`debugged_*`: a program that times itself, plain, in our debugger and in pdb (each with one breakpoint that is never
reached), as ratios to plain; `empty_trace_*` the same with a trace function that does nothing.
`call_ms`: the tool call `bash true`; `call_bare_ms` the same command as a subprocess of
a Python program in the sandbox, and `call_overhead_ms` what the tool call takes beyond that; `docker_exec_ms` a bare
`docker exec` of it. `start_ms`: from nothing to the first answer of `bash`; with containers warm and cold.
`together`: 16 episodes at once, three of them hostile (forks, memory, endless output); how many calls of the others
missed a deadline of 5 s. `soak`: processes, descriptors, containers and folders left by episodes in a row.
Medians, except where named otherwise. The last line is JSON.
"""

import argparse
import functools
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable

import psutil

from trajlog.harness.catalog import load_catalog
from trajlog.harness.debugger.session import DebuggerSession
from trajlog.harness.episode import ToolSession
from trajlog.harness.sandbox import Limits, LocalSandbox, SandboxPool
from trajlog.harness.sandbox.base import SandboxFactory
from trajlog.harness.task import Task

LOOP = """\
import time


def work():
    total = 0
    for i in range(300_000):
        total += i * i % 7
    return total


def other():
    return 1


started = time.perf_counter()
work()
print(f"took {time.perf_counter() - started:.6f}")
"""
CALLS = """\
import time


def small(a, b):
    return a + b


def other():
    return 1


def work():
    total = 0
    for i in range(200_000):
        total = small(total, i)
    return total


started = time.perf_counter()
work()
print(f"took {time.perf_counter() - started:.6f}")
"""
BARE = """\
import statistics, subprocess, sys, time

times = []
for _ in range(int(sys.argv[1])):
    started = time.perf_counter()
    subprocess.run(["bash", "-c", "true"], check=True)
    times.append(time.perf_counter() - started)
print(f"took {statistics.median(times):.6f}")
"""
PROGRAMS = {"loop": LOOP, "calls": CALLS}
LINE_OF_OTHER = {"loop": 12, "calls": 9}
DEADLINE_S = 5.0
BUSY = "python -c 'sum(i * i for i in range(1_000_000))'"
HOSTILE = (
    "python -c 'import os\nwhile True: os.fork()'",
    "python -c 'x = []\nwhile True: x.append(bytes(10_000_000))'",
    "python -c 'while True: print(1234567890)'",
)


def taken(text: str) -> float:
    return float(text.split("took ")[1].split()[0])


def debugged(pool: SandboxPool, repeats: int) -> dict[str, float]:
    """Ratios of the program's own time to plain: debugged, under pdb, and with a trace function that does nothing."""
    figures = {}
    for name, source in PROGRAMS.items():
        plain, ours, peer, empty = [], [], [], []
        traced = f"import sys\n\nsys.settrace(lambda *_: None)\n{source}"
        with pool({"program.py": source.encode(), "traced.py": traced.encode()}) as sandbox:
            for _ in range(repeats):
                plain.append(taken(sandbox.run(["python", "program.py"]).output))
                empty.append(taken(sandbox.run(["python", "traced.py"]).output))
                session = DebuggerSession(sandbox)
                session.start("program.py")
                session.add_breakpoint("program.py", LINE_OF_OTHER[name])
                ours.append(taken(session.continue_execution().text))
                session.close()
                command = ["-m", "pdb", "-c", f"b {LINE_OF_OTHER[name]}", "-c", "c", "-c", "q", "program.py"]
                peer.append(taken(sandbox.run(["python", *command]).output))
        base = statistics.median(plain)
        figures[f"debugged_{name}_ratio"] = round(statistics.median(ours) / base, 2)
        figures[f"pdb_{name}_ratio"] = round(statistics.median(peer) / base, 2)
        figures[f"empty_trace_{name}_ratio"] = round(statistics.median(empty) / base, 2)
        figures[f"plain_{name}_s"] = round(base, 4)
    return figures


def python_version(pool: SandboxPool) -> str:
    """Of the Python that runs programs in the sandboxes."""
    with pool({}) as sandbox:
        return sandbox.run(["python", "-V"]).output.split()[1]


def milliseconds(step: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        step()
        times.append(time.perf_counter() - started)
    return round(1000 * statistics.median(times), 1)


def calls(pool: SandboxPool, repeats: int) -> dict[str, float]:
    with pool(task().workspace) as sandbox, ToolSession(task(), sandbox) as session:
        session.call("bash", {"command": "true"})
        ours = milliseconds(lambda: session.call("bash", {"command": "true"}), repeats)
        bare = round(1000 * taken(sandbox.run(["python", "-c", BARE, str(repeats)]).output), 1)
    figures = {"call_ms": ours, "call_bare_ms": bare, "call_overhead_ms": round(ours - bare, 1)}
    return figures | ({"docker_exec_ms": docker_exec_ms(repeats)} if pool.kind == "docker" else {})


def docker_exec_ms(repeats: int) -> float:
    """A `docker exec` a call, as harnesses do that keep no supervisor in the container."""
    from trajlog.harness.sandbox.container import connect
    from trajlog.harness.sandbox.image import find_image

    client = connect()
    settings = client.create_host_config(init=True, auto_remove=True)
    container = client.create_container(find_image(client), ["sleep", "600"], host_config=settings)["Id"]
    client.start(container)
    try:
        return milliseconds(
            lambda: client.exec_start(client.exec_create(container, ["bash", "-c", "true"])["Id"]), repeats
        )
    finally:
        client.kill(container)
        client.close()


@functools.cache
def task() -> Task:
    return load_catalog()["once_listeners"]


def starts(pool: SandboxPool, repeats: int) -> dict[str, float]:
    """Time to the first answer; closing is not part of it."""
    warm, cold = [], []
    for found, waits in ((warm, True), (cold, False)):
        for _ in range(repeats):
            if waits:
                pool.wait_until_warm(60.0)
            started = time.perf_counter()
            factory: SandboxFactory = pool if waits else make_cold(pool)
            with factory(task().workspace) as sandbox, ToolSession(task(), sandbox) as session:
                assert not session.call("bash", {"command": "true"}).is_error
                found.append(time.perf_counter() - started)
        if pool.kind == "local":
            return {"start_ms": round(1000 * statistics.median(warm), 1)}
    return {
        "start_ms": round(1000 * statistics.median(warm), 1),
        "start_cold_ms": round(1000 * statistics.median(cold), 1),
    }


def make_cold(pool: SandboxPool) -> SandboxFactory:
    if pool.kind == "local":
        return LocalSandbox
    from trajlog.harness.sandbox.container import DockerSandbox

    return DockerSandbox


def together(pool: SandboxPool, num_calls: int) -> dict[str, float]:
    """Well-behaved calls that missed their deadline, the slowest of them, and what became of the hostile ones."""
    missed, slowest, ends = [], [], []
    lock = threading.Lock()

    def good() -> None:
        with pool(task().workspace, Limits(timeout_s=DEADLINE_S)) as sandbox, ToolSession(task(), sandbox) as session:
            for _ in range(num_calls):
                result = session.call("bash", {"command": BUSY})
                with lock:
                    missed.append(result.is_error)
                    slowest.append(result.duration_s)

    def hostile(command: str) -> None:
        limits = Limits(timeout_s=DEADLINE_S, memory_bytes=256 * 1024 * 1024)
        with pool(task().workspace, limits) as sandbox:
            result = sandbox.run(["bash", "-c", command])
            with lock:
                ends.append(str(result.killed or result.exit_code))

    threads = [threading.Thread(target=hostile, args=(command,)) for command in HOSTILE]
    threads += [threading.Thread(target=good) for _ in range(16 - len(HOSTILE))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {
        "together_calls": len(missed),
        "together_missed": sum(missed),
        "together_slowest_s": round(max(slowest), 2),
        "together_hostile_ends": sorted(ends),  # type: ignore[dict-item]
    }


def left_behind() -> dict[str, int]:
    me = psutil.Process()
    folders = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("trajlog-")]
    return {
        "processes": len(me.children(recursive=True)),
        "descriptors": me.num_fds(),
        "folders": len(folders),
        "containers": num_containers(),
    }


def num_containers() -> int:
    try:
        from trajlog.harness.sandbox.container import connect

        client = connect()
    except Exception:
        return 0
    try:
        return len(client.containers(all=True))
    finally:
        client.close()


def soak(pool: SandboxPool, episodes: int) -> dict[str, object]:
    """Episodes with a process that wants to stay, and a debugger; what is there after the last more than before."""
    test = next(iter(task().visible_tests))

    def episode() -> None:
        with pool(task().workspace) as sandbox, ToolSession(task(), sandbox, tool_names=TOOLS) as session:
            session.call("bash", {"command": "setsid sleep 100 >/dev/null 2>&1 & echo started"})
            session.call("start_debugger", {"path": test})
            session.call("continue_execution", {})

    episode()
    before, started = left_behind(), time.perf_counter()
    for number in range(episodes):
        episode()
        if sys.stderr.isatty() and number % 10 == 0:
            print(f"\rsoak {number}/{episodes}", end="", file=sys.stderr)
    seconds = time.perf_counter() - started
    deadline = time.monotonic() + 30.0
    while (after := left_behind()) != before and time.monotonic() < deadline:
        time.sleep(0.5)  # a warm container is being made again
    grown = {name: after[name] - before[name] for name in before}
    return {"soak_episodes": episodes, "soak_s_each": round(seconds / episodes, 2), "soak_left_behind": grown}


TOOLS = ("bash", "start_debugger", "continue_execution", "done")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--kind", choices=("local", "docker"), default="local")
    parser.add_argument("--soak", type=int, default=0, metavar="N", help="episodes in a row")
    options = parser.parse_args()
    repeats = 5 if options.quick else 15
    figures: dict[str, object] = {"kind": options.kind, "cores": os.cpu_count()}
    with SandboxPool(options.kind, num_warm=2) as pool:
        pool.wait_until_warm(120.0)
        figures["python"] = python_version(pool)
        steps: list[Callable[[], dict[str, object]]] = [
            lambda: dict(debugged(pool, repeats)),
            lambda: dict(calls(pool, 10 * repeats)),
            lambda: dict(starts(pool, repeats)),
            lambda: dict(together(pool, repeats)),
            lambda: soak(pool, options.soak or 2 * repeats),
        ]
        for step in steps:
            found = step()
            figures |= found
            print("  ".join(f"{name} {value}" for name, value in found.items()), flush=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
