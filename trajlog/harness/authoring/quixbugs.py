"""Import a checkout of QuixBugs (Lin et al., 2017): one-function programs with a one-line bug each.

    python_programs/<name>.py          the buggy function, its description as a string at the end
    correct_python_programs/<name>.py  the correction
    json_testcases/<name>.json         a case per line, `[[arguments], result]`
    python_testcases/test_<name>.py    where there are no cases: ordinary tests, with `node.py` beside them

Tests and cases that fail on the buggy function are shown and held back in turn, so that both sides have some; a single
one is in both. What the corrected function does not pass within two seconds is left out.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trajlog.errors import TaskError
from trajlog.harness.sandbox.base import SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.task import Category, Debugger, Task
from trajlog.harness.testing import run_pytest

_TIMEOUT_S = 60.0

_HEAD = '''\
import signal
import types

import pytest
from {name} import {name}


@pytest.fixture(autouse=True)
def deadline():
    """A call that does not end fails after two seconds."""

    def over(signum, frame):
        raise TimeoutError("no answer within two seconds")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, 2.0)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
    signal.signal(signal.SIGALRM, before)


def plain(value):
    """Tuples and generators as lists."""
    return [plain(item) for item in value] if isinstance(value, (list, tuple, types.GeneratorType)) else value
'''

Case = tuple[list[Any], Any]


def read_quixbugs(
    source: Path,
    category: Category,
    difficulty: int,
    debugger: Debugger,
    make_sandbox: SandboxFactory = LocalSandbox,
) -> Iterator[tuple[str, Task | TaskError]]:
    """The tasks of a checkout by name; `expected_ids` are still empty.

    One that cannot be read gives its TaskError; a source that is no checkout raises it. Raises SandboxError.
    """
    buggy = source / "python_programs"
    if not buggy.is_dir() or not (source / "correct_python_programs").is_dir():
        raise TaskError(f"{source} has no python_programs and correct_python_programs: it is no checkout of QuixBugs.")
    for path in sorted(buggy.glob("*.py")):
        correct, tests = source / "correct_python_programs" / path.name, source / "python_testcases"
        cases = source / "json_testcases" / f"{path.stem}.json"
        if not correct.is_file() or not (cases.is_file() or (tests / f"test_{path.stem}.py").is_file()):
            continue  # node.py and the like
        try:
            workspace, hidden = _tests(path, correct, cases, tests, make_sandbox)
        except TaskError as error:
            yield path.stem, error
            continue
        yield (
            path.stem,
            Task(
                task_id=path.stem,
                title=f"{path.stem} gives a wrong result",
                category=category,
                difficulty=difficulty,
                debugger=debugger,
                split="train",
                statement=_statement(path.stem, path.read_text(encoding="utf-8")),
                workspace=workspace,
                source_files=(path.name,),
                solution={path.name: correct.read_bytes()},
                visible_tests=(f"test_{path.stem}.py",),
                hidden_tests={f"test_{path.stem}_more.py": hidden.encode()},
                expected_ids=(),
                timeout_s=_TIMEOUT_S,
            ),
        )


def _tests(
    path: Path, correct: Path, cases: Path, tests: Path, make_sandbox: SandboxFactory
) -> tuple[dict[str, bytes], str]:
    """The workspace of a program, with its visible tests, and the text of the held-back ones."""
    name = path.stem
    workspace = {path.name: path.read_bytes()}
    found = _read_cases(cases) if cases.is_file() else None
    if found is not None:
        every = _visible(name, found)
    else:
        every = _rewritten(name, (tests / f"test_{name}.py").read_text(encoding="utf-8"))
        if "node import" in every:
            workspace["node.py"] = (tests / "node.py").read_bytes()
    shown, held_back = _dealt(
        _passing(name, every, workspace | {path.name: correct.read_bytes()}, make_sandbox),
        _passing(name, every, workspace, make_sandbox),
    )
    if found is not None:
        visible = _visible(name, [case for number, case in enumerate(found, 1) if f"test_case_{number}" in shown])
        hidden = _hidden(name, [case for number, case in enumerate(found, 1) if f"test_case_{number}" in held_back])
    else:
        visible, hidden = _only(every, shown), _only(every, held_back)
    return workspace | {f"test_{name}.py": visible.encode()}, hidden


def _read_cases(path: Path) -> list[Case]:
    try:
        cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [(arguments if isinstance(arguments, list) else [arguments], result) for arguments, result in cases]
    except (ValueError, TypeError) as error:
        raise TaskError(f"{path} cannot be read: {error}. Each line is `[[arguments], result]`.") from error


def _passing(name: str, tests: str, files: Mapping[str, bytes], make_sandbox: SandboxFactory) -> list[str]:
    """Names of the test functions that pass, in order."""
    path = f"test_{name}.py"
    with make_sandbox({**files, path: tests.encode()}) as sandbox:
        outcomes = run_pytest(sandbox, [path], timeout_s=_TIMEOUT_S).report.outcomes
    return [node_id.partition("::")[2] for node_id, outcome in outcomes.items() if outcome == "passed"]


def _dealt(pass_corrected: Sequence[str], pass_buggy: Sequence[str]) -> tuple[set[str], set[str]]:
    """Which tests are shown and which are held back."""
    good = [test for test in pass_corrected if test in pass_buggy]
    bad = [test for test in pass_corrected if test not in pass_buggy]
    return {*bad[::2], *good[::2]}, {*(bad[1::2] or bad), *good[1::2]}


def _only(text: str, names: set[str]) -> str:
    """The module without the test functions that are not named."""
    lines = text.splitlines(keepends=True)
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and node.name not in names:
            del lines[node.lineno - 1 : node.end_lineno]
    return "".join(lines)


def _visible(name: str, cases: Sequence[Case]) -> str:
    tests = (
        f"\n\ndef test_case_{number}():\n    assert plain({_call(name, arguments)}) == {result!r}\n"
        for number, (arguments, result) in enumerate(cases, 1)
    )
    return _HEAD.format(name=name) + "".join(tests)


def _hidden(name: str, cases: Sequence[Case]) -> str:
    calls = "".join(f"        plain({_call(name, arguments)}),\n" for arguments, _ in cases)
    results = [result for _, result in cases]
    return f"{_HEAD.format(name=name)}\n\ndef test_more_cases():\n    assert [\n{calls}    ] == {results!r}\n"


def _call(name: str, arguments: Sequence[Any]) -> str:
    return f"{name}({', '.join(map(repr, arguments))})"


def _rewritten(name: str, text: str) -> str:
    """The tests with one import from the workspace in place of the choice between two packages."""
    return re.sub(
        r"^if pytest\.use_correct:\n(?:[ \t]+.*\n)+else:\n(?:[ \t]+.*\n)+",
        f"from {name} import {name}\n",
        text,
        flags=re.MULTILINE,
    )


def _statement(name: str, source: str) -> str:
    strings = [
        node.value.value
        for node in ast.parse(source).body
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    told = f"\n\n{strings[-1].strip()}" if strings else ""
    return f"# {name} gives a wrong result\n\nSome calls of `{name}` give a wrong result or none at all.{told}\n"
