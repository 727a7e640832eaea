import pytest
from harness.tiny_task import BUGGY, FIXED, calc_task

from trajlog.harness.grading import changed_sources, grade, same_code
from trajlog.harness.testing import read_report


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
ATTACKS = {
    "leaves at import": {"calc.py": b"import os\nos._exit(0)\n"},
    "prints a summary and leaves": {"calc.py": FORGED_SUMMARY},
    "leaves by exit at import": {"calc.py": b"import sys\nsys.exit(0)\n"},
    "makes the exit code 0": {"calc.py": b"import atexit, os\natexit.register(os._exit, 0)\n" + BUGGY},
    "leaves in the test": {"calc.py": b"import os\ndef add(a, b):\n    os._exit(0)\n"},
    "skips the test": {"calc.py": b"import pytest\ndef add(a, b):\n    pytest.skip('no')\n"},
    "skips the file": {"calc.py": b"import pytest\npytest.skip('no', allow_module_level=True)\n"},
    "ends the session": {"calc.py": b"import pytest\ndef add(a, b):\n    pytest.exit('fine', returncode=0)\n"},
    "marks itself as expected to fail": {"calc.py": b"import pytest\ndef add(a, b):\n    pytest.xfail('known')\n"},
    "rewrites the tests": {"test_calc.py": b"def test_add(): pass\ndef test_zero(): pass\n"},
    "rewrites the held-back tests": {"test_hidden.py": b"def test_more(): pass\n"},
    "brings a conftest": {
        "conftest.py": (
            b"import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport():\n"
            b"    outcome = yield\n    outcome.get_result().outcome = 'passed'\n"
        )
    },
    "brings an ini file": {"pytest.ini": b"[pytest]\naddopts = --co\n"},
    "brings a pytest": {"pytest.py": FORGED_SUMMARY, "pytest/__init__.py": FORGED_SUMMARY},
    "brings a sitecustomize": {"sitecustomize.py": FORGED_SUMMARY},
    "brings a path file": {"evil.pth": b"import os; os._exit(0)\n"},
}


@pytest.mark.parametrize("files", ATTACKS.values(), ids=ATTACKS)
def test_what_does_not_fix_the_bug_does_not_solve_the_task(files):
    verdict = grade(calc_task(), files)
    assert not verdict.solved
    assert verdict.tests_passed + verdict.tests_failed == len(verdict.expected_ids)
    assert verdict.tests_passed <= 1


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


def test_comments_and_layout_are_no_change_of_code():
    assert same_code("a.py", BUGGY, b"def add(a,b): return (a - b)  # why\n")
    assert not same_code("a.py", BUGGY, FIXED)
    assert not same_code("a.py", BUGGY, b"def add(:")
    assert not same_code("a.txt", b"x", b"x ")
    assert changed_sources(calc_task(), {"calc.py": FIXED, "other.py": b""}) == ("calc.py",)
    assert changed_sources(calc_task(), {"calc.py": BUGGY}) == ()
