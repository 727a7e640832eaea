"""Nothing that is read back can run code: no pickle in any form. Weights are safetensors, states JSON or msgpack.

Tasks are left out: what lies in trajlog/harness/tasks runs in sandboxes only.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = {"pickle", "_pickle", "pickletools", "cloudpickle", "dill", "joblib", "shelve", "marshal", "copyreg", "yaml"}
CALLS = {
    ("torch", "load"),
    ("torch", "save"),
    ("np", "load"),
    ("numpy", "load"),
    ("pandas", "read_pickle"),
    ("pd", "read_pickle"),
}
SOURCES = [
    path
    for folder in ("trajlog", "benchmarks", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "tasks" not in path.relative_to(ROOT).parts and "demo_tasks" not in path.relative_to(ROOT).parts
]


def unsafe(source: str) -> Iterator[str]:
    """What in `source` reads or writes pickles, or loads a model that may be one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (f"import {alias.name}" for alias in node.names if alias.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            yield f"from {node.module} import"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            given = {word.arg: ast.unparse(word.value) for word in node.keywords}
            if (owner, node.func.attr) in CALLS:
                yield f"{owner}.{node.func.attr}"
            is_model = (owner, node.func.attr) == ("AutoModelForCausalLM", "from_pretrained")
            if is_model and given.get("use_safetensors") != "True":
                yield "from_pretrained without use_safetensors=True"
            if given.get("allow_pickle", "False") != "False" or given.get("trust_remote_code", "False") != "False":
                yield f"{node.func.attr} that may run what it loads"


def test_nothing_in_the_package_reads_or_writes_pickles() -> None:
    assert len(SOURCES) > 100
    found = {f"{path.relative_to(ROOT)}: {what}" for path in SOURCES for what in unsafe(path.read_text("utf-8"))}
    assert found == set()


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "from joblib import load",
        "def f():\n    import dill as safe",
        "torch.load(path)",
        "np.load(path, allow_pickle=True)",
        "AutoModelForCausalLM.from_pretrained(path)",
        "AutoTokenizer.from_pretrained(path, trust_remote_code=True)",
    ],
)
def test_this_test_sees(source: str) -> None:
    assert list(unsafe(source))
