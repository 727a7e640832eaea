import json
import os

import pytest
from harness.tiny_task import BUGGY, FIXED, calc_task

from trajlog.errors import ConfigError
from trajlog.harness.episode import ToolSession
from trajlog.harness.sandbox import Limits, LocalSandbox
from trajlog.harness.tools import BASIC_TOOLS, TOOLS, tool_schemas


@pytest.fixture
def session():
    task = calc_task()
    with LocalSandbox(task.workspace) as sandbox, ToolSession(task, sandbox, tool_names=list(TOOLS)) as made:
        yield made


def test_schemas_use_plain_types_and_leave_optional_parameters_out():
    schemas = tool_schemas(TOOLS)
    assert [schema["function"]["name"] for schema in schemas] == list(TOOLS)
    for schema in schemas:
        assert schema["type"] == "function"
        parameters = schema["function"]["parameters"]
        for declared in parameters["properties"].values():
            assert declared["type"] in ("string", "integer", "boolean")
        assert set(parameters["required"]) <= set(parameters["properties"])
    read = TOOLS["read_file"].schema()["function"]["parameters"]
    assert read["required"] == ["path"]


def test_five_tools_fit_a_small_context():
    assert len(json.dumps(tool_schemas(BASIC_TOOLS))) < 1300


def test_an_unknown_tool_name_in_settings_lists_the_tools():
    with pytest.raises(ConfigError, match="Did you mean read_file"):
        tool_schemas(["read_fil"])


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("reed_file", {}, "Did you mean read_file?"),
        ("read_file", {}, "missing argument path. Usage: read_file(path, start_line?, end_line?)"),
        ("read_file", {"path": "a", "line": 1}, "unknown argument line"),
        ("read_file", {"path": 3}, "path must be a string, got 3"),
        ("read_file", {"path": "a", "start_line": "x"}, "start_line must be a integer, got 'x'"),
        ("read_file", {"path": "a", "start_line": True}, "start_line must be a integer, got True"),
        ("bash", {"command": None}, "missing argument command"),
        ("bash", ["ls"], "arguments must be an object"),
        ("bash", "ls", "arguments must be an object"),
    ],
)
def test_calls_that_do_not_fit_are_answered_with_what_would(session, name, arguments, said):
    result = session.call(name, arguments)
    assert result.is_error
    assert said in result.content
    assert session.calls[-1].format_error


def test_whole_numbers_may_come_as_text(session):
    result = session.call("read_file", {"path": "calc.py", "start_line": "2", "end_line": 2.0})
    assert result.content == "2\t    # sum\n[lines 2-2 of 3]"


def test_bash_gives_output_and_exit_code(session):
    result = session.call("bash", {"command": "echo out; echo err >&2; exit 7"})
    assert result.content == "out\nerr\n[exit code 7]"
    assert (result.is_error, result.exit_code) == (True, 7)
    assert session.call("bash", {"command": "true"}).content == "(no output)"


def test_bash_says_that_it_was_killed_and_keeps_what_was_printed():
    task = calc_task()
    with (
        LocalSandbox(task.workspace, Limits(timeout_s=1.0)) as sandbox,
        ToolSession(task, sandbox) as session,
    ):
        result = session.call("bash", {"command": "echo begun; sleep 300"})
    assert result.content == "begun\n[killed after 1 s]"
    assert (result.is_error, result.exit_code) == (True, None)


def test_a_command_with_nul_or_too_long_is_refused(session):
    assert session.call("bash", {"command": "echo \0"}).is_error
    assert session.call("bash", {"command": "#" * 40_000}).is_error


def test_every_answer_is_bounded_and_counts_what_it_cut():
    task = calc_task(workspace=calc_task().workspace | {"long.txt": b"line\n" * 1000})
    with (
        LocalSandbox(task.workspace, Limits(kept_output_bytes=300)) as sandbox,
        ToolSession(task, sandbox) as session,
    ):
        for name, arguments in (("read_file", {"path": "long.txt"}), ("bash", {"command": "cat long.txt"})):
            result = session.call(name, arguments)
            assert len(result.content) < 350
            assert "bytes cut" in result.content
            assert result.truncated_bytes > 2500


def test_read_file_numbers_lines(session):
    assert session.call("read_file", {"path": "calc.py"}).content == (
        "1\tdef add(a, b):\n2\t    # sum\n3\t    return a - b"
    )
    assert session.call("read_file", {"path": "calc.py", "start_line": 9}).content == (
        "calc.py has lines 1-3; asked for 9-3."
    )
    assert session.call("read_file", {"path": "clac.py"}).content == (
        "clac.py does not exist. Files: calc.py, test_calc.py"
    )


def test_read_file_stops_at_four_hundred_lines(session):
    session.sandbox.workspace.write("long.txt", b"x\n" * 1000)
    result = session.call("read_file", {"path": "long.txt", "start_line": 100})
    assert result.content.endswith("499\tx\n[lines 100-499 of 1000]")


def test_read_file_refuses_what_is_no_text_and_what_lies_outside(session):
    session.sandbox.workspace.write("data", b"\xff\xfe")
    os.symlink("/etc/passwd", session.sandbox.workspace.root / "link")
    for path, said in (
        ("data", "not UTF-8"),
        ("link", "links are not followed"),
        ("../x", "'..'"),
        ("/etc", "outside"),
    ):
        result = session.call("read_file", {"path": path})
        assert result.is_error
        assert said in result.content


def test_edit_file_replaces_a_unique_text_and_shows_it(session):
    result = session.call("edit_file", {"path": "calc.py", "old_str": "a - b", "new_str": "a + b"})
    assert result.content == "edited calc.py:\n2\t    # sum\n3\t    return a + b"
    assert session.sandbox.workspace.read("calc.py") == FIXED
    assert session.calls[-1].changed


def test_edit_file_shows_the_nearest_lines_when_the_text_is_not_there(session):
    result = session.call("edit_file", {"path": "calc.py", "old_str": "return a-b", "new_str": "return a+b"})
    assert result.content == "old_str is not in calc.py. Nearest lines:\n3\t    return a - b"
    assert session.sandbox.workspace.read("calc.py") == BUGGY


def test_edit_file_names_the_lines_when_there_are_several(session):
    session.sandbox.workspace.write("many.py", b"x = 1\ny = 2\nx = 1\n")
    result = session.call("edit_file", {"path": "many.py", "old_str": "x = 1", "new_str": "x = 3"})
    assert result.content == "old_str stands 2 times in many.py, on lines 1, 3. Add more of the text around it."


def test_edit_file_makes_a_new_file_from_an_empty_old_text(session):
    assert (
        session.call("edit_file", {"path": "p/new.py", "old_str": "", "new_str": "x = 1\n"}).content == "made p/new.py."
    )
    assert session.sandbox.workspace.read("p/new.py") == b"x = 1\n"
    assert session.call("edit_file", {"path": "calc.py", "old_str": "", "new_str": "x"}).is_error


def test_edit_file_keeps_line_ends_and_refuses_what_changes_nothing_or_is_no_text(session):
    session.sandbox.workspace.write("dos.txt", b"a\r\nb\r\n")
    session.call("edit_file", {"path": "dos.txt", "old_str": "b", "new_str": "c"})
    assert session.sandbox.workspace.read("dos.txt") == b"a\r\nc\r\n"
    assert session.call("edit_file", {"path": "calc.py", "old_str": "a", "new_str": "a"}).is_error
    assert session.call("edit_file", {"path": "calc.py", "old_str": "# sum", "new_str": "\ud800"}).is_error


def test_edit_file_makes_nothing_that_read_file_would_refuse(session):
    refused = session.call("edit_file", {"path": "big.txt", "old_str": "", "new_str": "x" * (1024 * 1024 + 1)})
    assert refused.content == "big.txt was not changed: it would be larger than 1048576 bytes."
    assert not session.sandbox.workspace.exists("big.txt")
    grown = session.call("edit_file", {"path": "calc.py", "old_str": "# sum", "new_str": "#" * 1024 * 1024})
    assert grown.is_error
    assert b"# sum" in session.sandbox.workspace.read("calc.py")


def test_lines_are_counted_as_python_counts_them(session):
    session.sandbox.workspace.write("page.py", "a = 1\r\n\x0cb = '\u2028'\r\nc = 3\r\n".encode())
    assert session.call("read_file", {"path": "page.py"}).content == "1\ta = 1\n2\t\x0cb = '\u2028'\n3\tc = 3"
    edited = session.call("edit_file", {"path": "page.py", "old_str": "c = 3", "new_str": "c = 4"})
    assert edited.content == "edited page.py:\n2\t\x0cb = '\u2028'\n3\tc = 4"


def test_run_tests_counts_by_verdict_and_shows_the_essential_lines(session):
    result = session.call("run_tests", {})
    assert (result.tests_passed, result.tests_failed, result.is_error) == (1, 1, False)
    assert result.content == (
        "1 passed, 1 failed\n"
        "FAILED test_calc.py::test_add\n"
        "test_calc.py:5: in test_add\n"
        "    assert add(1, 2) == 3\n"
        "E   assert -1 == 3\n"
        "E    +  where -1 = add(1, 2)\n"
        "printed: adding"
    )


@pytest.mark.parametrize("test", ["test_zero", "test_calc.py::test_zero"])
def test_run_tests_runs_one_test_by_name(session, test):
    result = session.call("run_tests", {"test": test})
    assert result.content == "1 passed"
    assert (result.tests_passed, result.tests_failed) == (1, 0)


@pytest.mark.parametrize("test", ["-p evil", "--co", "a b", "../test_x.py", "x; ls"])
def test_run_tests_refuses_what_is_not_a_test(session, test):
    assert session.call("run_tests", {"test": test}).is_error


def test_run_tests_says_when_there_was_nothing_to_run(session):
    result = session.call("run_tests", {"test": "test_nothing"})
    assert result.is_error
    assert result.content == "no tests ran. The tests are test_add, test_zero."
    session.call("bash", {"command": "rm test_calc.py"})
    assert "gone" in session.call("run_tests", {}).content


def test_run_tests_shows_a_file_that_cannot_be_imported(session):
    session.sandbox.workspace.write("calc.py", b"def add(:\n")
    result = session.call("run_tests", {})
    assert (result.tests_passed, result.tests_failed) == (0, 1)
    assert "ERROR test_calc.py could not be imported" in result.content
    assert "SyntaxError" in result.content


def test_run_tests_says_which_test_hangs_and_where():
    task = calc_task(timeout_s=5.0)
    with LocalSandbox(task.workspace) as sandbox, ToolSession(task, sandbox) as session:
        sandbox.workspace.write("calc.py", b"def add(a, b):\n    while a:\n        pass\n    return 0\n")
        result = session.call("run_tests", {})
    assert "test_calc.py::test_add took too long and was killed" in result.content
    assert "< test_calc.py:5 in test_add" in result.content
    assert "a thread is at calc.py:" in result.content


def test_done_ends_the_episode(session):
    assert not session.done
    assert not session.call("done", {}).is_error
    assert session.done
