"""The tasks of a folder, by id, and the choice of some of them.

`load_catalog(None)` reads the tasks shipped in the package (`harness/tasks/`); any folder of task folders
works the same. Files beside the task folders (a README) and folders whose name starts with `.` or `_` are
passed over.

The file `splits.toml` in that folder fixes which tasks are for training, validation and test: three arrays of task
ids named `train`, `validation` and `test`. Without the file every task is for training; with it, so is a task that
it does not name.
"""

import tomllib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import get_args

import msgspec

from trajlog.errors import TaskError
from trajlog.harness.authoring.sizes import measure
from trajlog.harness.task import Split, Task, load_task

PACKAGED_TASKS = Path(__file__).parent / "tasks"
SPLITS = "splits.toml"


def load_catalog(folder: Path | None = None) -> dict[str, Task]:
    """Every task in `folder`, ordered by id. Raises TaskError if one is malformed or there is none."""
    root = PACKAGED_TASKS if folder is None else Path(folder)
    if not root.is_dir():
        raise TaskError(f"{root} is not a folder. Give a folder that holds one folder per task.")
    if (root / "task.toml").exists():
        raise TaskError(f"{root} is one task, not a folder of tasks. Give {root.parent}.")
    folders = sorted(entry for entry in root.iterdir() if entry.is_dir() and entry.name[0] not in "._")
    if not folders:
        raise TaskError(f"{root} holds no task. Put one folder per task there, each with a task.toml.")
    splits = load_splits(root / SPLITS, [folder.name for folder in folders])
    tasks = (msgspec.structs.replace(load_task(folder), split=splits.get(folder.name, "train")) for folder in folders)
    return {task.task_id: task for task in tasks}


def load_splits(path: Path, task_ids: Iterable[str]) -> dict[str, Split]:
    """The split of every task that the file names; empty without a file. Raises TaskError naming the remedy."""
    try:
        named = msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[Split, list[str]])
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise TaskError(f"{path}: {error}. Write arrays of task ids named {', '.join(get_args(Split))}.") from error
    known, found = set(task_ids), dict[str, Split]()
    for split, ids in named.items():
        for task_id in ids:
            if task_id in found:
                raise TaskError(f"{path} names {task_id!r} twice. Name it in one split.")
            if task_id not in known:
                raise TaskError(f"{path} names {task_id!r}, which is no task of {path.parent}. Remove or rename it.")
            found[task_id] = split
    return found


def select(
    catalog: Mapping[str, Task], *, split: str | None = None, ids: Iterable[str] | None = None
) -> dict[str, Task]:
    """The tasks of `split` (None: of any) named by `ids` (None: all), in catalog order.

    Raises TaskError for an unknown split, for an unknown id (with the nearest ids), for an id of another
    split and for a choice that leaves nothing.
    """
    if split is not None and split not in get_args(Split):
        raise TaskError(f"there is no split {split!r}. Choose one of {', '.join(get_args(Split))}.")
    wanted = None if ids is None else set(ids)
    for task_id in sorted(wanted or ()):
        if task_id not in catalog:
            raise TaskError(_unknown(task_id, catalog))
        if split not in (None, catalog[task_id].split):
            raise TaskError(
                f"task {task_id!r} is in split {catalog[task_id].split!r}, not {split!r}. "
                "Leave the id out or choose its split."
            )
    chosen = {
        task_id: task
        for task_id, task in catalog.items()
        if split in (None, task.split) and (wanted is None or task_id in wanted)
    }
    if not chosen:
        raise TaskError(
            f"no task is left of {len(catalog)} (split {split!r}, ids {sorted(wanted or ())}). Choose others."
        )
    return chosen


def _unknown(task_id: str, catalog: Mapping[str, Task]) -> str:
    near = get_close_matches(task_id, catalog, n=3, cutoff=0.5)
    if near:
        return f"there is no task {task_id!r}. Did you mean {' or '.join(near)}?"
    return f"there is no task {task_id!r}. There are: {', '.join(catalog)}."


def list_rows(catalog: Mapping[str, Task]) -> list[dict[str, str | int]]:
    """One row per task for a table; the keys are its column heads, in order."""
    return [
        {
            "task": task.task_id,
            "category": task.category,
            "difficulty": task.difficulty,
            "debugger": task.debugger,
            "split": task.split,
            "lines": measure(task).lines,
            "tests": len(task.expected_ids),
            "title": task.title,
        }
        for task in catalog.values()
    ]
