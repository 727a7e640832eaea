from concurrent.futures import ThreadPoolExecutor

import pytest
from harness.tiny_task import FIXED, calc_task

from trajlog.errors import SandboxError
from trajlog.harness.episode import ToolSession, passed_before
from trajlog.harness.rewards import has_inspected_before_edit
from trajlog.harness.sandbox import LocalSandbox
from trajlog.harness.tools import TOOLS

FIX = {"path": "calc.py", "old_str": "a - b", "new_str": "a + b"}


@pytest.fixture
def session():
    task = calc_task()
    with LocalSandbox(task.workspace) as sandbox, ToolSession(task, sandbox, tool_names=list(TOOLS)) as made:
        yield made


def test_a_solved_episode(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("edit_file", FIX)
    session.call("run_tests", {})
    session.call("done", {})
    found = session.judge()
    assert (found.grade.solved, found.grade.tests_passed, found.tests_passed_before) == (True, 3, 1)
    assert found.changed_code
    assert found.localized
    assert session.done
    assert session.guard() is None
    assert [call.changed for call in session.calls] == [False, True, False, False]


def test_edits_that_change_nothing_are_no_change(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("edit_file", {"path": "calc.py", "old_str": "# sum", "new_str": "# the sum"})
    session.call("edit_file", {"path": "calc.py", "old_str": "return a - b", "new_str": "return (a - b)"})
    session.call("edit_file", {"path": "other.py", "old_str": "", "new_str": "x = 1"})
    found = session.judge()
    assert (found.changed_code, found.localized) == (False, False)
    assert not any(call.changed for call in session.calls)


def test_a_change_that_was_taken_back_is_no_change(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("edit_file", FIX)
    session.call("edit_file", FIX | {"old_str": "a + b", "new_str": "a - b"})
    assert [call.changed for call in session.calls] == [False, True, True]
    assert not session.judge().changed_code


def test_an_edit_by_the_shell_counts_like_any_other(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("bash", {"command": "sed -i 's/a - b/a + b/' calc.py"})
    assert session.judge().grade.solved
    assert has_inspected_before_edit(session.calls)


def test_changed_tests_do_not_reach_grading(session):
    session.call("bash", {"command": "echo 'def test_add(): pass' > test_calc.py; rm -f calc.py"})
    assert session.call("run_tests", {}).tests_passed == 1
    found = session.judge().grade
    assert (found.solved, found.tests_passed) == (False, 1)


def test_a_test_that_was_removed_is_flagged(session):
    session.call("bash", {"command": "rm test_calc.py"})
    assert session.judge().grade.flags == ("test_edit",)


def test_held_back_files_are_not_in_the_sandbox(session):
    listing = session.call("bash", {"command": "ls -RA . .. ; cat *"}).content
    assert "hidden" not in listing
    assert FIXED.decode() not in listing


def test_stalling_trips_a_guard(session):
    for _ in range(4):
        assert session.guard() is None
        session.call("bash", {"command": "ls"})
    assert session.guard() == "repeated_call"


def test_format_errors_trip_a_guard(session):
    session.format_error("no tool call")
    session.call("bash", {})
    session.call("no_such_tool", {})
    assert session.guard() == "format_errors"


def test_the_same_call_with_another_answer_is_no_repetition(session):
    for _ in range(5):
        session.call("bash", {"command": "echo x >> log; wc -l log"})
    assert session.guard() is None


def test_an_edit_reminds_of_a_running_debugger(session):
    session.call("start_debugger", {"path": "test_calc.py"})
    assert "still runs the old code" in session.call("edit_file", FIX).content


def test_infrastructure_death_is_raised_not_answered(session):
    session.sandbox.cancel()
    with pytest.raises(SandboxError):
        session.call("bash", {"command": "ls"})


def test_the_lines_of_a_file_that_were_asked_for_are_kept(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("read_file", {"path": "calc.py", "start_line": 2, "end_line": 3})
    session.call("read_file", {"path": "calc.py", "start_line": "two"})
    assert [call.lines for call in session.calls] == [("calc.py", 1, 400), ("calc.py", 2, 3), None]
    assert [call.format_error for call in session.calls] == [False, False, True]


def test_reading_the_same_in_other_words_trips_the_guard_against_stalls(session):
    session.call("read_file", {"path": "calc.py"})
    for line in (1, 2, 3) * 4:
        if session.guard() is not None:
            break
        session.call("read_file", {"path": "calc.py", "start_line": line, "end_line": 3})
        session.call("edit_file", {"path": "calc.py", "old_str": f"not there {len(session.calls)}", "new_str": "x"})
    assert session.guard() == "stall"
    assert len(session.calls) == 11


def test_what_passed_before_is_measured_once_however_many_ask():
    task = calc_task(workspace=calc_task().workspace | {"notes.txt": b"a task of its own"})
    made = []

    def counted(files, limits=None, seed=0):
        made.append(files)
        return LocalSandbox(files, limits)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: passed_before(task, counted), range(4)))
    assert found == [1] * 4
    assert len(made) == 1
