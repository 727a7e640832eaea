import dis
import types

import pytest

from trajlog.harness.debugger.lines import check_line, executable_lines, function_at, nested, stop_lines

SOURCE = b'''"""module"""
import os

LIMIT = 3


class Stack:
    """A stack."""

    def __init__(self):
        """Make it."""
        self.items = []  # comment

    @property
    def size(self):
        return len(
            self.items
        )

    def push(self, item):
        global LIMIT
        if item is None:
            return
        elif item:
            # why
            self.items.append(item)
        else:
            raise ValueError
        try:
            os.getpid()
        finally:
            LIMIT = 4
        return LIMIT
        print("never")


def squares(n):
    if False:
        print("never")
    return [i * i
            for i in range(n)]


async def wait():
    await nothing()


def lazy(): yield 1
'''
TEXTS = SOURCE.decode().splitlines()


def line_of(text: str) -> int:
    return TEXTS.index(text) + 1


def test_only_lines_with_bytecode_can_stop_the_program():
    lines = executable_lines(compile(SOURCE, "s.py", "exec", dont_inherit=True))
    shown = {TEXTS[line - 1].strip() for line in lines}
    for stops in (
        "self.items = []  # comment",
        "if item is None:",
        "elif item:",
        "LIMIT = 4",
        "return LIMIT",
        "return",
    ):
        assert stops in shown
    for never in ("", "# why", "else:", "finally:", "global LIMIT", ")", 'print("never")', '"""Make it."""'):
        assert never not in shown


def test_it_agrees_with_the_line_table_of_the_interpreter():
    code = compile(SOURCE, "s.py", "exec", dont_inherit=True)
    starts: set[int] = set()

    def walk(part: types.CodeType) -> None:
        entries = {"RESUME", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR"}
        lines = [
            instruction.positions.lineno
            for instruction in dis.get_instructions(part)
            if instruction.opname not in entries and instruction.positions and instruction.positions.lineno
        ]
        starts.update(lines)
        for constant in part.co_consts:
            if isinstance(constant, types.CodeType):
                walk(constant)

    walk(code)
    assert executable_lines(code) <= starts


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("            # why", ["elif item:", "self.items.append(item)"]),
        ("        else:", ["self.items.append(item)", "raise ValueError"]),
        ("        finally:", ["os.getpid()", "LIMIT = 4"]),
        ("        global LIMIT", ["if item is None:"]),
    ],
)
def test_a_line_that_never_runs_is_refused_with_neighbours_in_its_function(text, nearest):
    problem, note = check_line(SOURCE, "s.py", line_of(text))
    assert note is None
    assert "never runs" in problem
    assert "in push" in problem
    for near in nearest:
        assert near in problem
    assert "squares" not in problem


def test_the_reason_names_what_kind_of_line_it_is():
    kinds = {
        "            # why": "a comment: # why",
        "        else:": "else: has no code of its own",
        "        finally:": "finally: has no code of its own",
        "        global LIMIT": "global LIMIT is a declaration",
        "        )": ") only closes what began above",
        '        """Make it."""': '"""Make it.""" is part of a string',
        '        print("never")': "cannot be reached",
    }
    for text, reason in kinds.items():
        problem, _ = check_line(SOURCE, "s.py", line_of(text))
        assert reason in problem, text


def test_code_after_return_is_refused_with_lines_of_the_same_function():
    problem, _ = check_line(SOURCE, "s.py", line_of('        print("never")'))
    assert "return LIMIT" in problem
    assert "in push" in problem


def test_code_under_if_false_is_refused_with_lines_of_the_same_function():
    problem, _ = check_line(SOURCE, "s.py", line_of("    if False:") + 1)
    assert "never runs" in problem
    assert "in squares" in problem
    assert "return [i * i" in problem


def test_a_comprehensions_first_line_stops_around_it_and_its_other_lines_inside():
    first = line_of("    return [i * i")
    assert function_at(SOURCE, "s.py", first) == ("squares", frozenset({"squares"}))
    code = compile(b"def f(xs):\n    return [\n        g(x)\n        for x in xs\n    ]\n", "c.py", "exec")
    assert {part.co_name for part in nested(code) if 3 in stop_lines(part)} == {"<listcomp>"}


def test_the_innermost_code_of_a_line_is_named():
    line = line_of("        self.items = []  # comment")
    assert function_at(SOURCE, "s.py", line) == ("Stack.__init__", frozenset({"__init__"}))
    assert function_at(SOURCE, "s.py", line_of("LIMIT = 3")) == ("<module>", frozenset({"<module>"}))


def test_a_blank_line_between_functions_has_neighbours_outside_functions():
    problem, _ = check_line(SOURCE, "s.py", 5)
    assert "a blank line" in problem
    assert "4\tLIMIT = 3" in problem
    assert "self.items" not in problem


def test_a_line_past_the_end_is_refused_with_the_range():
    problem, _ = check_line(SOURCE, "s.py", 999)
    assert problem == f"s.py has lines 1-{len(TEXTS)}."


def test_a_def_line_is_taken_with_a_note_that_names_the_first_line_of_the_body():
    problem, note = check_line(SOURCE, "s.py", line_of("    def push(self, item):"))
    assert problem is None
    assert f"use line {line_of('        if item is None:')}" in note
    assert check_line(SOURCE, "s.py", line_of("        if item is None:")) == (None, None)


def test_a_function_on_one_line_can_be_stopped_in():
    assert check_line(SOURCE, "s.py", line_of("def lazy(): yield 1")) == (None, None)
