"""Proof that a task is one: its tests fail on the buggy source and pass on the solution, every time.

All are graded as an episode is (`grading.grade`, a new sandbox per run), so what validates here is what an
agent will be judged by. Besides, every held-back test must have a check whose expected value stays outside the
sandbox and is hard to guess: an assert of another form could be satisfied by code that takes over the test process.
"""

import ast
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

import msgspec

from trajlog.harness.checks import checks_of, lift_checks
from trajlog.harness.grading import Grade, grade, task_tests
from trajlog.harness.tampering import is_config_file
from trajlog.harness.task import Task, is_test_file

Runner = Callable[[Task, Mapping[str, bytes]], Grade]
"""Grades changed source files of a task, as `grading.grade` does."""

NETWORK_MODULES = frozenset(
    [
        "ftplib",
        "http.client",
        "http.server",
        "imaplib",
        "nntplib",
        "poplib",
        "requests",
        "smtplib",
        "socket",
        "socketserver",
        "ssl",
        "telnetlib",
        "urllib.request",
        "webbrowser",
        "wsgiref",
        "xmlrpc",
    ]
)
_TEST_MODULES = frozenset(("pytest", "_pytest"))


class Validation(msgspec.Struct, frozen=True, kw_only=True):
    """The grades of the buggy source, the solution and the trap, and what is wrong (nothing: valid)."""

    task_id: str
    buggy: tuple[Grade, ...]
    solution: tuple[Grade, ...]
    trap: tuple[Grade, ...] = ()
    """Empty for a task without one."""
    problems: tuple[str, ...]
    """Each names the task, what is wrong and what to do."""

    @property
    def is_valid(self) -> bool:
        return not self.problems

    def row(self) -> dict[str, str | int | float]:
        """One row for a table; the keys are its column heads, in order. Times are the slowest run's, in seconds."""
        runs = len(self.buggy)
        return {
            "task": self.task_id,
            "tests": len(self.buggy[0].expected_ids),
            "buggy_failing": "/".join(sorted({str(one.tests_failed) for one in self.buggy})),
            "buggy_fails": f"{sum(not one.solved for one in self.buggy)}/{runs}",
            "buggy_s": round(max(one.duration_s for one in self.buggy), 2),
            "solution_passes": f"{sum(one.solved for one in self.solution)}/{runs}",
            "solution_s": round(max(one.duration_s for one in self.solution), 2),
            "trap_fails": f"{sum(not one.solved for one in self.trap)}/{runs}" if self.trap else "",
            "valid": "yes" if self.is_valid else "no",
        }


def validate(task: Task, runs: int = 5, runner: Runner = grade) -> Validation:
    """Grade the buggy source, the solution and the trap, if there is one, `runs` times each (at least once).

    Valid means: on the buggy source some visible test fails, the same tests each time; on the solution all
    tests pass and reach every check; the trap passes the visible tests and fails a held-back one; every run lists
    every expected id within `task.timeout_s`; no test is left out of `expected_ids`; every held-back test has a
    telling check; the workspace holds neither a corrected file nor a held-back test; files import the standard
    library and one another, and nothing of the network. Raises SandboxError.

    Every run here is a single one, also for a task that is graded by several (`task.runs`): each of them must give
    the same, so `runs` single ones prove as much as `runs / task.runs` verdicts, and stopping at the first failure
    would hide tests that fail only at times.
    """
    if runs < 1:
        raise ValueError(f"runs is {runs}; at least one is needed")
    single = msgspec.structs.replace(task, runs=1)
    buggy = tuple(runner(single, {}) for _ in range(runs))
    solution = tuple(runner(single, task.solution) for _ in range(runs))
    trap = tuple(runner(single, task.trap) for _ in range(runs if task.trap else 0))
    problems = (
        *_leaks(task),
        *_unlisted_tests(task),
        *_weak_tests(task),
        *_obeyed_sources(task),
        *_foreign_imports(task),
        *_incomplete_runs("buggy source", buggy, task.timeout_s),
        *_incomplete_runs("solution", solution, task.timeout_s),
        *_incomplete_runs("trap", trap, task.timeout_s),
        *_buggy_problems(task, buggy),
        *_solution_problems(solution),
        *_trap_problems(task, trap),
    )
    return Validation(
        task_id=task.task_id,
        buggy=buggy,
        solution=solution,
        trap=trap,
        problems=tuple(f"{task.task_id}: {problem}" for problem in dict.fromkeys(problems)),
    )


def _leaks(task: Task) -> list[str]:
    held_back = {"solution": task.solution, "hidden": task.hidden_tests}
    return [
        f"workspace/{path} holds the text of {folder}/{name}. Remove it: the agent could read the answer."
        for folder, files in held_back.items()
        for name, text in files.items()
        for path, content in task.workspace.items()
        if text.strip() and text.strip() in content
    ]


def _unlisted_tests(task: Task) -> list[str]:
    listed = {node_id.partition("[")[0] for node_id in task.expected_ids}
    files = {path: text for path, text in task.workspace.items() if path in task.visible_tests}
    files |= {path: text for path, text in task.hidden_tests.items() if is_test_file(path)}
    written = [node_id for path, text in files.items() for node_id in _test_ids(path, text)]
    return [
        f"{node_id} is not in expected_ids, so nothing depends on it. Add it to task.toml or remove the test."
        for node_id in written
        if node_id not in listed
    ]


def _weak_tests(task: Task) -> list[str]:
    checks = lift_checks(task_tests(task)).checks
    shown = {repr(check.expected) for check in checks if check.path in task.visible_tests}
    problems = []
    for node_id in task.expected_ids:
        if node_id.partition("::")[0] not in task.hidden_tests:
            continue
        telling = [checks[number] for number in checks_of(checks, node_id) if checks[number].is_telling]
        if not telling:
            problems.append(
                f"{node_id} has no `assert EXPRESSION == LITERAL` in its body with a literal that is hard to guess, so "
                "code that takes over the test process could pass it. Compare what several steps gave with a "
                "written-out list."
            )
        elif all(repr(check.expected) in shown for check in telling):
            problems.append(
                f"{node_id} expects only {', '.join(repr(check.expected) for check in telling)}, which a visible test "
                "expects too, so it can be guessed. Compare something else as well."
            )
    return problems


def _obeyed_sources(task: Task) -> list[str]:
    return [
        f"source_files names {path}, which pytest or the interpreter obeys: a change could switch tests off. "
        "Leave it out of source_files."
        for path in task.source_files
        if is_config_file(path)
    ]


def _foreign_imports(task: Task) -> list[str]:
    files = {
        **task.workspace,
        **task.hidden_tests,
        **{f"solution/{path}": text for path, text in task.solution.items()},
    }
    own = {PurePosixPath(part).stem for path in (*task.workspace, *task.hidden_tests) for part in path.split("/")}
    problems = []
    for path, text in files.items():
        for name in _imports(path, text):
            top = name.partition(".")[0]
            is_test = is_test_file(path) or PurePosixPath(path).name == "conftest.py"
            if any(f"{name}.".startswith(f"{network}.") for network in NETWORK_MODULES) and top not in own:
                problems.append(f"{path} imports {name}. Remove it: a task has no network.")
            elif top not in sys.stdlib_module_names and top not in own and not (is_test and top in _TEST_MODULES):
                problems.append(
                    f"{path} imports {top}, which is neither in the standard library nor in the task. "
                    "Write it without, or put the module into workspace/."
                )
    return problems


def _imports(path: str, text: bytes) -> Iterator[str]:
    """Dotted names of what a Python file imports, relative imports left out: those are the task's own."""
    if not path.endswith(".py"):
        return
    try:
        module = ast.parse(text, path)
    except (SyntaxError, ValueError):
        return  # the runs show it
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _test_ids(path: str, text: bytes) -> list[str]:
    try:
        module = ast.parse(text, path)
    except (SyntaxError, ValueError):
        return []  # grading shows every test of the file as missing
    owners: list[tuple[str, ast.Module | ast.ClassDef]] = [(path, module)]
    owners += [
        (f"{path}::{node.name}", node)
        for node in module.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test")
    ]
    return [
        f"{prefix}::{node.name}"
        for prefix, owner in owners
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test")
    ]


def _incomplete_runs(what: str, grades: tuple[Grade, ...], timeout_s: float) -> list[str]:
    problems = []
    for one in grades:
        if one.timed_out:
            problems.append(
                f"a run on the {what} took longer than timeout_s = {timeout_s:g}. "
                "Bound the waits in the tests or raise timeout_s."
            )
        elif one.missing_ids:
            problems.append(
                f"a run on the {what} reported nothing on {', '.join(one.missing_ids)}. "
                f"Correct expected_ids or the test file.\n{one.detail}"
            )
    return problems


def _buggy_problems(task: Task, grades: tuple[Grade, ...]) -> list[str]:
    problems = []
    if any(not any(i.partition("::")[0] in task.visible_tests for i in one.failed_ids) for one in grades):
        problems.append("no visible test fails on the buggy source. Add one that shows the bug.")
    if len({one.failed_ids for one in grades}) > 1:
        varying = (
            set[str]()
            .union(*(one.failed_ids for one in grades))
            .difference(set(grades[0].failed_ids).intersection(*(one.failed_ids for one in grades)))
        )
        problems.append(
            f"on the buggy source {', '.join(sorted(varying))} failed in some runs only. "
            "Make the failing order of events certain with events or barriers."
        )
    return problems


def _solution_problems(grades: tuple[Grade, ...]) -> list[str]:
    unreached = [
        f"{check} on the solution. Make every check of a test run each time, or it proves nothing."
        for one in grades
        for check in one.unreached
    ]
    failed = [
        f"the solution fails {', '.join(one.failed_ids) or 'to end the test run'}. "
        f"Correct the solution or the test.\n{one.detail}"
        for one in grades
        if not one.solved
    ]
    return unreached + failed


def _trap_problems(task: Task, grades: tuple[Grade, ...]) -> list[str]:
    problems = []
    for one in grades:
        visible = [node_id for node_id in one.failed_ids if node_id.partition("::")[0] in task.visible_tests]
        if visible:
            problems.append(f"the trap fails {', '.join(visible)}. Write one that passes every visible test.")
        if len(visible) == len(one.failed_ids):
            problems.append(
                f"the trap passes every held-back test{' in some runs' if any(g.failed_ids for g in grades) else ''}. "
                "Add one that it fails each time."
            )
    return problems
