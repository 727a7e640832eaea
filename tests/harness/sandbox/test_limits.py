"""Every limit, on both kinds; after each, the next command runs as if nothing had been."""

import os

import psutil
import pytest

from trajlog.harness.sandbox import Limits
from trajlog.harness.sandbox.base import MiB


def run_with(make, limits, argv, **options):
    with make(limits=limits) as made:
        result = made.run(argv, **options)
        assert made.run(["echo", "well"]).output == "well\n"
    return result


def test_memory_of_one_process(make):
    result = run_with(make, Limits(memory_bytes=256 * MiB), ["python", "-c", "bytearray(2 * 10**9)"])
    assert "MemoryError" in result.output


def test_memory_of_a_tree_of_processes(make):
    code = "import os, time\nos.fork(); os.fork()\ndata = b'x' * (60 * 2**20)\ntime.sleep(60)"
    limits = Limits(memory_bytes=150 * MiB, timeout_s=40)
    result = run_with(make, limits, ["python", "-c", code])
    assert result.killed == "memory"
    assert result.status_line(limits) == "killed: more than 150 MiB of memory"


def test_number_of_processes(make):
    limits = Limits(max_processes=10)
    result = run_with(make, limits, ["bash", "-c", "for i in $(seq 30); do sleep 300 & done; wait"])
    assert result.killed == "processes" or "Resource temporarily unavailable" in result.output


def test_a_hundred_threads_are_one_process(make):
    code = """import threading
gate = threading.Event()
threads = [threading.Thread(target=gate.wait, daemon=True) for _ in range(100)]
for thread in threads: thread.start()
gate.set()
for thread in threads: thread.join()
print("well")"""
    assert run_with(make, Limits(), ["python", "-c", code]).output == "well\n"


BOMB = """import os, time
for _ in range(8):
    try:
        os.fork()
    except OSError:
        pass
time.sleep(60)"""
"""Doubles eight times, not for ever: this machine is shared."""


def test_a_fork_bomb_is_stopped(make):
    assert run_with(make, Limits(max_processes=20), ["python", "-c", BOMB]).killed == "processes"


def test_a_command_beside_a_fork_bomb_runs_or_is_told_why_not(make):
    with make(limits=Limits(max_processes=20)) as made:
        process = made.start(["python", "-c", BOMB])
        result = made.run(["echo", "well"])
        assert result.output == "well\n" or result.killed == "processes"
        assert process.pump(20.0)
        assert process.close().killed == "processes"
        assert made.run(["echo", "well"]).output == "well\n"


def test_size_of_one_file(make):
    limits = Limits(file_bytes=MiB)
    code = "open('big', 'wb').write(b'x' * 3 * 2**20)"
    result = run_with(make, limits, ["python", "-c", code])
    assert "File too large" in result.output


def test_what_the_workspace_holds(make):
    code = (
        "import time\nfor n in range(16): open(f'f{n}', 'wb').write(b'x' * 2**20)\n"
        "print('done', flush=True)\ntime.sleep(20)"
    )
    limits = Limits(disk_bytes=8 * MiB)
    result = run_with(make, limits, ["python", "-c", code])
    assert result.killed == "disk" or "No space left" in result.output


def test_a_full_workspace_can_still_be_emptied(make):
    with make(limits=Limits(disk_bytes=8 * MiB)) as made:
        made.run(["python", "-c", "import time\nopen('f', 'wb').write(b'x' * 9 * 2**20)\ntime.sleep(20)"])
        result = made.run(["bash", "-c", "rm f; sleep 1.5; echo emptied"])
    assert (result.output, result.killed) == ("emptied\n", None)


def test_cpu_time_of_one_process(make):
    limits = Limits(cpu_s=1)
    result = run_with(make, limits, ["python", "-c", "while True: pass"])
    assert result.killed == "cpu"
    assert result.status_line(limits) == "killed: more than 1 s of CPU time"


def test_wall_clock_counts_from_the_start_and_is_told(make):
    limits = Limits()
    result = run_with(make, limits, ["bash", "-c", "echo begun; sleep 300"], timeout_s=1.0)
    assert (result.killed, result.exit_code, result.timed_out, result.output) == ("timeout", None, True, "begun\n")
    assert 1.0 <= result.duration_s < 8
    assert result.status_line(limits) == "killed after 1 s"


def test_open_files(make):
    code = "import os\ntry:\n    while True: last = os.open('/dev/null', 0)\nexcept OSError: print(last)"
    assert int(run_with(make, Limits(max_open_files=40), ["python", "-c", code]).output) == 39


def test_output_keeps_head_and_tail(make):
    limits = Limits(kept_output_bytes=1000, max_output_bytes=2 * MiB)
    result = run_with(make, limits, ["bash", "-c", "echo first; yes abcdefg"])
    assert result.killed == "output"
    assert result.output.startswith("first\nabcdefg")
    assert len(result.output) < 1100
    assert result.truncated_bytes > 2 * MiB - 1000


def test_an_endless_line_is_cut_at_characters(make):
    result = run_with(make, Limits(kept_output_bytes=1000), ["python", "-c", "print('é' * 100_000)"])
    assert result.exit_code == 0
    assert 199_001 <= result.truncated_bytes <= 199_003  # a character that the cut split goes as a whole
    assert "\ufffd" not in result.output


def test_printing_64_mib_costs_the_harness_little_memory(make):
    own = psutil.Process(os.getpid())
    with make() as made:
        made.run(["echo"])
        before = own.memory_info().rss
        result = made.run(["bash", "-c", "head -c 60000000 /dev/zero | tr '\\0' x"])
        grown = own.memory_info().rss - before
    assert result.truncated_bytes > 59_000_000
    assert grown < 16 * MiB


@pytest.mark.docker
def test_a_container_s_memory_bounds_files_and_processes_together():
    from harness.sandbox.boxes import make_docker

    from trajlog.harness.sandbox.container import OWN_MEMORY_BYTES, SHM_BYTES, connect

    limits = Limits(memory_bytes=256 * MiB, disk_bytes=32 * MiB)
    with make_docker(limits=limits) as made:
        client = connect()
        host = client.inspect_container(made.container)["HostConfig"]
        client.close()
    assert host["Memory"] == host["MemorySwap"] == 256 * MiB + 2 * 32 * MiB + SHM_BYTES + OWN_MEMORY_BYTES
    assert (host["NetworkMode"], host["ReadonlyRootfs"], host["CapDrop"]) == ("none", True, ["ALL"])
    assert (host["Init"], host["AutoRemove"], host["IpcMode"]) == (True, True, "private")
    assert host["SecurityOpt"] == ["no-new-privileges"]
