"""The arrows of docs/architecture.md, held by reading the sources, and what imports without torch, by importing."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "trajlog"
FORBIDDEN = {
    "schemas": {"stream", "harness", "producers", "serving", "learner", "kernels", "analytics", "config"},
    "stream": {"harness", "producers", "serving", "learner", "kernels", "analytics"},
    "harness": {"schemas", "stream", "producers", "serving", "learner", "kernels", "analytics"},
    "producers": {"learner", "kernels", "analytics"},
    "serving": {"learner", "producers", "harness", "analytics"},
    "learner": {"producers", "harness", "analytics"},
    "kernels": {"schemas", "stream", "producers", "serving", "learner", "harness", "analytics"},
    "analytics": {"learner", "serving", "producers", "harness", "kernels"},
}


def imported_folders(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name.startswith("trajlog."):
                yield name.split(".")[1]


@pytest.mark.parametrize("folder", sorted(FORBIDDEN))
def test_a_folder_imports_only_what_the_architecture_allows(folder):
    wrong = {
        f"{path.relative_to(ROOT)} imports {name}"
        for path in (ROOT / folder).rglob("*.py")
        if "tasks" not in path.parts
        for name in imported_folders(path)
        if name in FORBIDDEN[folder]
    }
    assert not wrong


@pytest.mark.parametrize("folder", ["schemas", "stream", "harness", "producers", "analytics"])
def test_it_imports_without_torch(folder):
    modules = [
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "tasks" not in path.parts
    ]
    code = f"import sys; sys.modules['torch'] = None; sys.modules['transformers'] = None; import {', '.join(modules)}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
