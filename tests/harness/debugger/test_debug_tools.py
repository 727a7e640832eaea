import pytest
from harness.debugger.kinds import both_kinds
from harness.tiny_task import CALC

from trajlog.harness.tools import TOOLS, ToolContext, check_arguments, tool_schemas
from trajlog.harness.tools.debug import DEBUGGER_TOOLS

NAMES = [
    "start_debugger", "add_breakpoint", "remove_breakpoint", "list_breakpoints", "continue_execution", "step_over",
    "step_into", "step_out", "where_am_i", "examine_locals", "print_variable", "run_expression", "list_threads",
    "interrupt", "stop_debugger",
]  # fmt: skip


@pytest.fixture
def call(new_sandbox):
    """`call(tool, **arguments)` as an agent would, in one episode."""
    sandbox = new_sandbox({**CALC.workspace, "main.py": b"import sys\nprint(sys.argv[1:])\n"})
    context = ToolContext(CALC, sandbox)
    return lambda tool, **given: TOOLS[tool].handler(context, check_arguments(TOOLS[tool], given))


def test_the_tools_are_all_there_with_plain_types_and_one_line_each():
    assert [tool.name for tool in DEBUGGER_TOOLS] == NAMES
    for tool, schema in zip(DEBUGGER_TOOLS, tool_schemas(NAMES), strict=True):
        assert len(tool.description) <= 50
        kinds = {found["type"] for found in schema["function"]["parameters"]["properties"].values()}
        assert kinds <= {"string", "integer"}


@both_kinds
def test_without_a_program_every_tool_but_the_first_says_what_to_do(call):
    needed = {"file": "calc.py", "line": 1, "number": 1, "name": "x", "expression": "1"}
    for name in NAMES[1:]:
        given = {key: value for key, value in needed.items() if key in TOOLS[name].parameters}
        result = call(name, **given)
        assert result.is_error
        assert result.content == "no program is being debugged; use start_debugger."


@both_kinds
def test_a_walk_through_all_tools(call):
    assert "test_calc.py is loaded" in call("start_debugger", path="test_calc.py", test="test_add").content
    assert "breakpoint 1 at" in call("add_breakpoint", file="calc.py", line="3", condition="a == 1").content
    assert call("add_breakpoint", file="test_calc.py", line=5).content.startswith("breakpoint 2 at test_calc.py:5")
    assert call("remove_breakpoint", number=2).content.startswith("removed breakpoint 2")
    assert "calc.py:3 if a == 1" in call("list_breakpoints").content
    assert "(entry)" in call("step_into").content
    assert call("continue_execution").content.startswith(
        "stopped at calc.py:3 in add, thread MainThread (breakpoint 1)"
    )
    assert call("where_am_i").content.startswith("#0 calc.py:3 in add: return a - b\n#1 test_calc.py:5 in test_add")
    assert call("examine_locals").content == "a = 1\nb = 2"
    assert call("examine_locals", frame=1).content == "no variables"
    assert call("print_variable", name="a").content == "a = 1"
    assert call("run_expression", expression="a + b", thread="MainThread", frame=0).content == "3"
    assert call("list_threads").content.startswith("thread 1 MainThread is stopped (breakpoint 1), at calc.py:3 in add")
    assert "stopped already" in call("interrupt").content
    assert "(return)\nadd returns -1" in call("step_over").content
    assert "(exception)\nraised AssertionError" in call("step_out").content
    assert call("stop_debugger").content == "the debugger is stopped."


@both_kinds
def test_scripts_take_arguments_and_tests_take_names_and_other_paths_are_refused(call):
    assert call("start_debugger", path="main.py", test="test_add").is_error
    assert call("start_debugger", path="../x.py").is_error
    assert call("start_debugger", path="nothing.py").is_error
    assert not call("start_debugger", path="main.py", args="one 'two three'").is_error
    assert call("continue_execution").content.endswith("output:\n['one', 'two three']")
