"""A task into its folder: the inverse of `trajlog.harness.task.load_task`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from trajlog.errors import TaskError
from trajlog.harness.sandbox.base import SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.task import Task, check_id, is_test_file, load_task
from trajlog.harness.testing import run_pytest


def write_task(folder: Path, task: Task) -> Task:
    """Write `folder`/`task.task_id`/ and read it back. Raises TaskError if it exists or is no valid task."""
    path = folder / task.task_id
    check_id(path, task.task_id)
    if path.exists():
        raise TaskError(f"{path} exists. Remove it, or choose another name or folder.")
    files = {"task.toml": _toml(task).encode(), "statement.md": task.statement.strip().encode() + b"\n"}
    parts = {"workspace": task.workspace, "solution": task.solution, "hidden": task.hidden_tests, "trap": task.trap}
    for part, texts in parts.items():
        files |= {f"{part}/{name}": text for name, text in texts.items()}
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text)
    return load_task(path)


def with_expected_ids(task: Task, make_sandbox: SandboxFactory = LocalSandbox) -> Task:
    """The task expecting every test that passes on its solution. Raises TaskError if none does, SandboxError."""
    tests = sorted({*task.visible_tests, *filter(is_test_file, task.hidden_tests)})
    with make_sandbox(task.workspace | task.solution | task.hidden_tests) as sandbox:
        outcomes = run_pytest(sandbox, tests, timeout_s=task.timeout_s).report.outcomes
    passed = tuple(node_id for node_id, outcome in outcomes.items() if outcome == "passed")
    if not passed:
        raise TaskError(f"{task.task_id}: no test passes on the corrected source. Check the tests and their imports.")
    return msgspec.structs.replace(task, expected_ids=passed)


def _toml(task: Task) -> str:
    head: Mapping[str, object] = {
        "title": task.title,
        "category": task.category,
        "difficulty": task.difficulty,
        "debugger": task.debugger,
        "source_files": task.source_files,
        "timeout_s": float(task.timeout_s),
        **({"runs": task.runs} if task.runs > 1 else {}),
        "expected_ids": task.expected_ids,
    }
    return "".join(f"{key} = {_value(value)}\n" for key, value in head.items())


def _value(value: object) -> str:
    if isinstance(value, Iterable) and not isinstance(value, str):
        return "[\n" + "".join(f"    {_value(item)},\n" for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)  # a JSON string, number or boolean is TOML too
