import pytest
from harness.debugger.kinds import both_kinds
from harness.sandbox.boxes import living
from harness.tiny_task import CALC

from trajlog.errors import SandboxError

CART = """import threading


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
AFTER_START = "the program has not started; continue_execution starts it."


@both_kinds
def test_a_session_from_breakpoint_to_end(debug, first_line):
    session = debug({"cart.py": CART}, "cart.py")
    assert session.opening.text == "cart.py is loaded, not started. Add breakpoints, then continue_execution."
    assert session.state == "ready"
    assert session.add_breakpoint("cart.py", 9).text == "breakpoint 1 at cart.py:9: self.items.append(item)"
    stop = session.continue_execution()
    assert stop.text == (
        "stopped at cart.py:9 in Cart.put, thread MainThread (breakpoint 1)\n"
        "   7\t\n   8\t    def put(self, item):\n-> 9\t        self.items.append(item)\n"
        "   10\t        return len(self.items)\n   11\t"
    )
    assert session.examine_locals().text == "self = Cart(items=[])\nitem = 0"
    assert session.run_expression("self.items + [item + n for n in range(2)]").text == "[0, 1]"
    assert first_line(session.step("over")) == "stopped at cart.py:10 in Cart.put, thread MainThread (step)"
    back = session.step("over").text
    assert back.startswith("stopped at cart.py:10 in Cart.put, thread MainThread (return)\nput returns 1\n")
    assert first_line(session.step("over")) == "stopped at cart.py:14 in fill, thread MainThread (step)"
    assert session.examine_locals().text == "cart = Cart(items=[0])\ncount = 3\nnumber = 0\nsize = 1"
    session.continue_execution()
    session.continue_execution()
    assert session.run_expression("item").text == "2"
    assert session.list_breakpoints().text == "breakpoint 1 at cart.py:9: self.items.append(item) (hit 3 times)"
    assert session.continue_execution().text == "the program ended with exit code 0\noutput:\nfilled 3"
    assert session.state == "exited"
    assert session.examine_locals().is_error


def test_a_step_before_the_start_stops_at_the_first_line(debug, first_line):
    session = debug({"cart.py": CART}, "cart.py")
    assert session.step("out").text == AFTER_START
    assert first_line(session.step("into")) == "stopped at cart.py:1 in <module>, thread MainThread (entry)"


def test_a_step_before_the_start_of_a_test_stops_in_the_test(debug, first_line):
    session = debug(CALC.workspace, "test_calc.py", is_test=True, test="test_zero")
    assert first_line(session.step("over")) == "stopped at test_calc.py:8 in test_zero, thread MainThread (entry)"


@both_kinds
def test_one_test_is_debugged_with_its_output_its_failure_and_its_verdict(debug, first_line):
    session = debug(CALC.workspace, "test_calc.py", is_test=True, test="test_add")
    session.add_breakpoint("calc.py", 3)
    stop = session.continue_execution()
    assert first_line(stop) == "stopped at calc.py:3 in add, thread MainThread (breakpoint 1)"
    assert stop.text.endswith("output:\nadding")
    assert session.examine_locals().text == "a = 1\nb = 2"
    failure = session.continue_execution()
    assert first_line(failure) == "stopped at test_calc.py:5 in test_add, thread MainThread (uncaught exception)"
    assert failure.text.splitlines()[1].startswith("AssertionError: assert -1 == 3")
    end = session.continue_execution()
    assert end.text.startswith("the program ended with exit code 1\nFAILED test_calc.py::test_add\n")
    assert "assert -1 == 3" in end.text
    assert "test_zero" not in end.text
    assert "output" not in end.text


def test_fixtures_and_parameters_work_and_a_node_id_chooses_one_case(debug):
    source = (
        "import pytest\n\n@pytest.fixture\ndef base():\n    yield [1]\n\n"
        "@pytest.mark.parametrize('n', [1, 2, 3])\ndef test_p(base, n):\n    base.append(n)\n    assert base[-1] == n\n"
    )
    session = debug({"test_p.py": source}, "test_p.py", is_test=True, test="test_p.py::test_p[3]")
    session.add_breakpoint("test_p.py", 10)
    session.continue_execution()
    assert session.examine_locals().text == "base = [1, 3]\nn = 3"
    assert session.continue_execution().text == "the program ended with exit code 0\nPASSED test_p.py::test_p[3]"


def test_a_test_name_that_matches_nothing_is_said(debug):
    session = debug(CALC.workspace, "test_calc.py", is_test=True, test="test_nothing")
    assert "no test was run by test_calc.py -k test_nothing" in session.continue_execution().text


def test_time_at_a_stop_is_not_the_tests_time(debug):
    source = "import pytest\n\n@pytest.mark.timeout(0.2)\ndef test_t():\n    x = 1\n    y = 2\n"
    session = debug({"test_t.py": source}, "test_t.py", is_test=True)
    session.add_breakpoint("test_t.py", 5)
    session.continue_execution()
    assert session.run_expression("__import__('time').sleep(0.5)").text == "None"
    assert "PASSED test_t.py::test_t" in session.continue_execution().text


def test_a_script_gets_its_arguments(debug):
    session = debug({"a.py": "import sys\nprint(sys.argv)\n"}, "a.py", args="--name 'a b'")
    assert session.continue_execution().text.endswith("['a.py', '--name', 'a b']")
    assert session.start("a.py", args="'").is_error
    assert "args are for scripts" in session.start("test_a.py", is_test=True, args="x").text


@both_kinds
def test_a_program_that_ends_itself_abruptly_is_said_so(debug):
    session = debug({"a.py": "import os\nprint('last words', flush=True)\nos._exit(3)\n"}, "a.py")
    reply = session.continue_execution()
    assert reply.is_error
    assert reply.text.startswith("the program ended abruptly: exit code 3, at once, without its exit handlers")
    assert reply.text.endswith("output:\nlast words")
    assert session.state == "exited"


def test_exit_handlers_run_under_the_debugger_and_messages_of_sys_exit_are_shown(debug, first_line):
    source = "import atexit, sys\n\ndef last():\n    print('bye')\n\natexit.register(last)\nsys.exit('no more')\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4)
    assert first_line(session.continue_execution()) == "stopped at a.py:4 in last, thread MainThread (breakpoint 1)"
    assert session.continue_execution().text == "the program ended with exit code 1\noutput:\nbye\nno more"


def test_a_file_that_does_not_compile_is_refused(debug):
    session = debug({"a.py": "def f(:\n"}, "a.py")
    assert session.opening.is_error
    assert "a.py cannot be run" in session.opening.text
    assert session.state == "exited"


@both_kinds
def test_stop_kills_a_program_that_catches_everything(debug):
    source = (
        "import os, time\nprint(os.getpid(), flush=True)\nwhile True:\n    try:\n        time.sleep(9)\n"
        "    except BaseException:\n        pass\n"
    )
    session = debug({"loop.py": source}, "loop.py", timeout_s=0.5)
    pid = int(session.continue_execution().text.rpartition("output:\n")[2])
    assert living(session._sandbox, [pid])
    assert session.stop().text == "the debugger is stopped."
    assert not living(session._sandbox, [pid])
    assert session.stop().text == "the program had already ended."


@both_kinds
def test_cancelling_the_sandbox_ends_a_wait(debug):
    session = debug({"loop.py": "while True:\n    pass\n"}, "loop.py")
    session._sandbox.cancel()
    with pytest.raises(SandboxError):
        session.continue_execution()


def test_commands_that_do_not_fit_the_state_are_refused_with_what_does(debug):
    session = debug({"a.py": "x = 1\ny = 2\n"}, "a.py")
    for refused in (session.examine_locals, session.where, session.list_threads, session.interrupt):
        assert refused().text.startswith("the program has not started")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    assert session.interrupt().text == "the program is stopped already; where_am_i shows where."
    session.continue_execution()
    for refused in (session.examine_locals, session.where, session.list_threads, session.continue_execution):
        assert refused().text == "no program is being debugged; use start_debugger."
    assert session.step("over").is_error
