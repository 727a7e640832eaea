"""The record of full validations, kept beside the tasks as `validated.json`.

For every task: the digest of its folder's content as validated, how many runs, and the visible tests that failed on the
buggy source. A task whose content has another digest counts as changed, and is to be validated again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from trajlog.errors import TaskError
from trajlog.harness.task import Task
from trajlog.harness.validate import Validation

RECORD = "validated.json"


class Validated(msgspec.Struct, frozen=True):
    digest: str
    """SHA-256 over what `task_digest` says, in hex."""
    runs: int
    """Runs of the buggy source and as many of the solution."""
    failing_visible: tuple[str, ...]
    """Visible tests that failed on the buggy source."""
    slowest_s: float


def task_digest(task: Task) -> str:
    """SHA-256 of everything that decides a task's validity; not of its split."""
    content = msgspec.json.encode(msgspec.structs.replace(task, split="train"), order="sorted")
    return hashlib.sha256(content).hexdigest()


def read_record(folder: Path) -> dict[str, Validated]:
    """What is recorded in a folder of tasks; empty without a file. Raises TaskError."""
    path = folder / RECORD
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Validated])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.MsgspecError) as error:
        raise TaskError(f"{path}: {error}. Remove it and run `trajlog tasks validate --record`.") from error


def write_record(folder: Path, record: Mapping[str, Validated]) -> None:
    """Write it whole, in one rename. Raises OSError."""
    path = folder / RECORD
    text = msgspec.json.format(msgspec.json.encode(dict(sorted(record.items())), order="sorted"), indent=1)
    temporary = path.with_name(f".{RECORD}.new")
    temporary.write_bytes(text + b"\n")
    temporary.replace(path)


def changed(tasks: Mapping[str, Task], record: Mapping[str, Validated]) -> dict[str, Task]:
    """The tasks that are not recorded with their present content."""
    return {
        task_id: task
        for task_id, task in tasks.items()
        if task_id not in record or record[task_id].digest != task_digest(task)
    }


def recorded(task: Task, validation: Validation) -> Validated:
    """The record of a validation without problems. Raises ValueError if it has some."""
    if validation.problems:
        raise ValueError(f"{task.task_id} is not valid")
    failing = {node_id for grade in validation.buggy for node_id in grade.failed_ids}
    return Validated(
        digest=task_digest(task),
        runs=len(validation.buggy),
        failing_visible=tuple(sorted(i for i in failing if i.partition("::")[0] in task.visible_tests)),
        slowest_s=round(max(grade.duration_s for grade in (*validation.buggy, *validation.solution)), 1),
    )


def failing_tests(record: Mapping[str, Validated], task_ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Visible failing tests of each task, () where nothing is recorded."""
    return {task_id: record[task_id].failing_visible if task_id in record else () for task_id in task_ids}
