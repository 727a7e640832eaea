import time

import pytest
from harness.debugger.kinds import both_kinds

PROGRAM = """import threading, time

lock = threading.Lock()

class Slow:
    def __repr__(self):
        time.sleep(60)

class Locks:
    def __repr__(self):
        with lock:
            return "locked"

class Endless:
    def __repr__(self):
        while True:
            pass

class Raises:
    def __repr__(self):
        raise ValueError("no")

class Big:
    def __repr__(self):
        return "x" * 8_000_000

def swallow():
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass

def main():
    slow, locks, endless, raises, big = Slow(), Locks(), Endless(), Raises(), Big()
    text = "y" * 8_000_000
    with lock:
        x = 1
        y = 2

"""
IN_MAIN = PROGRAM + "main()\n"
IN_THREAD = PROGRAM + "t = threading.Thread(target=main, name='T')\nt.start()\nt.join()\n"
STOP_LINE = PROGRAM.splitlines().index("        y = 2") + 1
RAISE_LINE = PROGRAM.splitlines().index('        raise ValueError("no")') + 1


@pytest.fixture
def stopped(debug, short):
    """A session stopped in the last line of `main`, which holds the lock."""

    def start(source, deadlines=short):
        session = debug({"a.py": source}, "a.py", deadlines=deadlines)
        session.add_breakpoint("a.py", STOP_LINE)
        assert session.continue_execution().text.startswith(f"stopped at a.py:{STOP_LINE} in main")
        return session

    return start


def test_locals_show_objects_without_their_repr_whatever_it_does(stopped):
    lines = stopped(IN_MAIN).examine_locals().text.splitlines()
    assert lines[:5] == ["slow = Slow()", "locks = Locks()", "endless = Endless()", "raises = Raises()", "big = Big()"]
    assert lines[5] == f"text = '{'y' * 200}'... (length 8000000)"
    assert lines[6:] == ["x = 1"]


@both_kinds
@pytest.mark.parametrize("expression", ["repr(slow)", "repr(locks)", "repr(endless)", "lock.acquire()"])
def test_what_does_not_end_in_the_main_thread_is_interrupted_and_the_program_goes_on(stopped, expression):
    session = stopped(IN_MAIN)
    reply = session.run_expression(expression)
    assert reply.is_error
    assert reply.text == "after 1 s it was interrupted."
    assert session.state == "stopped"
    assert session.run_expression("x + 1").text == "2"
    assert session.continue_execution().text == "the program ended with exit code 0"


@both_kinds
def test_an_endless_loop_in_another_thread_is_interrupted_too(stopped):
    session = stopped(IN_THREAD)
    assert session.run_expression("repr(endless)").text == "after 1 s it was interrupted."
    assert session.run_expression("x + 1").text == "2"
    assert session.continue_execution().text == "the program ended with exit code 0"


@both_kinds
def test_c_code_that_lets_signals_through_is_interrupted(stopped):
    session = stopped(IN_MAIN)
    reply = session.run_expression("__import__('re').match('(a+)+$', 'a' * 40 + 'b')")
    assert reply.text == "after 1 s it was interrupted."
    assert session.run_expression("x").text == "1"


@pytest.mark.parametrize(
    ("kind", "source", "expression"),
    [
        ("local", IN_THREAD, "repr(locks)"),  # a lock wait outside the main thread
        ("local", IN_MAIN, "swallow()"),  # catches what interrupts it
        ("local", IN_MAIN, "sum(range(10**11))"),  # holds the interpreter
        pytest.param("docker", IN_MAIN, "sum(range(10**11))", marks=pytest.mark.docker),
    ],
)
def test_what_cannot_be_interrupted_is_killed_with_the_program_and_that_is_said(stopped, source, expression):
    session = stopped(source)
    started = time.monotonic()
    reply = session.run_expression(expression)
    assert reply.is_error
    assert reply.text == (
        "it did not end after 1 s and could not be interrupted, so the program was killed; "
        "start_debugger starts it again."
    )
    assert time.monotonic() - started < 10
    assert session.state == "exited"
    assert f"set again: breakpoint 1 at a.py:{STOP_LINE}: y = 2" in session.start("a.py").text


@both_kinds
def test_a_lock_held_by_a_thread_at_its_own_stop_is_waited_for_by_letting_it_go(debug, short):
    source = (
        "import threading, time\nlock = threading.Lock()\ninside = threading.Event()\n"
        "def hold():\n    with lock:\n        inside.set()\n        a = 1\n"
        "def look():\n    inside.wait()\n    b = 2\n"
        "threads = [threading.Thread(target=f, name=f.__name__) for f in (hold, look)]\n"
        "for t in threads: t.start()\nfor t in threads: t.join()\n"
    )
    session = debug({"a.py": source}, "a.py", deadlines=short)
    session.add_breakpoint("a.py", 7)
    session.add_breakpoint("a.py", 10)
    session.continue_execution()
    deadline = time.monotonic() + 10
    while "is stopped" not in (text := session.list_threads().text) or "waits at its own stop" not in text:
        assert time.monotonic() < deadline
    session.step("over", "look")
    reply = session.run_expression("lock.acquire()")
    assert reply.text.startswith("after 1 s, other threads let go on, it was interrupted.")
    assert session.state == "stopped"


def test_results_are_bounded_and_errors_are_answers(stopped):
    session = stopped(IN_MAIN)
    assert session.run_expression("repr(big)").text == f"'{'x' * 200}'... (length 8000000)"
    assert session.run_expression("[big] * 10**6").text.endswith("... 999992 more]")
    assert session.run_expression("repr(raises)").text == "ValueError: no"
    assert session.run_expression("x.nope").text == "AttributeError: 'int' object has no attribute 'nope'"
    assert session.run_expression("zz").text == "NameError: name 'zz' is not defined"
    assert session.run_expression("exit()").text.startswith("SystemExit")
    assert session.run_expression("print('seen') or x").text == "1\noutput:\nseen"
    assert session.run_expression("'\\ud800'").text == r"'\ud800'"
    assert session.run_expression("x" + " + x" * 2000).is_error
    assert session.state == "stopped"


def test_statements_are_refused(stopped):
    session = stopped(IN_MAIN)
    for statement in ("x = 2", "import os", "del x", "x +"):
        reply = session.run_expression(statement)
        assert reply.is_error
        assert reply.text.startswith("not an expression")


def test_breakpoints_do_not_stop_what_an_expression_calls(stopped):
    session = stopped(IN_MAIN)
    session.add_breakpoint("a.py", RAISE_LINE)
    assert session.run_expression("repr(raises)").text == "ValueError: no"
    assert "(hit 0 times)" in session.list_breakpoints().text


def test_an_expression_can_change_the_live_program(debug):
    session = debug({"a.py": "items = [1]\nx = 1\nprint(items)\n"}, "a.py")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    assert session.run_expression("items.append(2)").text == "None"
    assert session.continue_execution().text.endswith("output:\n[1, 2]")


def test_one_variable_is_shown_at_length_by_name_or_path(debug):
    source = (
        "class Order:\n    def __init__(self):\n        self.items = list(range(40))\n        self.by = {'a': [1, 2]}\n"
        "    @property\n    def total(self):\n        raise RuntimeError\n\norder = Order()\nx = 1\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 10)
    session.continue_execution()
    assert session.print_variable("order.items").text == f"order.items = {list(range(40))}"
    assert session.print_variable("order.by['a'][-1]").text == "order.by['a'][-1] = 2"
    assert session.print_variable("order.total").text == "order.total is a property; run_expression evaluates it."
    assert session.print_variable("ordr").text == "there is no variable 'ordr' here."


def test_locals_of_a_module_leave_out_what_is_no_data(debug):
    session = debug({"a.py": "import os\n\ndef f():\n    pass\n\nclass C:\n    pass\n\nn = 3\nm = 4\n"}, "a.py")
    session.add_breakpoint("a.py", 10)
    session.continue_execution()
    assert session.examine_locals().text == "n = 3\n(functions, classes, modules: os, f, C)"
