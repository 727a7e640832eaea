from harness.debugger.kinds import both_kinds

GENERATOR = """def numbers(count):
    for number in range(count):
        yield number * 2
    return 9


def use():
    total = 0
    for number in numbers(2):
        total += number
    first = next(numbers(5))
    both = list(numbers(2))
    return total


use()
"""
TASKS = """import asyncio


async def other():
    for _ in range(3):
        await asyncio.sleep(0)


async def main():
    task = asyncio.create_task(other())
    await asyncio.sleep(0)
    await task
    return await child()


async def child():
    await asyncio.sleep(0)
    return 7


asyncio.run(main())
"""


def at(reply):
    """(line, function, reason) of a stop."""
    place, _, reason = reply.text.splitlines()[0].rpartition(" (")
    where, _, _ = place.partition(", thread ")
    line, _, function = where.rpartition(":")[2].partition(" in ")
    return int(line), function, reason.rstrip(")")


@both_kinds
def test_into_enters_a_call_and_out_comes_back_with_its_value(debug):
    source = "def inner(x):\n    y = x + 1\n    return y\n\ndef outer():\n    z = inner(1)\n    return z\n\nouter()\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 6)
    assert at(session.continue_execution()) == (6, "outer", "breakpoint 1")
    assert at(session.step("into")) == (2, "inner", "step")
    out = session.step("out")
    assert at(out) == (7, "outer", "step")
    assert out.text.splitlines()[1] == "inner returns 2"
    assert session.run_expression("z").text == "2"


def test_out_of_the_last_function_ends_with_its_value(debug):
    session = debug({"a.py": "def f():\n    return 35\n\nf()\n"}, "a.py")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    assert session.step("out").text == "the program ended with exit code 0\nf returns 35"


def test_over_does_not_enter_calls_and_recursion_is_told_apart_by_frame(debug):
    source = (
        "def fact(n):\n    if n == 0:\n        return 1\n    below = fact(n - 1)\n    return n * below\n\nfact(3)\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 4, "n == 3")
    session.continue_execution()
    assert at(session.step("over")) == (5, "fact", "step")
    assert session.examine_locals().text == "n = 3\nbelow = 2"


def test_into_skips_libraries_and_stops_in_what_they_call_back(debug):
    source = "import functools\n\ndef key(x):\n    return -x\n\nfunctools.reduce(max, sorted([1, 2], key=key))\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 6)
    session.continue_execution()
    assert at(session.step("into")) == (4, "key", "step")


def test_into_without_a_call_is_over(debug):
    session = debug({"a.py": "x = 1\ny = len('a')\nz = 3\n"}, "a.py")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    assert at(session.step("into")) == (3, "<module>", "step")


def test_into_passes_a_decorators_wrapper_first(debug):
    source = (
        "import functools\n\ndef twice(f):\n    @functools.wraps(f)\n"
        "    def wrapper(*args):\n        return f(*args) * 2\n"
        "    return wrapper\n\n@twice\ndef one():\n    return 1\n\nx = one()\n"
    )
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 13)
    session.continue_execution()
    assert at(session.step("into")) == (6, "twice.<locals>.wrapper", "step")
    assert at(session.step("into")) == (11, "one", "step")
    assert [line.partition(": ")[0] for line in session.where().text.splitlines()] == [
        "#0 a.py:11 in one",
        "#1 a.py:6 in twice.<locals>.wrapper",
        "#2 a.py:13 in <module>",
    ]


def test_a_step_over_yield_goes_to_the_consumer(debug):
    session = debug({"a.py": GENERATOR}, "a.py")
    session.add_breakpoint("a.py", 3)
    assert at(session.continue_execution()) == (3, "numbers", "breakpoint 1")
    stop = session.step("over")
    assert at(stop) == (10, "use", "step")
    assert stop.text.splitlines()[1] == "numbers yields 0"


@both_kinds
def test_a_step_into_a_loop_line_enters_the_generator(debug):
    session = debug({"a.py": GENERATOR}, "a.py")
    session.add_breakpoint("a.py", 9)
    session.continue_execution()
    assert at(session.step("into")) == (2, "numbers", "step")
    assert at(session.step("into")) == (3, "numbers", "step")
    assert at(session.step("into")) == (10, "use", "step")


def test_out_of_a_generator_goes_to_the_consumer(debug):
    session = debug({"a.py": GENERATOR}, "a.py")
    session.add_breakpoint("a.py", 3, "count == 5")
    session.continue_execution()
    stop = session.step("out")
    assert at(stop) == (12, "use", "step")
    assert stop.text.splitlines()[1] == "numbers yields 0"


def test_a_generator_consumed_by_a_library_is_stepped_through(debug):
    session = debug({"a.py": GENERATOR}, "a.py")
    session.add_breakpoint("a.py", 3)
    for _ in range(3):
        session.continue_execution()  # two in the loop, one by next()
    assert at(session.continue_execution()) == (3, "numbers", "breakpoint 1")
    assert at(session.step("over")) == (2, "numbers", "step")


def test_stepping_over_await_stays_in_its_task(debug):
    session = debug({"a.py": TASKS}, "a.py")
    session.add_breakpoint("a.py", 11)
    session.continue_execution()
    assert at(session.step("over")) == (12, "main", "step")
    assert at(session.step("over")) == (13, "main", "step")


@both_kinds
def test_stepping_into_await_enters_the_coroutine_and_out_awaits_its_end(debug):
    session = debug({"a.py": TASKS}, "a.py")
    session.add_breakpoint("a.py", 13)
    session.continue_execution()
    assert at(session.step("into")) == (17, "child", "step")
    stop = session.step("over")
    assert at(stop) == (18, "child", "step")
    out = session.step("out")
    assert at(out) == (13, "main", "return")
    assert "main returns 7" in out.text or "child returns 7" in out.text


def test_stepping_tells_of_an_exception_and_goes_to_its_handler(debug):
    source = "def f(x):\n    return 1 / x\n\ntry:\n    f(0)\nexcept Exception:\n    x = 1\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 2)
    session.continue_execution()
    leaving = session.step("over")
    assert at(leaving) == (2, "f", "exception")
    assert leaving.text.splitlines()[1] == "raised ZeroDivisionError: division by zero"
    assert at(session.step("over")) == (6, "<module>", "step")


@both_kinds
def test_an_uncaught_exception_stops_where_it_was_raised_with_its_locals(debug):
    source = "def f(x):\n    half = x / 2\n    return 1 / x\n\ndef g():\n    f(0)\n\ng()\n"
    session = debug({"a.py": source}, "a.py")
    stop = session.continue_execution()
    assert at(stop) == (3, "f", "uncaught exception")
    assert stop.text.splitlines()[1] == "ZeroDivisionError: division by zero"
    assert session.examine_locals().text == "x = 0\nhalf = 0.0"
    assert session.where().text == "#0 a.py:3 in f: return 1 / x\n#1 a.py:6 in g: f(0)\n#2 a.py:8 in <module>: g()"
    assert session.run_expression("half + 1").text == "1.0"
    end = session.step("over").text
    assert end.startswith("the program ended with exit code 1\nZeroDivisionError: division by zero\n#0 a.py:3 in f")


@both_kinds
def test_infinite_recursion_stops_at_its_error_with_a_bounded_stack(debug):
    session = debug({"a.py": "def f(n):\n    return f(n + 1)\n\nf(0)\n"}, "a.py")
    stop = session.continue_execution()
    assert at(stop) == (1, "f", "uncaught exception")  # in the call that was one too many
    assert "RecursionError: maximum recursion depth exceeded" in stop.text
    stack = session.where().text.splitlines()
    assert len(stack) == 13
    assert stack[8].startswith("... 9")
    assert stack[-1].endswith("in <module>: f(0)")


def test_frames_of_the_stack_are_looked_into_by_number(debug):
    source = "def f(x):\n    y = 1\n    return y\n\ndef g():\n    z = 5\n    return f(z)\n\ng()\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 3)
    session.continue_execution()
    assert session.examine_locals(frame=1).text == "z = 5"
    assert session.print_variable("z", frame=1).text == "z = 5"
    assert session.run_expression("z * 2", frame=1).text == "10"
    assert session.examine_locals(frame=7).text == "there is no frame #7; where_am_i shows frames #0 to #2."


def test_locals_that_come_and_go_are_followed(debug):
    session = debug({"a.py": "def f():\n    a = 1\n    b = 2\n    del a\n    c = 3\n    return c\n\nf()\n"}, "a.py")
    session.add_breakpoint("a.py", 3)
    session.continue_execution()
    assert session.examine_locals().text == "a = 1"
    session.step("over")
    session.step("over")
    assert session.examine_locals().text == "b = 2"


@both_kinds
def test_a_comprehension_is_one_step_and_evaluates_with_the_locals_around_it(debug):
    source = "def f(xs):\n    q = 2\n    ys = [q + x for x in xs]\n    return ys\n\nf([1, 2])\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 3)
    assert at(session.continue_execution()) == (3, "f", "breakpoint 1")
    assert session.run_expression("[q + x for x in xs]").text == "[3, 4]"
    assert at(session.step("into")) == (4, "f", "step")


def test_into_after_over_enters_the_call_and_frames_are_those_of_now(debug, first_line):
    source = "def f(x):\n    y = x\n    return y\n\na = f(1)\nb = f(2)\nprint(a, b)\n"
    session = debug({"a.py": source}, "a.py")
    session.add_breakpoint("a.py", 5)
    session.continue_execution()
    assert first_line(session.step("over")) == "stopped at a.py:6 in <module>, thread MainThread (step)"
    assert first_line(session.step("into")) == "stopped at a.py:2 in f, thread MainThread (step)"
    assert session.where().text == "#0 a.py:2 in f: y = x\n#1 a.py:6 in <module>: b = f(2)"
    assert session.run_expression("a", frame=1).text == "1"
    session.step("out")
    assert session.where().text == "#0 a.py:7 in <module>: print(a, b)"
    assert session.run_expression("a", frame=1).is_error
