"""How much code an agent may have to read: source lines reachable by imports from a task's failing tests.

Counted are lines that hold source: no blank lines and no comments, no tests and no `conftest.py`. Imports are
followed through the workspace, indirect ones and vendored packages included; modules that are loaded by a computed
name are not found.
"""

from __future__ import annotations

import ast
import io
import statistics
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from trajlog.harness.task import Task, is_test_file

_LAYOUT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


class TaskSize(msgspec.Struct, frozen=True):
    """`lines` and `files` reachable from the tests it was measured from; a file that holds nothing but a docstring, as
    package markers do, is no file."""

    task_id: str
    split: str
    lines: int
    files: int


def measure(task: Task, failing_tests: Iterable[str] = ()) -> TaskSize:
    """The size as seen from the visible test files that hold `failing_tests` (node ids); without any, from all."""
    failing = {node_id.partition("::")[0] for node_id in failing_tests}
    starts = [path for path in task.visible_tests if path in failing] or list(task.visible_tests)
    sources = [task.workspace[path] for path in reachable_files(task.workspace, starts)]
    return TaskSize(task.task_id, task.split, sum(map(code_lines, sources)), sum(map(_has_statements, sources)))


def reachable_files(files: Mapping[str, bytes], starts: Iterable[str]) -> list[str]:
    """Paths of the Python sources that `starts` import, directly or not, sorted; tests left out."""
    seen: set[str] = set()
    waiting = list(starts)
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        for module in _imported(files[path], path):
            waiting += [found for found in _files_of(module) if found in files]
    return sorted(path for path in seen if not is_test_file(path) and PurePosixPath(path).name != "conftest.py")


def code_lines(source: bytes) -> int:
    """Lines with source. A file that is no Python counts its lines that are not blank."""
    try:
        tokens = list(tokenize.tokenize(io.BytesIO(source).readline))
    except (SyntaxError, ValueError, tokenize.TokenError):
        return sum(bool(line.strip()) for line in source.splitlines())
    return len(
        {line for token in tokens if token.type not in _LAYOUT for line in range(token.start[0], token.end[0] + 1)}
    )


def _has_statements(source: bytes) -> bool:
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError):
        return True
    return any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in body)


def summarize(sizes: Sequence[TaskSize]) -> dict[str, str | int | float]:
    """One row for a table: how many tasks, and quartiles of lines."""
    lines = [size.lines for size in sizes]
    low, middle, high = statistics.quantiles(lines, n=4, method="inclusive") if len(lines) > 1 else lines * 3
    return {
        "tasks": len(sizes),
        "lines_min": min(lines),
        "lines_25%": round(low),
        "lines_median": round(middle),
        "lines_75%": round(high),
        "lines_max": max(lines),
        "files_median": round(statistics.median(size.files for size in sizes)),
    }


def _imported(source: bytes, path: str) -> set[str]:
    """Dotted names that the file imports; `from a import b` gives both `a` and `a.b`, since b may be a module."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    folder = list(PurePosixPath(path).parts[:-1])
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else []
            module = ".".join([*base, *(node.module or "").split(".")]).strip(".")
            found |= {module, *(f"{module}.{alias.name}".strip(".") for alias in node.names)}
    return found


def _files_of(module: str) -> Iterator[str]:
    """Where a dotted name may lie, its parent packages included, since importing it runs them."""
    parts = module.split(".")
    for end in range(1, len(parts) + 1):
        yield "/".join(parts[:end]) + ".py"
        yield "/".join(parts[:end]) + "/__init__.py"
