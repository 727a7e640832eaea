"""What programs do that debuggers stumble over; each has a behaviour that docs/harness.md states."""

import psutil
import pytest
from harness.debugger.kinds import both_kinds
from harness.sandbox.boxes import living

from trajlog.harness.sandbox import Limits


@both_kinds
def test_a_program_that_prints_a_prompt_or_reads_stdin_confuses_nobody(debug, first_line):
    source = "print('(Pdb) ', end='')\ntry:\n    input('(Pdb) ')\nexcept EOFError:\n    x = 1\ny = 2\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 6)
    stop = session.continue_execution()
    assert first_line(stop) == "stopped at a.py:6 in <module>, thread MainThread (breakpoint 1)"
    assert stop.text.endswith("output:\n(Pdb) (Pdb) ")
    assert session.run_expression("x").text == "1"


@pytest.mark.parametrize(
    "call",
    [
        "breakpoint()",
        "import os; os.environ['PYTHONBREAKPOINT'] = 'nowhere.nothing'; breakpoint()",
        "import os; os.environ['PYTHONBREAKPOINT'] = '0'; breakpoint()",
        "import pdb; pdb.set_trace()",
        "import pdb; pdb.Pdb().set_trace()",
    ],
)
def test_a_breakpoint_call_in_the_code_stops_there_and_reads_nothing(debug, first_line, call):
    session = debug({"a.py": f"def f(x):\n    {call}\n    return x\n\nf(1)\n"}, "a.py")
    stop = first_line(session.continue_execution())
    assert stop == "stopped at a.py:2 in f, thread MainThread (breakpoint() in the code)"
    assert session.examine_locals().text.startswith("x = 1")
    assert first_line(session.step("over")) == "stopped at a.py:3 in f, thread MainThread (step)"
    assert session.continue_execution().text == "the program ended with exit code 0"


def test_a_breakpoint_call_in_a_test_stops_there(debug, first_line):
    session = debug({"test_a.py": "def test_a():\n    x = 1\n    breakpoint()\n"}, "test_a.py", is_test=True)
    stop = first_line(session.continue_execution())
    assert stop == "stopped at test_a.py:3 in test_a, thread MainThread (breakpoint() in the code)"
    assert "PASSED" in session.continue_execution().text


@both_kinds
def test_a_forked_child_runs_free_and_its_breakpoint_calls_do_nothing(debug):
    source = (
        "import os\n\ndef work():\n    breakpoint()\n    return 7\n\npid = os.fork()\nif pid == 0:\n"
        "    raise SystemExit(work())\nstatus = os.waitpid(pid, 0)[1]\nprint(os.waitstatus_to_exitcode(status))\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 5)
    assert session.continue_execution().text == (
        "the program ended with exit code 0\n"
        "breakpoint 1 at a.py:5 was never hit; its function work was entered 0 times\noutput:\n7"
    )


@both_kinds
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_a_process_pool_works_and_its_workers_run_free(debug, first_line, method):
    source = (
        "import multiprocessing as mp\n\ndef square(x):\n    return x * x\n\nif __name__ == '__main__':\n"
        f"    with mp.get_context('{method}').Pool(2) as pool:\n        result = pool.map(square, [1, 2, 3])\n"
        "    print(result)\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4)
    session.add_breakpoint("a.py", 9)
    assert first_line(session.continue_execution()) == "stopped at a.py:9 in <module>, thread MainThread (breakpoint 2)"
    assert session.run_expression("result").text == "[1, 4, 9]"
    assert "was entered 0 times" in session.continue_execution().text


def test_breakpoint_calls_in_a_spawned_worker_do_nothing(debug):
    source = (
        "import multiprocessing as mp\n\ndef square(x):\n    breakpoint()\n    return x * x\n\n"
        "if __name__ == '__main__':\n    with mp.get_context('spawn').Pool(2) as pool:\n"
        "        print(pool.map(square, [1, 2, 3]))\n"
    )
    assert debug({"a.py": source}, "a.py").continue_execution().text == (
        "the program ended with exit code 0\noutput:\n[1, 4, 9]"
    )


@both_kinds
def test_turning_tracing_off_is_said_at_the_end(debug):
    session = debug({"a.py": "import sys\nsys.settrace(None)\ndef f():\n    x = 1\nf()\n"}, "a.py")
    session.add_breakpoint("a.py", 4)
    end = session.continue_execution().text
    assert "breakpoint 1 at a.py:4 was never hit" in end
    assert "tracing ended before the program (sys.settrace or RecursionError); breakpoints were missed" in end


@both_kinds
def test_tracing_lost_in_one_test_is_there_again_in_the_next(debug, first_line):
    source = (
        "import sys\n\ndef deep():\n    return deep()\n\ndef test_a():\n    try:\n        deep()\n"
        "    except RecursionError:\n        pass\n    sys.settrace(None)\n\ndef test_b():\n    x = 1\n"
    )
    session = debug({"test_a.py": source}, "test_a.py", is_test=True)
    session.add_breakpoint("test_a.py", 14)
    assert first_line(session.continue_execution()).startswith("stopped at test_a.py:14 in test_b")
    assert "tracing ended" in session.continue_execution().text


def test_quitting_is_not_caught_by_the_program(debug):
    source = "import time\nwhile True:\n    try:\n        x = 1\n    except:\n        pass\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4)
    session.continue_execution()
    assert session.stop().text == "the debugger is stopped."
    assert session.state == "exited"


@both_kinds
def test_a_program_that_holds_the_interpreter_shows_where_and_can_be_stopped(debug, short, first_line, still_running):
    source = "print('before')\ndef spin():\n    sum(range(10**11))\n\nspin()\n"
    session = debug({"spin.py": source}, "spin.py", timeout_s=0.5, deadlines=short)
    reply = still_running(session, "a thread is at spin.py:3 in spin < spin.py:5 in <module>")
    assert first_line(reply).startswith("still running after 0.5 s (timeout)")
    assert reply.text.endswith("output:\nbefore")
    refused = session.interrupt()
    assert first_line(refused).startswith("still running and does not give way")
    assert "spin.py:3 in spin" in refused.text
    assert session.stop().text == "the debugger is stopped."


@both_kinds
def test_catastrophic_backtracking_is_interrupted_where_it_is(debug, short, first_line, still_running):
    source = "import re\ndef match(text):\n    return re.match('(a+)+$', text)\n\nmatch('a' * 40 + 'b')\n"
    session = debug({"a.py": source}, "a.py", timeout_s=0.5, deadlines=short)
    still_running(session, "a.py:3 in match")
    assert first_line(session.interrupt()) == "stopped at a.py:3 in match, thread MainThread (interrupt)"
    assert session.run_expression("len(text)").text == "41"


@both_kinds
@pytest.mark.parametrize("waits", ["time.sleep(60)", "threading.Lock().acquire() and lock.acquire()", "queue.get()"])
def test_a_wait_is_interrupted_where_it_is_and_goes_on_after(debug, first_line, still_running, waits):
    source = (
        "import queue as q, threading, time\nlock, queue = threading.Lock(), q.Queue()\nlock.acquire()\n"
        f"def wait(n):\n    {waits}\n\nwait(3)\n"
    )
    session = debug({"a.py": source}, "a.py", timeout_s=0.5)
    still_running(session, "a.py:5 in wait")
    assert first_line(session.interrupt()) == "stopped at a.py:5 in wait, thread MainThread (interrupt)"
    assert session.examine_locals().text == "n = 3"
    assert first_line(session.continue_execution()).startswith("still running")


@both_kinds
def test_a_loop_is_interrupted_and_stepped(debug, first_line):
    session = debug({"a.py": "n = 0\nwhile True:\n    n += 1\n    n += 2\n"}, "a.py", timeout_s=0.4)
    session.continue_execution()
    assert first_line(session.interrupt()).endswith("in <module>, thread MainThread (interrupt)")
    assert first_line(session.step("over")).endswith("in <module>, thread MainThread (step)")
    assert int(session.run_expression("n").text) > 0


@both_kinds
def test_a_program_that_runs_longer_than_the_deadline_is_waited_for(debug, first_line):
    session = debug({"slow.py": "import time\ntime.sleep(1.2)\nx = 1\n"}, "slow.py", timeout_s=0.8)
    session.add_breakpoint("slow.py", 3)
    assert first_line(session.continue_execution()).startswith("still running")
    for refused in (session.examine_locals, session.where):
        assert "the program is running" in refused().text
    assert "the program is running" in session.step("over").text
    reply = session.continue_execution()
    while session.state == "running":
        reply = session.continue_execution()
    assert first_line(reply).startswith("stopped at slow.py:3 in <module>")


@both_kinds
def test_a_breakpoint_can_be_added_while_the_program_runs(debug, first_line):
    source = "import time\ndef f(n):\n    return n + 1\n\nn = 0\nwhile True:\n    n = f(n)\n    time.sleep(0.01)\n"
    session = debug({"a.py": source}, "a.py", timeout_s=0.4)
    assert first_line(session.continue_execution()).startswith("still running")
    added = session.add_breakpoint("a.py", 3).text
    assert added.startswith("breakpoint 1 at a.py:3: return n + 1")
    if "meanwhile" not in added:
        assert first_line(session.continue_execution()).startswith("stopped at a.py:3 in f")
    assert session.state == "stopped"


@both_kinds
def test_endless_prints_cost_bounded_memory_and_end_the_program(debug):
    source = "while True:\n    print('1234567890' * 100)\n"
    limits = Limits(timeout_s=20.0, max_output_bytes=4 * 1024 * 1024)
    session = debug({"a.py": source}, "a.py", limits=limits)
    before = psutil.Process().memory_info().rss
    reply = session.continue_execution()
    assert "the program ended abruptly: killed: printed more than 4 MiB" in reply.text
    assert len(reply.text) < 2500
    assert psutil.Process().memory_info().rss - before < 16 * 1024 * 1024


@both_kinds
def test_a_character_split_over_two_replies_is_whole(debug):
    source = "import os\nos.write(1, 'é'.encode()[:1])\nx = 1\nos.write(1, 'é!'.encode()[1:])\ny = 2\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 3)
    session.add_breakpoint("a.py", 5)
    assert "output" not in session.continue_execution().text
    assert session.continue_execution().text.endswith("output:\né!")


def test_output_is_bounded_and_split_characters_are_whole(debug):
    source = (
        "import os\nfor byte in ('é' * 3).encode():\n    os.write(1, bytes([byte]))\nos.write(1, b'\\xff')\nx = 1\n"
        "print('x' * 10**6)\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 5)
    assert session.continue_execution().text.endswith("output:\néé\u00e9\ufffd")
    assert len(session.continue_execution().text) < 2300


@pytest.mark.parametrize(
    "forged", [rb"\0\0\0\2{]", rb"\xff\xff\xff\xff", rb'\0\0\0\x0c{"event": 1}', rb"\0\0\0\3\xff\xfe{"]
)
def test_a_program_that_writes_to_our_channel_ends_its_session_and_nothing_else(debug, forged):
    source = b"import os\nfor fd in range(3, 99):\n try:\n  os.write(fd, b'%s')\n except OSError:\n  pass\n"
    session = debug({"a.py": source % forged}, "a.py")
    reply = session.continue_execution()
    assert reply.is_error
    assert reply.text.startswith("the program wrote into the debugger's channel, so the session ended")
    assert session.state == "exited"
    assert "loaded" in session.start("a.py").text


@both_kinds
def test_a_program_that_closes_all_descriptors_ends_its_session_with_the_reason(debug):
    source = "import os\nos.closerange(3, 256)\nfile = open('made.txt', 'a')\nx = 1\n"
    session = debug({"a.py": source, "made.txt": ""}, "a.py", timeout_s=5.0)
    session.add_breakpoint("a.py", 4)
    reply = session.continue_execution()
    assert "it closed or took over the descriptor that the debugger talks over" in reply.text
    assert session._sandbox.workspace.read("made.txt") == b""


def test_a_program_that_replaces_what_the_debugger_could_need_changes_nothing(debug, first_line):
    source = (
        "import builtins, io, json, os, sys, threading, time\n"
        "class Broken:\n    def __getattr__(self, name):\n        raise RuntimeError('broken')\n"
        "builtins.open = os.stat = os.getpid = time.sleep = time.time = json.dumps = threading.Lock = None\n"
        "os.path.realpath = os.fstat = threading.current_thread = None\n"
        "real, sys.stdout = sys.stdout, Broken()\nx = 1\ny = 2\nsys.stdout = real\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 8)
    assert first_line(session.continue_execution()).startswith("stopped at a.py:8 in <module>")
    assert session.add_breakpoint("a.py", 9).text.startswith("breakpoint 2")
    assert first_line(session.step("over")).startswith("stopped at a.py:9 in <module>")
    assert "MainThread is stopped" in session.list_threads().text
    assert session.run_expression("x").text == "1"


def test_code_without_a_file_is_passed_over(debug, first_line):
    source = "exec('def made():\\n    a = 1\\n    return a')\nx = eval('made()')\ny = 2\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    assert first_line(session.step("into")) == "stopped at a.py:3 in <module>, thread MainThread (step)"


@both_kinds
def test_memory_beyond_the_limit_is_an_answer(debug):
    source = "x = []\nwhile True:\n    x.append(bytearray(10**6))\n"
    session = debug({"a.py": source}, "a.py", limits=Limits(timeout_s=20.0, memory_bytes=200 * 1024 * 1024))
    reply = session.continue_execution().text
    assert "MemoryError" in reply or "killed: more than 200 MiB of memory" in reply


@both_kinds
def test_a_grandchild_in_a_session_of_its_own_ends_with_the_debugger(debug):
    source = (
        "import subprocess\np = subprocess.Popen(['sleep', '1000'], start_new_session=True)\nprint(p.pid, flush=True)\n"
        "x = 1\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4)
    pid = int(session.continue_execution().text.rpartition("output:\n")[2])
    assert living(session._sandbox, [pid])
    session.stop()
    assert not living(session._sandbox, [pid])
