"""The arrows of docs/architecture.md, held by reading the sources, and what imports without torch, by importing."""

import ast
import re
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
FREE_OF_TORCH = ("schemas", "stream", "harness", "producers", "analytics")


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


def test_the_learner_takes_only_file_formats_from_serving():
    formats = {"trajlog.serving.adapters", "trajlog.serving.routed_experts"}
    for path in (ROOT / "learner").rglob("*.py"):
        wrong = set(re.findall(r"trajlog\.serving\S*", path.read_text())) - formats
        assert not wrong, path


@pytest.mark.parametrize("folder", FREE_OF_TORCH)
def test_it_imports_without_torch(folder):
    modules = [
        ".".join(path.relative_to(ROOT.parent).with_suffix("").parts)
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "tasks" not in path.parts
    ]
    code = f"import sys; sys.modules['torch'] = None; sys.modules['transformers'] = None; import {', '.join(modules)}"
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_installing_without_extras_brings_all_that_the_package_imports_except_in_learner_kernels_and_serving():
    """What `pip install trajlog` does not bring is hidden, then everything that must work with it is imported."""
    code = f"""
import importlib.metadata as metadata, pkgutil, re, sys
from packaging.requirements import Requirement

def brought(name, extras=("",), seen=None):
    seen = set() if seen is None else seen
    if (name, extras) not in seen:
        seen.add((name, extras))
        for text in metadata.requires(name) or ():
            needed = Requirement(text)
            if needed.marker is None or any(needed.marker.evaluate({{"extra": extra}}) for extra in extras):
                brought(re.sub("[-_.]+", "-", needed.name).lower(), tuple(needed.extras) or ("",), seen)
    return {{name for name, _ in seen}}

wanted = brought("trajlog")
owners = metadata.packages_distributions()
names = {{top: {{re.sub("[-_.]+", "-", d).lower() for d in dists}} for top, dists in owners.items()}}
hidden = [top for top, dists in names.items() if not dists & wanted and top.isidentifier()]
assert {{"torch", "transformers", "numpy", "safetensors"}} <= set(hidden), sorted(wanted)
for top in hidden:
    sys.modules[top] = None
for folder in {FREE_OF_TORCH!r}:
    for found in pkgutil.walk_packages([{str(ROOT)!r} + "/" + folder], f"trajlog.{{folder}}."):
        if ".tasks" not in found.name:
            __import__(found.name)
import trajlog.cli
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
