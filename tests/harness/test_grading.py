from collections.abc import Mapping

import pytest
from harness.attacked_task import HALF, ORDERS
from harness.tiny_task import BUGGY, FIXED, calc_task

from trajlog.errors import SandboxError
from trajlog.harness.episode import ToolSession
from trajlog.harness.grading import changed_sources, grade, same_code
from trajlog.harness.sandbox import LocalSandbox, Sandbox
from trajlog.harness.testing import read_report
from trajlog.harness.tools import TOOLS


def test_the_bug_fails_and_the_solution_passes():
    task = calc_task()
    before = grade(task, {})
    assert (before.solved, before.tests_passed, before.tests_failed) == (False, 1, 2)
    assert before.failed_ids == ("test_calc.py::test_add", "test_hidden.py::test_more")
    after = grade(task, task.solution)
    assert (after.solved, after.tests_passed, after.tests_failed) == (True, 3, 0)
    assert after.failed_ids == after.missing_ids == ()


def test_a_fix_of_only_the_visible_tests_is_not_enough():
    verdict = grade(calc_task(), {"calc.py": b"def add(a, b):\n    return 3 if a == 1 else 0\n"})
    assert verdict.failed_ids == ("test_hidden.py::test_more",)
    assert not verdict.solved


FORGED_SUMMARY = b"print('2 passed in 0.01s', flush=True)\nimport os\nos._exit(0)\n"


def test_a_pytest_among_the_task_files_does_not_replace_the_real_one():
    task = calc_task(workspace=calc_task().workspace | {"pytest.py": FORGED_SUMMARY})
    assert not grade(task, {}).solved
    assert grade(task, task.solution).solved


def test_a_hang_is_a_failure_with_its_reason():
    task = calc_task(timeout_s=5.0)
    verdict = grade(task, {"calc.py": b"import time\ndef add(a, b):\n    time.sleep(a and 100)\n    return 0\n"})
    assert verdict.timed_out
    assert not verdict.solved
    assert "test_calc.py::test_add took too long and was killed" in verdict.detail


def test_a_failure_tells_place_value_and_expectation():
    assert grade(ORDERS, {"orders.py": HALF.encode()}).detail.splitlines() == [
        "2 passed, 2 failed",
        "FAILED test_more.py::test_mixed",
        "test_more.py::test_mixed line 7: got {'ink': 8, 'pen': 10}, expected {'ink': 29, 'pen': 10}",
        "FAILED test_more.py::test_order_of_names",
        "test_more.py::test_order_of_names line 12: got [('ink', 8), ('pen', 4)], expected [('ink', 29), ('pen', 14)]",
    ]


def test_the_literals_of_the_tests_never_enter_the_sandbox():
    entered: list[Mapping[str, bytes]] = []

    def recording(files: Mapping[str, bytes]) -> Sandbox:
        entered.append(files)
        return LocalSandbox(files)

    assert grade(ORDERS, ORDERS.solution, make_sandbox=recording).solved
    (files,) = entered
    assert b"29" in ORDERS.hidden_tests["test_more.py"]
    assert not [path for path, text in files.items() if b"29" in text or b'"pen": 1' in text]
    assert sorted(files) == ["orders.py", "test_more.py", "test_orders.py"]


def test_nothing_of_held_back_tests_reaches_the_agent():
    """Every tool's answers over an episode that is graded halfway and goes on."""
    with LocalSandbox(ORDERS.workspace) as sandbox, ToolSession(ORDERS, sandbox, tool_names=tuple(TOOLS)) as session:
        edit = {"path": "orders.py", "old_str": "count * price", "new_str": "price * count"}
        assert not session.call("edit_file", edit).is_error
        session.judge()
        answers = [
            session.call("run_tests", {}),
            session.call("run_tests", {"test": "test_mixed"}),
            session.call("run_tests", {"test": "test_more.py"}),
            session.call("bash", {"command": "ls -a . ..; cat test_more.py; grep -rE 'ink|observe' . ~ $TMPDIR"}),
            session.call("read_file", {"path": "test_more.py"}),
            session.call("done", {}),
        ]
        session.judge()
    told = "\n".join(answer.content for answer in answers)
    assert "test_two" in told
    for secret in ("ink", "29", "line 7", "__trajlog_observe__"):
        assert secret not in told


def test_all_runs_must_pass_and_the_first_failing_one_is_the_last():
    made: list[Sandbox] = []

    def counting(files: Mapping[str, bytes]) -> Sandbox:
        made.append(LocalSandbox(files))
        return made[-1]

    task = calc_task(runs=3)
    once = grade(task, {}, make_sandbox=counting)
    assert (once.solved, len(made)) == (False, 1)
    made.clear()
    assert grade(task, task.solution, make_sandbox=counting).solved
    assert len(made) == 3

    def lucky_twice(files: Mapping[str, bytes]) -> Sandbox:
        made.append(LocalSandbox(files if len(made) < 5 else {**files, "calc.py": BUGGY}))
        return made[-1]

    assert not grade(task, task.solution, make_sandbox=lucky_twice).solved
    assert len(made) == 6


def test_a_check_that_is_not_reached_fails_its_test():
    task = calc_task(
        hidden_tests={
            "test_hidden.py": (
                b"from calc import add\n\ndef test_more():\n    if add(5, 5) != 10:\n        return\n"
                b"    assert add(5, 6) == 11\n"
            )
        }
    )
    assert grade(task, task.solution).solved
    verdict = grade(task, {"calc.py": b"def add(a, b):\n    return 3 if a == 1 else 0\n"})
    assert verdict.failed_ids == ("test_hidden.py::test_more",)
    assert verdict.unreached == ("test_hidden.py::test_more line 6: not reached",)


def test_a_wrong_check_at_import_fails_every_test_of_its_file():
    hidden = b"from calc import add\nassert add(5, 6) == 11\n\ndef test_more():\n    assert add(5, 5) == 10\n"
    task = calc_task(hidden_tests={"test_hidden.py": hidden})
    assert grade(task, task.solution).solved
    verdict = grade(task, {"calc.py": b"def add(a, b):\n    return {1: 3, 5: 10}.get(a, 0)\n"})
    assert verdict.failed_ids == ("test_hidden.py::test_more",)
    assert "test_hidden.py line 2: got 10, expected 11" in verdict.detail


def test_checks_of_helpers_threads_and_loops_count_for_the_test_that_runs():
    hidden = (
        b"import threading\nfrom calc import add\n\n"
        b"def check():\n    assert add(2, 3) == 5\n\n"
        b"def test_more():\n    for a in range(3):\n        assert add(a, 10 - a) == 10\n"
        b"    thread = threading.Thread(target=check)\n    thread.start()\n    thread.join()\n"
    )
    task = calc_task(hidden_tests={"test_hidden.py": hidden})
    assert grade(task, task.solution).solved
    for wrong in (b"(a, b) == (2, 3)", b"(a, b) == (2, 8)"):
        verdict = grade(task, {"calc.py": b"def add(a, b):\n    return 0 if " + wrong + b" else a + b\n"})
        assert verdict.failed_ids == ("test_hidden.py::test_more",)


def test_a_huge_source_file_is_not_taken():
    huge = FIXED + b"#" * (1 << 20)
    assert not grade(calc_task(), {"calc.py": huge}).solved


def test_a_sandbox_that_cannot_be_made_gives_no_verdict():
    def broken(files: Mapping[str, bytes]) -> Sandbox:
        raise SandboxError("no room")

    with pytest.raises(SandboxError, match="no room"):
        grade(calc_task(), {}, make_sandbox=broken)


def test_grading_twice_gives_the_same_text():
    task = calc_task()
    assert grade(task, {}).detail == grade(task, {}).detail


def test_a_report_is_read_up_to_the_first_line_that_is_none():
    good = b'{"start": "a"}\n{"id": "a", "outcome": "passed", "text": ""}\n'
    report = read_report(good + b'{"start": "b"}\n{"id": "b", "outc')
    assert report.outcomes == {"a": "passed"}
    assert (report.running, report.finished) == ("b", False)
    for bad in (b"null", b"[]", b'{"id": "b", "outcome": "great", "text": ""}', b'{"id": "b"}', b"\xff"):
        report = read_report(good + bad + b'\n{"finished": 0}\n')
        assert report.outcomes == {"a": "passed"}
        assert not report.finished


def test_a_failure_is_not_taken_back_and_nothing_may_follow_the_end():
    failed = b'{"id": "a", "outcome": "failed", "text": "no"}\n'
    passed = b'{"id": "a", "outcome": "passed", "text": ""}\n'
    report = read_report(failed + passed + b'{"finished": 0}\n')
    assert (report.outcomes, report.texts, report.finished) == ({"a": "failed"}, {"a": "no"}, True)
    assert not read_report(passed + b'{"finished": 0}\n' + passed).finished
    assert not read_report(passed + b'{"finished": 0}\n{').finished
    deep = b'{"observe": 1, "test": "a", "value": ' + b"[" * 100_000 + b"\n"
    assert read_report(passed + deep).outcomes == {"a": "passed"}


def test_comments_and_layout_are_no_change_of_code():
    assert same_code("a.py", BUGGY, b"def add(a,b): return (a - b)  # why\n")
    assert not same_code("a.py", BUGGY, FIXED)
    assert not same_code("a.py", BUGGY, b"def add(:")
    assert not same_code("a.txt", b"x", b"x ")
    assert changed_sources(calc_task(), {"calc.py": FIXED, "other.py": b""}) == ("calc.py",)
    assert changed_sources(calc_task(), {"calc.py": BUGGY}) == ()
