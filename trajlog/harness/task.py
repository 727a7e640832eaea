"""One bug task: what an episode starts from, what grades it, and the loader of its folder.

Folder `<task_id>/`:

    task.toml      title, category, difficulty, debugger, source_files, timeout_s, expected_ids; runs is optional
    statement.md   what the agent is told, written like an issue; it does not name the fix
    workspace/     what the agent sees: buggy source, supporting files, visible tests `test_*.py`
    solution/      the corrected text of some of `source_files`, same relative paths; held back
    hidden/        held-back tests (and data they read); laid over the workspace when grading
    trap/          optional: the obvious, incomplete fix, laid out like solution/; passes the visible tests only

Which split a task belongs to is fixed by the file `splits.toml` beside the task folders (see catalog.py).
Paths inside a task are relative POSIX strings (`pkg/store.py`), the same in every mapping. Tests run with the
workspace root as working directory and rootdir, so node ids read `test_store.py::test_reload`.
`__pycache__` and `.pytest_cache` folders are never loaded: a `.pyc` could carry the solution to the agent.
"""

import re
import tomllib
from pathlib import Path, PurePosixPath
from typing import Literal, get_args

import msgspec

from trajlog.errors import TaskError

Category = Literal[
    "shared_state",
    "serialization",
    "concurrency",
    "lifecycle",
    "caching",
    "iteration",
    "numeric",
    "parsing",
    "api_misuse",
]
Debugger = Literal["recommended", "optional", "avoid"]
Split = Literal["train", "validation", "test"]

_TASK_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")
_PARTS = ("task.toml", "statement.md", "workspace", "solution", "hidden", "trap")
_CACHE_FOLDERS = frozenset({"__pycache__", ".pytest_cache"})


class Task(msgspec.Struct, frozen=True):
    """A loaded task. Mappings are path -> file content; nobody may write to them.

    `solution`, `trap` and `hidden_tests` never enter an agent's sandbox. `difficulty` is 1 (easy) to 5. `debugger`
    says whether inspecting the running program should pay off. `source_files` are the only paths an agent's
    change of which reaches grading. `expected_ids` are the pytest node ids of visible and hidden tests
    together, in no meaningful order; a graded run must report on every one. `timeout_s`: seconds for one run
    of all of them; `runs`: how many such runs must all pass, above 1 where threads could be lucky once.
    """

    task_id: str
    title: str
    category: Category
    difficulty: int
    debugger: Debugger
    split: Split
    statement: str
    workspace: dict[str, bytes]
    source_files: tuple[str, ...]
    solution: dict[str, bytes]
    visible_tests: tuple[str, ...]
    hidden_tests: dict[str, bytes]
    expected_ids: tuple[str, ...]
    timeout_s: float
    runs: int = 1
    trap: dict[str, bytes] = {}


class _TaskToml(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """task.toml as it is written."""

    title: str
    category: Category
    difficulty: int
    debugger: Debugger
    source_files: tuple[str, ...]
    timeout_s: float
    expected_ids: tuple[str, ...]
    runs: int = 1


def is_test_file(path: str) -> bool:
    """Whether pytest collects `path` by its name; only such files count as tests of a task."""
    name = PurePosixPath(path).name
    return name.startswith("test_") and name.endswith(".py")


def load_task(path: Path) -> Task:
    """Read the task folder `path`. Raises TaskError naming the file, the field and the remedy."""
    path = Path(path)
    if not path.is_dir():
        raise TaskError(f"{path} is not a folder. Give the folder that holds task.toml.")
    task_id = path.resolve().name
    check_id(path, task_id)
    _check_parts(path)
    toml_path = path / "task.toml"
    header = _read_header(toml_path)
    workspace = read_tree(path / "workspace")
    solution = read_tree(path / "solution")
    hidden_tests = read_tree(path / "hidden")
    trap = read_tree(path / "trap") if (path / "trap").is_dir() else {}
    task = Task(
        task_id=task_id,
        title=header.title,
        category=header.category,
        difficulty=header.difficulty,
        debugger=header.debugger,
        split="train",
        statement=_read_statement(path / "statement.md"),
        workspace=workspace,
        source_files=header.source_files,
        solution=solution,
        visible_tests=tuple(sorted(filter(is_test_file, workspace))),
        hidden_tests=hidden_tests,
        expected_ids=header.expected_ids,
        timeout_s=header.timeout_s,
        runs=header.runs,
        trap=trap,
    )
    _check_header(task, toml_path)
    _check_files(task, path)
    return task


def check_id(path: Path, task_id: str) -> None:
    """Raises TaskError if `task_id`, of the task folder `path`, is none."""
    if not _TASK_ID.fullmatch(task_id):
        raise TaskError(
            f"{path}: the folder's name is the task id, and {task_id!r} is none. "
            "Rename it to lower-case letters, digits and _ (a letter first, 64 at most)."
        )


def _check_parts(path: Path) -> None:
    for entry in sorted(path.iterdir()):
        if entry.name not in _PARTS and entry.name[0] not in "._" and entry.name != "README.md":
            raise TaskError(f"{entry} is no part of a task. The parts are {', '.join(_PARTS)}: rename or remove it.")


def _read_header(path: Path) -> _TaskToml:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        fields = ", ".join(_TaskToml.__struct_fields__)
        raise TaskError(f"{path} is missing. Write it with the fields {fields}.") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise TaskError(f"{path} cannot be read as TOML: {error}. Correct the file.") from error
    try:
        return msgspec.convert(values, _TaskToml)
    except msgspec.ValidationError as error:
        raise TaskError(f"{path}: {error}. {_remedy(str(error))}") from error


def _remedy(message: str) -> str:
    for field, kind in (("category", Category), ("debugger", Debugger)):
        if f"$.{field}" in message:
            return f"Set {field} to one of {', '.join(get_args(kind))}."
    return f"The fields are {', '.join(_TaskToml.__struct_fields__)}, each of them exactly once."


def _read_statement(path: Path) -> str:
    try:
        text = path.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        raise TaskError(f"{path} is missing. Write what the agent is told, as an issue reads.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise TaskError(f"{path} cannot be read: {error}. Save it as UTF-8 text.") from error
    if not text:
        raise TaskError(f"{path} is empty. Write what the agent is told, as an issue reads.")
    return text


def read_tree(root: Path) -> dict[str, bytes]:
    """The files below `root`, caches left out. Raises TaskError for links, devices and an empty folder."""
    if not root.is_dir():
        raise TaskError(f"{root} is missing. A task has the folders workspace, solution and hidden.")
    files: dict[str, bytes] = {}
    for entry in sorted(root.rglob("*")):
        relative = entry.relative_to(root)
        if _CACHE_FOLDERS.intersection(relative.parts) or (entry.is_dir() and not entry.is_symlink()):
            continue
        if entry.is_symlink() or not entry.is_file():
            raise TaskError(f"{entry} is a link or a device. Put a plain file there.")
        try:
            files[relative.as_posix()] = entry.read_bytes()
        except OSError as error:
            raise TaskError(f"{entry} cannot be read: {error}. Make it readable.") from error
    if not files:
        raise TaskError(f"{root} holds no file. A task has the folders workspace, solution and hidden.")
    return files


def _check_header(task: Task, path: Path) -> None:
    def refuse(field: str, what: str) -> None:
        raise TaskError(f"{path}: {field} {what}")

    if not task.title.strip():
        refuse("title", "is empty. Write one short line.")
    if not 1 <= task.difficulty <= 5:
        refuse("difficulty", f"is {task.difficulty}. Set it between 1 (easy) and 5.")
    if not 0 < task.timeout_s <= 600:
        refuse("timeout_s", f"is {task.timeout_s}. Set seconds above 0 and at most 600.")
    if not 1 <= task.runs <= 20:
        refuse("runs", f"is {task.runs}. Set it between 1 and 20.")
    for field, values in (("source_files", task.source_files), ("expected_ids", task.expected_ids)):
        if not values:
            refuse(field, "is empty. List at least one.")
        if len(set(values)) < len(values):
            repeated = next(value for value in values if values.count(value) > 1)
            refuse(field, f"names {repeated!r} twice. Name it once.")
    for source in task.source_files:
        if source not in task.workspace:
            refuse("source_files", f"names {source!r}, which workspace/ does not hold. Correct the path.")
        if is_test_file(source):
            refuse("source_files", f"names the test {source!r}. Only source may be changed by an agent.")
    tests = {*task.visible_tests, *filter(is_test_file, task.hidden_tests)}
    named = {node_id.partition("::")[0] for node_id in task.expected_ids}
    for node_id in task.expected_ids:
        if "::" not in node_id or node_id.partition("::")[0] not in tests:
            refuse("expected_ids", f"has {node_id!r}. Write file::test for a test in workspace/ or hidden/.")
    for test in sorted(tests - named):
        refuse("expected_ids", f"names no test of {test!r}. Add its tests or remove the file.")


def _check_files(task: Task, path: Path) -> None:
    if not task.visible_tests:
        raise TaskError(f"{path / 'workspace'} holds no test_*.py. Add a visible test that shows the bug.")
    if not any(map(is_test_file, task.hidden_tests)):
        raise TaskError(f"{path / 'hidden'} holds no test_*.py. Add a held-back test.")
    for hidden in task.hidden_tests:
        if hidden in task.workspace:
            raise TaskError(f"{path / 'hidden' / hidden} would replace workspace/{hidden}. Rename it.")
    for folder, files in (("solution", task.solution), ("trap", task.trap)):
        for source, text in files.items():
            where = path / folder / source
            if source not in task.source_files:
                raise TaskError(f"{where} is not in source_files. Add it to task.toml or remove the file.")
            if text == task.workspace[source]:
                raise TaskError(f"{where} equals the buggy file. Keep only changed files there.")
