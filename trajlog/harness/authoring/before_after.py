"""Import a folder of one's own: a program before and after a fix.

<name>/before/        the program with the bug, and its tests `test_*.py`
<name>/after/         the same with the fix; only what differs is needed. Tests that it added are held back
<name>/statement.md   optional: what is told of the bug
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from trajlog.errors import TaskError
from trajlog.harness.task import Category, Debugger, Task, is_test_file, read_tree

_STATEMENT = "The tests of this program fail. Find out why and correct it."


def read_before_after(
    source: Path, category: Category, difficulty: int, debugger: Debugger
) -> Iterator[tuple[str, Task | TaskError]]:
    """The tasks in `source` by name: one such folder, or a folder of them. `expected_ids` are still empty.

    One that cannot be read gives its TaskError; a source that holds none raises it.
    """
    folders = (
        [source] if (source / "before").is_dir() else sorted(p for p in source.iterdir() if (p / "before").is_dir())
    )
    if not folders:
        raise TaskError(f"{source} holds no folder with `before` and `after`. See docs/tasks.md for the layouts.")
    for folder in folders:
        try:
            yield folder.name, _read(folder, category, difficulty, debugger)
        except TaskError as error:
            yield folder.name, error


def _read(folder: Path, category: Category, difficulty: int, debugger: Debugger) -> Task:
    before, after = read_tree(folder / "before"), read_tree(folder / "after")
    changed = {path: text for path, text in after.items() if before.get(path) != text}
    solution = {path: text for path, text in changed.items() if not is_test_file(path)}
    hidden = {_held_back(path, before): text for path, text in changed.items() if is_test_file(path)}
    for path in solution:
        if path not in before:
            raise TaskError(f"{folder}: the fix adds {path}. Put an empty file of that name into before/.")
    if not solution or not hidden:
        missing = "no source" if not solution else "no test"
        raise TaskError(
            f"{folder}: {missing} differs between before/ and after/. A fix changes source and adds a test."
        )
    statement = folder / "statement.md"
    text = statement.read_text(encoding="utf-8") if statement.is_file() else _STATEMENT
    return Task(
        task_id=folder.resolve().name,
        title=text.strip().splitlines()[0].lstrip("# "),
        category=category,
        difficulty=difficulty,
        debugger=debugger,
        split="train",
        statement=text,
        workspace=before,
        source_files=tuple(sorted(path for path in before if path.endswith(".py") and not _is_support(path))),
        solution=solution,
        visible_tests=tuple(sorted(filter(is_test_file, before))),
        hidden_tests=hidden,
        expected_ids=(),
        timeout_s=60.0,
    )


def _held_back(path: str, before: dict[str, bytes]) -> str:
    """A name that does not replace a visible test."""
    return str(PurePosixPath(path).with_name(f"{PurePosixPath(path).stem}_fixed.py")) if path in before else path


def _is_support(path: str) -> bool:
    return is_test_file(path) or PurePosixPath(path).name == "conftest.py"
