import time

import psutil
import pytest
from harness.tiny_task import CALC

from trajlog.errors import SandboxError
from trajlog.harness.debugger.session import DebuggerSession
from trajlog.harness.sandbox import Limits, LocalSandbox

CART = b"""import threading


class Cart:
    def __init__(self):
        self.items = []

    def put(self, item):
        self.items.append(item)
        return len(self.items)


def fill(cart, count):
    for number in range(count):
        size = cart.put(number)
    return size


if __name__ == "__main__":
    mine = Cart()
    fill(mine, 3)
    print("filled", len(mine.items))
"""


@pytest.fixture
def debug():
    """Start a session on files: `debug({"a.py": b"..."}, "a.py", is_test=..., test=..., limits=...)`."""
    opened = []

    def start(files, path, limits=None, **options):
        sandbox = LocalSandbox(files, limits or Limits(timeout_s=20.0))
        opened.append(sandbox)
        session = DebuggerSession(sandbox, path, **options)
        session.opening = session.open()
        return session

    yield start
    for sandbox in opened:
        sandbox.close()


def first_line(reply):
    return reply.text.splitlines()[0]


def test_a_session_from_breakpoint_to_end(debug):
    session = debug({"cart.py": CART}, "cart.py")
    assert session.opening.text == "cart.py is loaded, not started. Add breakpoints, then continue_execution."
    assert session.state == "ready"
    assert session.add_breakpoint("cart.py", 9).text == "breakpoint 1 at cart.py:9: self.items.append(item)"
    stop = session.continue_execution()
    assert stop.text == (
        "stopped at cart.py:9 in Cart.put (breakpoint 1)\n"
        "   7\t\n   8\t    def put(self, item):\n-> 9\t        self.items.append(item)\n"
        "   10\t        return len(self.items)\n   11\t"
    )
    assert session.examine_locals().text == "self = Cart(items=[])\nitem = 0"
    assert session.run_expression("self.items + [item + n for n in range(2)]").text == "[0, 1]"
    assert first_line(session.step_over()) == "stopped at cart.py:10 in Cart.put (step)"
    assert session.step_over().text.startswith("stopped at cart.py:10 in Cart.put (return)\nput returns 1\n")
    assert first_line(session.step_over()) == "stopped at cart.py:14 in fill (step)"
    assert session.examine_locals().text == "cart = Cart(items=[0])\ncount = 3\nnumber = 0\nsize = 1"
    session.continue_execution()
    session.continue_execution()
    assert session.run_expression("item").text == "2"
    assert session.continue_execution().text == "the program ended with exit code 0\noutput:\nfilled 3"
    assert session.state == "exited"
    assert session.examine_locals().is_error


def test_a_condition_chooses_the_stop(debug):
    session = debug({"cart.py": CART}, "cart.py")
    assert session.add_breakpoint("cart.py", 9, "item == 2").text.startswith("breakpoint 1 at cart.py:9 if item == 2")
    session.continue_execution()
    assert session.run_expression("(item, self.items)").text == "(2, [0, 1])"
    assert session.add_breakpoint("cart.py", 9, "item ==").is_error


def test_lines_that_never_run_are_refused(debug):
    session = debug({"cart.py": CART}, "cart.py")
    reply = session.add_breakpoint("cart.py", 11)
    assert reply.is_error
    assert "line 11 of cart.py never runs: a blank line" in reply.text
    assert "not a file of the workspace" in session.add_breakpoint("cat.py", 1).text
    assert "not a file of the workspace" in session.add_breakpoint("../../../etc/hostname", 1).text


def test_breakpoints_never_hit_are_named_at_the_end(debug):
    session = debug({"cart.py": CART + b"\n\ndef unused():\n    return 1\n"}, "cart.py")
    session.add_breakpoint("cart.py", 26)
    assert "breakpoints never hit: cart.py:26" in session.continue_execution().text


def test_one_test_is_debugged_with_its_output_and_verdict(debug):
    session = debug(CALC.workspace, "test_calc.py", is_test=True, test="test_add")
    session.add_breakpoint("calc.py", 3)
    stop = session.continue_execution()
    assert first_line(stop) == "stopped at calc.py:3 in add (breakpoint 1)"
    assert stop.text.endswith("output:\nadding")
    assert session.examine_locals().text == "a = 1\nb = 2"
    end = session.continue_execution()
    assert end.text.startswith("the program ended with exit code 1\nFAILED test_calc.py::test_add\n")
    assert "assert -1 == 3" in end.text
    assert "test_zero" not in end.text


def test_a_breakpoint_in_a_thread_is_hit_and_stops_come_one_at_a_time(debug):
    source = CART.replace(
        b"    fill(mine, 3)\n",
        b"    threads = [threading.Thread(target=fill, args=(mine, 10)) for _ in range(8)]\n"
        b"    for t in threads: t.start()\n    for t in threads: t.join()\n",
    )
    session = debug({"cart.py": source}, "cart.py")
    session.add_breakpoint("cart.py", 10)
    stops = 0
    while "in Cart.put in thread Thread-" in first_line(reply := session.continue_execution()):
        assert session.run_expression("type(item)").text == "class int"
        stops += 1
    assert stops == 80
    assert reply.text.endswith("filled 80")


def test_an_uncaught_exception_ends_the_program_with_its_place(debug):
    session = debug({"bad.py": b"def f(x):\n    return 1 / x\n\nf(0)\n"}, "bad.py")
    end = session.continue_execution()
    assert end.text.startswith("the program ended with exit code 1\nZeroDivisionError: division by zero")
    assert "line 2, in f" in end.text
    assert "debuggee" not in end.text


def test_stepping_tells_of_an_exception(debug):
    session = debug(
        {"bad.py": b"def f(x):\n    return 1 / x\n\ntry:\n    f(0)\nexcept Exception:\n    x = 1\n"}, "bad.py"
    )
    session.add_breakpoint("bad.py", 2)
    session.continue_execution()
    assert "raised ZeroDivisionError: division by zero" in session.step_over().text
    assert "bad.py:" in first_line(session.step_over())


def test_a_program_that_runs_on_is_answered_running_and_can_be_stopped(debug):
    source = b"import os, time\nprint(os.getpid(), flush=True)\nwhile True:\n    time.sleep(0.05)\n"
    session = debug({"loop.py": source}, "loop.py", limits=Limits(timeout_s=1.0))
    reply = session.continue_execution()
    assert reply.text.startswith("still running after 1 s")
    assert session.state == "running"
    pid = session._pid
    assert f"output:\n{pid}\na thread is at loop.py:" in reply.text
    assert "the program is running" in session.examine_locals().text
    assert session.continue_execution().text.startswith("still running")
    assert session.stop().text == "the debugger is stopped."
    assert not psutil.pid_exists(pid)
    assert session.stop().text == "the program had already ended."


def test_a_deadlock_shows_where_each_thread_is(debug):
    source = b"""import threading

first, second = threading.Lock(), threading.Lock()
both = threading.Barrier(2)

def work(mine, other):
    with mine:
        both.wait()
        with other:
            pass

threads = [threading.Thread(target=work, args=pair) for pair in ((first, second), (second, first))]
for t in threads: t.start()
for t in threads: t.join()
"""
    session = debug({"lock.py": source}, "lock.py", limits=Limits(timeout_s=2.0))
    reply = session.continue_execution()
    assert reply.text.count("a thread is at lock.py:9 in work") == 2
    assert "a thread is at lock.py:14 in <module>" in reply.text
    assert "Thread 0x" not in reply.text


def test_a_program_that_holds_the_interpreter_shows_where_it_is(debug):
    session = debug(
        {"spin.py": b"def spin():\n    sum(range(10**11))\n\nspin()\n"}, "spin.py", limits=Limits(timeout_s=1.0)
    )
    assert "a thread is at spin.py:2 in spin < spin.py:4 in <module>" in session.continue_execution().text


def test_a_program_that_runs_longer_than_the_deadline_is_waited_for(debug):
    source = b"import time\ntime.sleep(1.5)\nx = 1\n"
    session = debug({"slow.py": source}, "slow.py", limits=Limits(timeout_s=1.0))
    session.add_breakpoint("slow.py", 3)
    assert "still running" in session.continue_execution().text
    assert first_line(session.continue_execution()) == "stopped at slow.py:3 in <module> (breakpoint 1)"


def test_an_expression_that_does_not_end_is_answered_and_the_program_can_be_stopped(debug, monkeypatch):
    monkeypatch.setattr("trajlog.harness.debugger.session.ANSWER_WITHIN_S", 0.5)
    session = debug({"a.py": b"import time\nx = 1\n"}, "a.py")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    started = time.monotonic()
    assert "no answer within" in session.run_expression("time.sleep(2)").text
    assert session.state == "busy"
    assert "still runs" in session.examine_locals().text
    while session.state == "busy" and time.monotonic() < started + 15:
        reply = session.run_expression("1 + 1")
    assert reply.text == "2"
    assert "no answer within" in session.run_expression("[i for i in iter(int, 1)]").text
    session.stop()
    assert session.state == "exited"


def test_expressions_that_fail_are_errors_and_statements_are_refused(debug):
    session = debug({"a.py": b"x = 1\ny = 2\n"}, "a.py")
    session.add_breakpoint("a.py", 2)
    assert session.run_expression("x").is_error
    session.continue_execution()
    assert session.run_expression("x.nope").text == "AttributeError: 'int' object has no attribute 'nope'"
    assert session.run_expression("z").text == "NameError: name 'z' is not defined"
    assert "not an expression" in session.run_expression("x = 2").text
    assert session.run_expression("exit()").text.startswith("SystemExit")
    assert session.run_expression("print('seen') or x").text == "1\noutput:\nseen"
    assert session.run_expression("'\\ud800'").text == r"'\ud800'"


def test_a_program_that_ends_itself_abruptly_is_said_so(debug):
    session = debug({"a.py": b"import os\nprint('last words', flush=True)\nos._exit(3)\n"}, "a.py")
    reply = session.continue_execution()
    assert reply.is_error
    assert "ended itself abruptly" in reply.text
    assert "last words" in reply.text
    assert session.state == "exited"


@pytest.mark.parametrize("forged", [b"\\0\\0\\0\\2{]", b"\\xff\\xff\\xff\\xff", b'\\0\\0\\0\\x0c{"event": 1}'])
def test_a_program_that_writes_to_our_channel_ends_its_session_and_nothing_else(debug, forged):
    source = b"import os\nfor fd in range(3, 99):\n try:\n  os.write(fd, b'%s')\n except OSError:\n  pass\n"
    session = debug({"a.py": source % forged}, "a.py")
    assert session.continue_execution().is_error
    assert session.state == "exited"
    assert session.examine_locals().is_error


def test_output_is_bounded(debug):
    session = debug({"a.py": b"print('x' * 10**6)\n"}, "a.py")
    assert len(session.continue_execution().text) < 2200


def test_a_program_that_reads_stdin_or_prints_a_prompt_confuses_nobody(debug):
    session = debug({"a.py": b"print('(Pdb) ')\ntry:\n    input()\nexcept EOFError:\n    x = 1\ny = 2\n"}, "a.py")
    session.add_breakpoint("a.py", 6)
    assert first_line(session.continue_execution()) == "stopped at a.py:6 in <module> (breakpoint 1)"
    assert session.run_expression("x").text == "1"


def test_breakpoint_in_the_source_stops_there(debug):
    session = debug({"a.py": b"def f(x):\n    breakpoint()\n    return x\n\nf(1)\n"}, "a.py")
    assert first_line(session.continue_execution()) == "stopped at a.py:3 in f (step)"


def test_a_forked_child_runs_free(debug):
    source = (
        b"import os\n\ndef work():\n    return 7\n\npid = os.fork()\nif pid == 0:\n    os._exit(work())\n"
        b"status = os.waitpid(pid, 0)[1]\nprint(os.waitstatus_to_exitcode(status))\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4)
    reply = session.continue_execution()
    assert reply.text == "the program ended with exit code 0\nbreakpoints never hit: a.py:4\noutput:\n7"


def test_turning_tracing_off_is_said(debug):
    session = debug({"a.py": b"import sys\nsys.settrace(None)\nx = 1\n"}, "a.py")
    session.add_breakpoint("a.py", 3)
    assert "the program turned tracing off" in session.continue_execution().text


def test_a_file_that_does_not_compile_is_refused(debug):
    session = debug({"a.py": b"def f(:\n"}, "a.py")
    assert session.opening.is_error
    assert "a.py cannot be run" in session.opening.text
    assert session.state == "exited"


def test_stepping_over_await_stays_in_its_task(debug):
    source = b"""import asyncio

async def other():
    for _ in range(3):
        await asyncio.sleep(0)

async def main():
    task = asyncio.create_task(other())
    await asyncio.sleep(0)
    await task
    return 1

asyncio.run(main())
"""
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 9)
    session.continue_execution()
    assert first_line(session.step_over()) == "stopped at a.py:10 in main (step)"
    assert first_line(session.step_over()) == "stopped at a.py:11 in main (step)"


def test_cancelling_the_sandbox_ends_a_wait(debug):
    session = debug({"loop.py": b"while True:\n    pass\n"}, "loop.py")
    session._sandbox.cancel()
    with pytest.raises(SandboxError):
        session.continue_execution()
