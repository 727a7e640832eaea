"""What broke other harnesses, as their issue threads tell it; here it has a stated behaviour on both kinds."""

import contextlib
import gc
import socket
import threading
import time

import pytest
from harness.sandbox.boxes import are_gone, make_docker, make_local, numbers, open_descriptors
from harness.tiny_task import calc_task

from trajlog.errors import SandboxError
from trajlog.harness.episode import ToolSession
from trajlog.harness.sandbox import Limits
from trajlog.harness.sandbox.base import MiB


def test_an_endless_loop_is_killed_inside_before_the_answer_comes(sandbox):
    result = sandbox.run(["python", "-c", "import os\nprint(os.getpid(), flush=True)\nwhile True: pass"], timeout_s=1.0)
    assert result.killed == "timeout"
    assert are_gone(sandbox, numbers(result.output), within_s=0.0)


def test_what_was_printed_before_a_hang_is_kept(sandbox):
    result = sandbox.run(["bash", "-c", "seq 1000; sleep 300"], timeout_s=1.0)
    assert result.output.startswith("1\n2\n")
    assert result.output.endswith("999\n1000\n")
    assert result.status_line(sandbox.limits) == "killed after 1 s"


@pytest.mark.docker
def test_a_container_that_ended_ends_the_commands_without_an_error_of_ours():
    with make_docker({"a.py": b"1"}) as made:
        process = made.start(["sleep", "300"])
        made._client.kill(made.container)
        for _ in range(2):
            result = made.run(["echo", "well"])
            assert (result.killed, result.exit_code, result.output) == ("sandbox", None, "")
        assert process.pump(5.0)
        assert process.close().killed == "sandbox"
        assert made.start(["true"]).close().killed == "sandbox"
        assert not made.workspace.exists("a.py")
        assert made.workspace.files() == []


@pytest.mark.docker
def test_an_engine_that_does_not_answer_is_an_error_of_ours(monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    with pytest.raises(SandboxError, match="no Docker engine answers at"):
        make_docker()


@pytest.mark.docker
def test_an_episode_whose_container_ended_is_graded_on_the_task_s_own_files():
    task = calc_task()
    with make_docker(task.workspace) as made, ToolSession(task, made) as session:
        assert not session.call("edit_file", {"path": "calc.py", "old_str": "a - b", "new_str": "a + b"}).is_error
        made._client.kill(made.container)
        answer = session.call("bash", {"command": "echo well"})
        assert answer.is_error
        assert answer.content == "[the sandbox has ended: a command used up or ended all of it]"
        assert session.call("read_file", {"path": "calc.py"}).is_error
        assert session.call("run_tests", {}).is_error
        verdict = session.judge(make_docker)
    assert not verdict.grade.solved
    assert verdict.grade.tests_passed == 1


class Relay:
    """Stands between the harness and its engine, at `path`, until it is cut."""

    def __init__(self, path):
        self.path = path
        self._open = []
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(path)
        self._server.listen()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._server.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect("/var/run/docker.sock")
                self._open += [near, far]
                for ends in ((near, far), (far, near)):
                    self._threads.append(threading.Thread(target=self._copy, args=ends))
                    self._threads[-1].start()

    def _copy(self, source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def cut(self):
        for end in (self._server, *self._open):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in (self._server, *self._open):
            end.close()


@pytest.mark.docker
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # see the last line
def test_an_engine_lost_while_a_command_runs_is_an_error_of_ours(tmp_path, monkeypatch):
    relay = Relay(str(tmp_path / "engine"))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{relay.path}")
    made = make_docker()
    process = made.start(["sleep", "300"])
    timer = threading.Timer(0.5, relay.cut)
    timer.start()
    with pytest.raises(SandboxError, match="the Docker engine failed"):
        made.run(["sleep", "300"])
    timer.join()
    assert process.pump(0.0)
    with pytest.raises(SandboxError, match="the Docker engine failed"):
        made.run(["true"])
    with pytest.raises(SandboxError, match="the Docker engine failed"):
        made.close()  # the engine itself ends the container, whose keeper was cut off too
    gc.collect()  # a client that cannot connect leaves its sockets to the collector


def test_a_local_sandbox_whose_folder_was_removed_goes_on_empty():
    with make_local({"a.py": b"1"}) as made:
        made.run(["bash", "-c", "cd /; rm -rf $(dirname $TMPDIR)"])
        result = made.run(["bash", "-c", "pwd; ls | wc -l; python -c 'print(1)'"])
        assert result.output == f"{made.workspace.root}\n0\n1\n"


def test_a_command_that_ends_as_its_deadline_comes_keeps_its_output_and_no_descriptor(sandbox):
    sandbox.run(["true"])
    before = open_descriptors()
    for number in range(12):
        result = sandbox.run(["bash", "-c", f"echo {number}; sleep 0.1"], timeout_s=0.1 + 0.002 * number)
        assert result.output == f"{number}\n"
        assert (result.killed, result.exit_code) in (("timeout", None), (None, 0))
    assert open_descriptors() == before


def test_a_grandchild_that_grows_after_the_command_s_deadline_is_killed_with_it(make):
    code = """import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        kept = []
        while True:
            kept.append(b"x" * 2**20)
            time.sleep(0.05)
    os._exit(0)
time.sleep(300)"""
    with make(limits=Limits(memory_bytes=400 * MiB)) as made:
        result = made.run(["python", "-c", code], timeout_s=1.0)
        assert result.killed == "timeout"
        assert are_gone(made, numbers(result.output))


def test_an_endless_print_is_stopped_at_a_byte_cap(make):
    with make(limits=Limits(kept_output_bytes=2000, max_output_bytes=MiB)) as made:
        result = made.run(["python", "-c", "while True: print('1234567890')"])
    assert result.killed == "output"
    assert result.output.startswith("1234567890\n")
    assert result.output.endswith("0\n") or result.output.rstrip()[-1].isdigit()


def test_a_test_that_takes_all_memory_is_told_as_memory(make):
    test = b"def test_loop():\n    kept = []\n    while True: kept.append(bytearray(2**20))\n"
    limits = Limits(memory_bytes=200 * MiB)
    with make({"test_loop.py": test}, limits) as made:
        result = made.run(["pytest", "-q", "-p", "no:cacheprovider"])
        assert result.killed == "memory" or "MemoryError" in result.output
        assert made.run(["echo", "well"]).output == "well\n"


def test_characters_that_reads_split_come_out_whole(sandbox):
    code = """import os
for byte in ("日本語é" * 40).encode():
    os.write(1, bytes([byte]))
os.write(1, b"\\xff")"""
    assert sandbox.run(["python", "-c", code]).output == "日本語é" * 40 + "\ufffd"


def test_silence_is_not_an_end(sandbox):
    result = sandbox.run(["bash", "-c", "sleep 1.5; echo after the silence"])
    assert (result.output, result.exit_code) == ("after the silence\n", 0)


def test_a_program_that_asks_for_ever_meets_the_deadline(sandbox):
    code = """while True:
    try:
        input("name? ")
    except EOFError:
        pass"""
    started = time.monotonic()
    result = sandbox.run(["python", "-c", code], timeout_s=1.0)
    assert result.killed in ("timeout", "output")
    assert result.output.startswith("name? name? ")
    assert time.monotonic() - started < 10
