import pytest
from harness.tiny_task import FIXED, calc_task

from trajlog.errors import SandboxError
from trajlog.harness.episode import ToolSession, debugger_fits, inspected_before_edit
from trajlog.harness.guards import CallRecord
from trajlog.harness.rewards import RewardConfig, reward
from trajlog.harness.sandbox import LocalSandbox
from trajlog.harness.tools import TOOLS

FIX = {"path": "calc.py", "old_str": "a - b", "new_str": "a + b"}


@pytest.fixture
def session():
    task = calc_task()
    with LocalSandbox(task.workspace) as sandbox, ToolSession(task, sandbox, tool_names=list(TOOLS)) as made:
        yield made


def facts(session, ending="done", num_turns=3):
    return session.facts(ending=ending, num_turns=num_turns, turn_limit=10)


def test_a_solved_episode(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("edit_file", FIX)
    session.call("run_tests", {})
    session.call("done", {})
    found = facts(session)
    assert (found.solved, found.tests_total, found.tests_passed, found.tests_passed_before) == (True, 3, 3, 1)
    assert found.progress == 1.0
    assert found.changed_code
    assert found.inspected_before_edit
    assert found.localized
    assert found.debugger_fits
    assert session.guard() is None
    assert reward(found, RewardConfig())[0] == pytest.approx(1.0 + 0.5 - 0.28 * 0.3)


def test_edits_that_change_nothing_earn_nothing(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("edit_file", {"path": "calc.py", "old_str": "# sum", "new_str": "# the sum"})
    session.call("edit_file", {"path": "calc.py", "old_str": "return a - b", "new_str": "return (a - b)"})
    session.call("edit_file", {"path": "other.py", "old_str": "", "new_str": "x = 1"})
    found = facts(session)
    assert not any((found.changed_code, found.inspected_before_edit, found.localized))
    assert set(reward(found, RewardConfig())[1]) == {"tests", "turn_cost"}


def test_a_change_that_was_taken_back_is_no_change(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("edit_file", FIX)
    session.call("edit_file", FIX | {"old_str": "a + b", "new_str": "a - b"})
    assert not facts(session).changed_code


def test_an_edit_by_the_shell_counts_like_any_other(session):
    session.call("read_file", {"path": "calc.py"})
    session.call("bash", {"command": "sed -i 's/a - b/a + b/' calc.py"})
    found = facts(session)
    assert found.solved
    assert found.inspected_before_edit


def test_changed_tests_do_not_reach_grading(session):
    session.call("bash", {"command": "echo 'def test_add(): pass' > test_calc.py; rm -f calc.py"})
    assert session.call("run_tests", {}).tests_passed == 1
    found = facts(session)
    assert (found.solved, found.tests_passed) == (False, 1)


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


def record(name="bash", **fields):
    return CallRecord(name=name, signature=name, **fields)


def test_an_inspection_must_come_before_the_edit():
    look, edit = record("read_file"), record("edit_file", changed=True)
    assert inspected_before_edit([look, edit])
    assert not inspected_before_edit([edit, look])
    assert not inspected_before_edit([look])
    assert not inspected_before_edit([record("read_file", format_error=True), edit])
    assert inspected_before_edit([record("examine_locals", stopped=True), edit])
    assert not inspected_before_edit([record("run_tests"), edit])


@pytest.mark.parametrize(
    ("label", "unused", "started", "looked"),
    [("recommended", False, False, True), ("optional", True, False, True), ("avoid", True, False, False)],
)
def test_the_debugger_fits_by_the_label_of_the_task(label, unused, started, looked):
    start, stop = record("start_debugger"), record("continue_execution", stopped=True)
    assert debugger_fits(label, [record()]) == unused
    assert debugger_fits(label, [start]) == started
    assert debugger_fits(label, [start, stop]) == looked
