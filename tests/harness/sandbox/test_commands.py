"""What every sandbox promises about commands, on both kinds."""

import threading
import time

import pytest
from harness.sandbox.boxes import are_gone, living, numbers, open_descriptors, pump_until

from trajlog.errors import SandboxError
from trajlog.harness.output import BoundedOutput
from trajlog.harness.sandbox import Limits
from trajlog.harness.sandbox.base import MiB

ECHO = """import os, socket, sys
channel = socket.socket(fileno=int(sys.argv[1]))
print(os.getpid(), flush=True)
while data := channel.recv(1 << 16):
    channel.sendall(data.upper())
"""


def test_a_command_runs_with_its_files_and_its_exit_code(sandbox):
    result = sandbox.run(["bash", "-c", "python hello.py; cat missing; exit 3"])
    assert result.output.startswith("hi\n")
    assert "missing" in result.output
    assert (result.exit_code, result.killed, result.truncated_bytes) == (3, None, 0)


def test_files_survive_from_one_command_to_the_next(sandbox):
    sandbox.run(["bash", "-c", "mkdir -p deep; echo one > deep/file"])
    assert sandbox.run(["cat", "deep/file"]).output == "one\n"
    assert sandbox.workspace.read("deep/file") == b"one\n"


def test_output_keeps_the_order_of_stdout_and_stderr(sandbox):
    script = "for i in 1 2 3; do echo out $i; echo err $i >&2; done"
    assert sandbox.run(["bash", "-c", script]).output == "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n"


def test_death_by_a_signal_is_128_and_its_number(sandbox):
    assert sandbox.run(["python", "-c", "import os; os.kill(os.getpid(), 11)"]).exit_code == 139


def test_a_program_that_is_not_there_is_an_exit_code(sandbox):
    result = sandbox.run(["no-such-program"])
    assert (result.exit_code, result.output) == (127, "no-such-program is not installed in the sandbox")


def test_arguments_that_do_not_fit_are_an_exit_code(sandbox):
    result = sandbox.run(["echo", "x" * (3 * MiB)])
    assert (result.exit_code, result.killed) == (126, None)
    assert "long" in result.output


def test_the_environment_is_made_anew(sandbox, monkeypatch):
    monkeypatch.setenv("API_TOKEN", "secret")
    output = sandbox.run(["env"]).output
    assert "secret" not in output
    names = {line.partition("=")[0] for line in output.splitlines()}
    assert {"PATH", "HOME", "TMPDIR", "PYTHONHASHSEED"} <= names <= set(sandbox._command()["env"])


def test_the_seed_fixes_the_hash_of_text(make):
    def digest(seed):
        with make(seed=seed) as made:
            return made.run(["python", "-c", "print(hash('text'))"]).output

    assert digest(1) == digest(1) != digest(2)


def test_stdin_is_empty_so_nothing_waits_for_it(sandbox):
    result = sandbox.run(["python", "-c", "input('name? ')"])
    assert "EOFError" in result.output
    assert not result.timed_out


def test_no_file_descriptor_of_ours_reaches_a_command(sandbox):
    beside = sandbox.start(["sleep", "60"])
    code = "import os; print([fd for fd in os.listdir('/proc/self/fd') if int(fd) > 2])"
    # The one left is the listing itself.
    assert len(sandbox.run(["python", "-c", code]).output.split(",")) == 1
    beside.close()


def test_commands_are_no_terminal_and_lead_their_own_session(sandbox):
    code = "import os; print(os.isatty(0), os.isatty(1), os.getsid(0) == os.getpid())"
    assert sandbox.run(["python", "-c", code]).output == "False False True\n"


def test_a_report_has_no_path_and_comes_back(sandbox):
    result = sandbox.run(["bash", "-c", "echo seen; echo hidden >&{report}"], report=True)
    assert result.output == "seen\n"
    assert result.report == b"hidden\n"


def test_a_large_report_comes_back_whole(sandbox):
    code = "import os, sys; os.write(int(sys.argv[1]), b'x' * 3_000_000)"
    assert sandbox.run(["python", "-c", code, "{report}"], report=True).report == b"x" * 3_000_000


def test_what_is_kept_of_the_output_can_be_said_for_one_command(sandbox):
    result = sandbox.run(["python", "-c", "print('x' * 50_000)"], kept_output_bytes=100)
    assert len(result.output) < 200
    assert result.truncated_bytes == 49_901


def test_a_started_process_talks_over_its_channel_and_dies_with_the_sandbox(make):
    with make({"echo.py": ECHO.encode()}) as made:
        process = made.start(["python", "echo.py", "{channel}"])
        process.send(b"hello")
        assert process.receive(10.0) == b"HELLO"
        assert process.receive(0.1) == b""
        assert made.run(["echo", "meanwhile"]).output == "meanwhile\n"
        process.send(b"again")
        assert process.receive(10.0) == b"AGAIN"
        assert len(numbers(process.output.text())) == 1
    assert process.pump(0.0)
    assert process.close().killed == "sandbox"


def test_a_channel_carries_more_than_its_buffers_hold_in_both_directions(make):
    with make({"echo.py": ECHO.encode()}) as made:
        process = made.start(["python", "echo.py", "{channel}"])
        process.send(b"x" * 3_000_000)
        received = 0
        while received < 3_000_000 and (data := process.receive(10.0)):
            received += len(data)
    assert received == 3_000_000


def test_what_a_process_sent_before_it_ended_is_received(sandbox):
    code = "import socket, sys; socket.socket(fileno=int(sys.argv[1])).sendall(b'x' * 100_000)"
    for _ in range(5):
        process = sandbox.start(["python", "-c", code, "{channel}"])
        received = 0
        while data := process.receive(10.0):
            received += len(data)
        assert received == 100_000
        assert process.close().exit_code == 0


def test_a_flooded_channel_costs_bounded_memory_and_ends_the_process(make):
    code = "import socket, sys\ns = socket.socket(fileno=int(sys.argv[1]))\nwhile True: s.sendall(b'x' * 65536)"
    with make({}) as made:
        process = made.start(["python", "-c", code, "{channel}"])
        assert process.pump(30.0)
        assert process.close().killed == "output"


def test_what_a_started_process_leaves_behind_dies_with_it_and_not_before(sandbox):
    process = sandbox.start(["bash", "-c", "(env -i setsid sleep 300 & echo $!); echo $$; exec sleep 301"])
    pump_until(process, "\n")
    while len(pids := numbers(process.output.text())) < 2:
        process.pump(0.05)
    sandbox.run(["bash", "-c", "setsid sleep 302 & exit 0"])
    assert living(sandbox, pids) == pids
    process.close()
    assert are_gone(sandbox, pids)


def test_a_signal_reaches_the_main_process_of_a_started_command(sandbox):
    code = """import signal, time
signal.signal(2, lambda *_: print('got 2', flush=True))
print('ready', flush=True)
while True: time.sleep(60)"""
    process = sandbox.start(["python", "-c", code])
    pump_until(process, "ready")
    process.signal(2)
    pump_until(process, "got 2")
    process.signal(9)
    assert process.pump(20.0)
    assert process.close().exit_code == 137
    process.signal(9)  # it has ended: nothing happens


def test_a_started_process_that_prints_while_nobody_reads_waits(sandbox):
    process = sandbox.start(["bash", "-c", "yes | head -c 5000000; echo done"])
    assert sandbox.run(["echo", "meanwhile"]).output == "meanwhile\n"
    process.output = BoundedOutput(100)
    assert process.pump(30.0)
    assert process.output.text().endswith("done\n")


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


def test_a_command_that_locks_itself_out_is_let_in_again(sandbox):
    sandbox.run(["bash", "-c", "chmod 000 ."])
    assert sandbox.run(["bash", "-c", "stat -c %a . && cat hello.py"]).exit_code == 0
    assert sandbox.workspace.exists("hello.py")


def test_a_removed_workspace_is_made_again_or_stays(sandbox):
    sandbox.run(["bash", "-c", "rm -rf $PWD"])
    assert sandbox.run(["pwd"]).output.strip() == str(sandbox.workspace.root)
    assert not sandbox.workspace.exists("hello.py")


def test_the_harness_s_own_programs_lie_where_code_says(sandbox):
    result = sandbox.run([sandbox.python, "-P", "-s", "-m", "py_compile", str(sandbox.code / "pytest_runner.py")])
    assert "No such file" not in result.output
    assert sandbox.run([sandbox.python, "-P", "-c", "import pytest"]).exit_code == 0


def test_closing_twice_is_no_error_and_leaves_no_descriptor(make):
    make().close()  # what is made once per process is made now
    before = open_descriptors()
    with make({"a": b""}) as made:
        made.run(["bash", "-c", "mkdir -p locked/in && chmod 000 locked; mkfifo pipe; ln -s / root"])
        made.start(["sleep", "300"])
    made.close()
    assert open_descriptors() == before


def test_limits_must_be_above_zero():
    with pytest.raises(ValueError, match=r"Limits.cpu_s is 0"):
        Limits(cpu_s=0)
