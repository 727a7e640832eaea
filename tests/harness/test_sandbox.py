import contextlib
import os
import subprocess
import sys
import threading
import time

import psutil
import pytest

from trajlog.errors import SandboxError
from trajlog.harness.sandbox import Limits, LocalSandbox
from trajlog.harness.sandbox.base import MiB
from trajlog.harness.sandbox.local import remove_abandoned


@pytest.fixture
def sandbox():
    with LocalSandbox({"hello.py": b"print('hi')\n"}, Limits(timeout_s=20.0)) as made:
        yield made


def alive(pid: int) -> bool:
    with contextlib.suppress(psutil.Error):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def pids_in(output: str) -> list[int]:
    return [int(word) for word in output.split() if word.isdigit()]


def test_a_command_runs_with_its_files_and_its_exit_code(sandbox):
    result = sandbox.run(["bash", "-c", "python hello.py; cat missing; exit 3"])
    assert result.output.startswith("hi\n")
    assert "missing" in result.output
    assert (result.exit_code, result.killed, result.truncated_bytes) == (3, None, 0)


def test_files_survive_from_one_command_to_the_next(sandbox):
    sandbox.run(["bash", "-c", "mkdir -p deep; echo one > deep/file"])
    assert sandbox.run(["cat", "deep/file"]).output == "one\n"
    assert sandbox.workspace.read("deep/file") == b"one\n"


def test_death_by_a_signal_is_128_and_its_number(sandbox):
    assert sandbox.run(["python", "-c", "import os; os.kill(os.getpid(), 11)"]).exit_code == 139


def test_the_environment_is_made_anew(sandbox, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    output = sandbox.run(["env"]).output
    assert "secret" not in output
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert {"PATH", "HOME", "PYTHONHASHSEED", "TRAJLOG_SANDBOX_ID"} <= names
    assert names <= {*sandbox._env, "TRAJLOG_SANDBOX_ID"}


def test_the_seed_fixes_the_hash_of_text():
    def digest(seed):
        with LocalSandbox({}, seed=seed) as made:
            return made.run(["python", "-c", "print(hash('text'))"]).output

    assert digest(1) == digest(1) != digest(2)


def test_stdin_is_empty_so_nothing_waits_for_it(sandbox):
    result = sandbox.run(["python", "-c", "input('name? ')"])
    assert "EOFError" in result.output
    assert not result.timed_out


def test_no_file_descriptor_of_ours_reaches_a_command(sandbox):
    code = "import os; print([fd for fd in os.listdir('/proc/self/fd') if int(fd) > 2])"
    # The one left is the listing itself.
    assert len(sandbox.run(["python", "-c", code]).output.split(",")) == 1


def test_a_deadline_kills_the_whole_tree_and_keeps_the_output(sandbox):
    script = "echo $$; sleep 300 & echo $!; setsid sleep 301 & echo $!; env -i setsid sleep 302 & echo $!; sleep 303"
    started = time.monotonic()
    result = sandbox.run(["bash", "-c", script], timeout_s=1.0)
    assert time.monotonic() - started < 8
    assert (result.killed, result.exit_code, result.timed_out) == ("timeout", None, True)
    assert result.status_line(sandbox.limits) == "killed after 1 s"
    pids = pids_in(result.output)
    assert len(pids) == 4
    assert not any(map(alive, pids))


def test_processes_left_behind_are_killed_when_the_command_ends(sandbox):
    result = sandbox.run(["bash", "-c", "setsid sleep 300 & echo $!; (env -i setsid sleep 301 & echo $!); exit 0"])
    assert result.exit_code == 0
    assert result.survivors == 2
    assert not any(map(alive, pids_in(result.output)))
    assert "2 background process(es) were killed" in result.status_line(sandbox.limits)


def test_a_command_that_kills_its_supervisor_leaves_nothing(sandbox):
    result = sandbox.run(["bash", "-c", "setsid sleep 300 & echo $!; kill -9 $PPID; sleep 301"])
    assert result.killed == "supervisor"
    assert not any(map(alive, pids_in(result.output)))
    assert sandbox.run(["echo", "well"]).output == "well\n"


def test_a_command_that_stops_its_supervisor_is_killed_with_its_tree(sandbox, monkeypatch):
    monkeypatch.setattr("trajlog.harness.sandbox.process.CLOSE_WITHIN_S", 0.5)
    script = (
        "(env -i setsid sleep 300 & echo $!); sleep 300 & echo $!; kill -STOP $(ps -o ppid= $PPID) $PPID; sleep 9"
    )
    result = sandbox.run(["bash", "-c", script], timeout_s=1.0)
    assert result.killed == "timeout"
    pids = pids_in(result.output)
    assert len(pids) == 2
    assert not any(map(alive, pids))


def test_signals_that_ask_for_an_end_are_ignored_yet_the_deadline_holds(sandbox):
    code = "import signal,time\nfor s in (2,15,1): signal.signal(s, signal.SIG_IGN)\nprint('deaf')\ntime.sleep(300)"
    result = sandbox.run(["python", "-c", code], timeout_s=1.0)
    assert result.timed_out
    assert result.output == "deaf\n"


def test_an_endless_print_is_cut_and_killed_with_head_and_tail_kept():
    with LocalSandbox({}, Limits(kept_output_bytes=1000, max_output_bytes=2 * MiB)) as made:
        result = made.run(["bash", "-c", "echo first; yes abcdefg"])
    assert result.killed == "output"
    assert result.output.startswith("first\nabcdefg")
    assert len(result.output) < 1100
    assert result.truncated_bytes > 2 * MiB - 1000


def test_an_endless_line_is_cut_too():
    with LocalSandbox({}, Limits(kept_output_bytes=1000)) as made:
        result = made.run(["python", "-c", "print('é' * 100_000)"])
    assert result.exit_code == 0
    assert 199_001 <= result.truncated_bytes <= 199_003  # a character that the cut split goes as a whole
    assert "\ufffd" not in result.output


def test_memory_is_limited_for_one_process(sandbox):
    result = sandbox.run(["python", "-c", "bytearray(2 * 10**9)"])
    assert "MemoryError" in result.output


def test_memory_is_limited_for_the_tree():
    code = "import os, time\nos.fork(); os.fork()\ndata = b'x' * (60 * 2**20)\ntime.sleep(60)"
    with LocalSandbox({}, Limits(memory_bytes=150 * MiB, timeout_s=40)) as made:
        result = made.run(["python", "-c", code])
    assert result.killed == "memory"
    assert result.status_line(made.limits) == "killed: more than 150 MiB of memory"


def test_the_number_of_processes_is_limited():
    with LocalSandbox({}, Limits(max_processes=10)) as made:
        result = made.run(["bash", "-c", "for i in $(seq 30); do sleep 300 & done; wait"])
        assert result.killed == "processes"
        assert made.run(["echo", "well"]).output == "well\n"


def test_the_size_of_a_file_is_limited():
    with LocalSandbox({}, Limits(file_bytes=MiB)) as made:
        result = made.run(["python", "-c", "open('big', 'wb').write(b'x' * 3 * 2**20)"])
        assert "File too large" in result.output
        assert (made.workspace.root / "big").stat().st_size <= MiB


def test_a_removed_workspace_is_made_again(sandbox):
    sandbox.run(["bash", "-c", "rm -rf $PWD"])
    assert sandbox.run(["pwd"]).output.strip() == str(sandbox.workspace.root)


def test_a_report_has_no_path_and_comes_back(sandbox):
    result = sandbox.run(["bash", "-c", "echo seen; echo hidden >&{report}"], report=True)
    assert result.output == "seen\n"
    assert result.report == b"hidden\n"


def test_a_started_process_talks_over_its_channel_and_dies_with_the_sandbox():
    code = "import os, socket, sys\ns = socket.socket(fileno=int(sys.argv[1]))\nprint(os.getpid(), flush=True)\n" + (
        "while data := s.recv(100):\n    s.sendall(data.upper())"
    )
    with LocalSandbox({"echo.py": code.encode()}) as made:
        process = made.start(["python", "echo.py", "{channel}"])
        process.send(b"hello")
        assert process.receive(10.0) == b"HELLO"
        assert process.receive(0.1) == b""
        assert made.run(["echo", "meanwhile"]).output == "meanwhile\n"
        process.send(b"again")
        assert process.receive(10.0) == b"AGAIN"
        (pid,) = pids_in(process.output.text())
        assert alive(pid)
    assert not alive(pid)


def test_a_signal_reaches_the_main_process_of_a_started_command(sandbox):
    code = (
        "import signal, time\nsignal.signal(2, lambda *_: print('got 2', flush=True))\nprint('ready', flush=True)\n"
        + ("while True: time.sleep(60)")
    )
    process = sandbox.start(["python", "-c", code])
    deadline = time.monotonic() + 20
    while "ready" not in process.output.text() and time.monotonic() < deadline:
        process.pump(0.05)
    process.signal(2)
    while "got 2" not in process.output.text() and time.monotonic() < deadline:
        process.pump(0.05)
    assert process.output.text() == "ready\ngot 2\n"
    process.signal(9)
    assert process.pump(20.0)
    assert process.close().exit_code == 137
    process.signal(9)  # it has ended: nothing happens


def test_cancel_from_another_thread_ends_a_command(sandbox):
    timer = threading.Timer(0.3, sandbox.cancel)
    timer.start()
    started = time.monotonic()
    with pytest.raises(SandboxError, match="cancelled"):
        sandbox.run(["sleep", "300"])
    timer.join()
    assert time.monotonic() - started < 8
    with pytest.raises(SandboxError, match="cancelled"):
        sandbox.run(["echo"])


def test_nothing_is_left_after_close():
    with LocalSandbox({"a": b""}) as made:
        made.run(["bash", "-c", "mkdir -p locked/in && chmod 000 locked; mkfifo pipe; ln -s / root"])
        base = made._base
    assert not base.exists()


def test_folders_nested_too_deep_for_recursion_are_removed():
    with LocalSandbox({}) as made:
        code = "import os\nfor _ in range(1500):\n    os.mkdir('d'); os.chdir('d')"
        assert made.run(["python", "-c", code]).exit_code == 0
        assert made.workspace.files() == []
        base = made._base
    assert not base.exists()


def test_a_killed_harness_leaves_no_process(tmp_path):
    code = (
        "from trajlog.harness.sandbox import LocalSandbox\n"
        "LocalSandbox({}).run(['bash', '-c', 'echo $$ > pid; setsid sleep 300 & echo $! >> pid; sleep 301'])\n"
    )
    env = os.environ | {"TMPDIR": str(tmp_path)}
    harness = subprocess.Popen([sys.executable, "-c", code], env=env)
    deadline = time.monotonic() + 30
    pids: list[int] = []
    while len(pids) < 2 and time.monotonic() < deadline:
        pids = [int(pid) for file in tmp_path.glob("trajlog-box-*/w/pid") for pid in file.read_text().split()]
        time.sleep(0.02)
    harness.kill()
    harness.wait()
    assert len(pids) == 2
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not any(map(alive, pids))

    # The next harness removes the directory that the killed one left, and no other.
    (left,) = tmp_path.glob("trajlog-box-*")
    with_other_names = tmp_path / "trajlog-box-not-ours"
    with_other_names.mkdir()
    subprocess.run([sys.executable, "-c", code.replace("setsid", "exit;")], env=env, check=True)
    assert not left.exists()
    assert with_other_names.exists()


def test_a_living_sandbox_is_not_taken_for_an_abandoned_one(sandbox):
    remove_abandoned.__wrapped__(str(sandbox._base.parent))
    assert sandbox.run(["echo", "well"]).output == "well\n"


def test_a_folder_that_cannot_be_made_is_an_error_that_says_what_to_do(monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", "/proc/none")
    with pytest.raises(SandboxError, match="set TMPDIR"):
        LocalSandbox({})


def test_limits_must_be_above_zero():
    with pytest.raises(ValueError, match=r"Limits.cpu_s is 0"):
        Limits(cpu_s=0)
