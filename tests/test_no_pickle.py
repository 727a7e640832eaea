"""Nothing that is read back can run code: no pickle in any form. Weights are safetensors, states JSON or msgpack.

Read off the sources, names followed through `import ... as`. Tasks are left out: what lies in trajlog/harness/tasks
runs in sandboxes only. Benchmarks may start processes: what is pickled there goes between those of one script.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = (
    *("pickle", "_pickle", "pickletools", "cloudpickle", "dill", "joblib", "shelve", "marshal", "copyreg", "yaml"),
    *("multiprocessing", "torch.multiprocessing", "torch.package", "concurrent.futures.ProcessPoolExecutor"),
    *("logging.config.listen", "logging.handlers.SocketHandler", "logging.handlers.DatagramHandler"),
)
"""Modules and names that pickle what they are given, or unpickle."""
CALLS = {
    *("torch.load", "torch.save", "torch.jit.load", "torch.hub.load", "torch.distributed.checkpoint.load"),
    *("numpy.load", "numpy.lib.format.read_array", "pandas.read_pickle", "pyarrow.deserialize"),
}
METHODS = {
    *("read_pickle", "to_pickle", "load_state_dict_from_url"),
    *("all_gather_object", "gather_object", "broadcast_object_list", "scatter_object_list", "send_object_list"),
}
"""Attributes that mean it whatever they hang on: torch.distributed's collectives of objects pickle them."""
OF_ONE_SCRIPT = {
    "benchmarks/learner/two_gpus.py: torch.multiprocessing",
    "benchmarks/learner/two_gpus.py: torch.multiprocessing.spawn",
    "benchmarks/oracle_solves.py: concurrent.futures.ProcessPoolExecutor",
    "benchmarks/peers/agent_lightning.py: multiprocessing",
    "benchmarks/peers/agent_lightning.py: multiprocessing.get_context",
    "benchmarks/simulated/fleet.py: multiprocessing",
    "benchmarks/simulated/fleet.py: multiprocessing.connection.Connection",
    "benchmarks/simulated/fleet.py: multiprocessing.get_context",
}
SOURCES = [
    path
    for folder in ("trajlog", "benchmarks", "examples")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if "tasks" not in path.relative_to(ROOT).parts and "demo_tasks" not in path.relative_to(ROOT).parts
]


def unsafe(source: str) -> Iterator[str]:
    """What in `source` reads or writes pickles, or loads a model that may be one."""
    tree = ast.parse(source)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported = {alias.name: alias.asname or alias.name.split(".")[0] for alias in node.names}
            names |= {own: name if own != name.split(".")[0] else own for name, own in imported.items()}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imported = {f"{node.module}.{alias.name}": alias.asname or alias.name for alias in node.names}
            names |= {own: name for name, own in imported.items()}
        else:
            continue
        yield from (name for name in imported if _within(name, MODULES) or name in CALLS)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            dotted = _dotted(node, names)
            if _within(dotted, MODULES) or dotted in CALLS or node.attr in METHODS:
                yield dotted
        elif isinstance(node, ast.Call):
            called = _dotted(node.func, names)
            given = {word.arg: ast.unparse(word.value) for word in node.keywords}
            loads = called.endswith(".from_pretrained") and not called.endswith(
                ("Config.from_pretrained", "Tokenizer.from_pretrained")
            )
            if loads and given.get("use_safetensors") != "True":
                yield f"{called} without use_safetensors=True"
            for word, harmless in (("allow_pickle", "False"), ("trust_remote_code", "False"), ("weights_only", "True")):
                if given.get(word, harmless) != harmless:
                    yield f"{called} with {word}={given[word]}"
            if called in ("__import__", "importlib.import_module") and any(
                isinstance(word, ast.Constant) and _within(str(word.value), MODULES) for word in node.args
            ):
                yield f"{called} of {ast.unparse(node.args[0])}"


def _within(name: str, modules: tuple[str, ...]) -> bool:
    return any(name == module or name.startswith(f"{module}.") for module in modules)


def _dotted(node: ast.expr, names: dict[str, str]) -> str:
    """`a.b.c` with its first name as it was imported; what hangs on a call or an index is `?.c`."""
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, names)}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else "?"


def test_nothing_in_the_package_reads_or_writes_pickles() -> None:
    assert len(SOURCES) > 100
    found = {f"{path.relative_to(ROOT)}: {what}" for path in SOURCES for what in unsafe(path.read_text("utf-8"))}
    assert found == OF_ONE_SCRIPT


@pytest.mark.parametrize(
    "source",
    [
        "import pickle",
        "import pickle as safe",
        "from joblib import load",
        "def f():\n    import dill as safe",
        "import torch\ntorch.load(path)",
        "import torch as t\nt.load(path, weights_only=True)",
        "from torch import load",
        "from torch import load as read",
        "import torch\ntorch.save(state, path)",
        "import torch.distributed as dist\ndist.broadcast_object_list(state)",
        "from torch import distributed\ndistributed.all_gather_object(all, one)",
        "import numpy\nnumpy.load(path)",
        "import numpy as np\nread = np.load",
        "anything.load(path, allow_pickle=True)",
        "anything.load(path, weights_only=False)",
        "import pandas as pd\npd.read_pickle(path)",
        "frame.to_pickle(path)",
        "import multiprocessing",
        "from multiprocessing import Pool",
        "import multiprocessing.shared_memory",
        "import torch\ntorch.multiprocessing.spawn(f)",
        "from concurrent.futures import ProcessPoolExecutor",
        "from concurrent import futures\nfutures.ProcessPoolExecutor()",
        "import importlib\nimportlib.import_module('pickle')",
        "__import__('marshal')",
        "from transformers import AutoModel\nAutoModel.from_pretrained(path)",
        "Qwen3ForCausalLM.from_pretrained(path, use_safetensors=False)",
        "AutoTokenizer.from_pretrained(path, trust_remote_code=True)",
    ],
)
def test_this_test_sees(source: str) -> None:
    assert list(unsafe(source))


@pytest.mark.parametrize(
    "source",
    [
        "from concurrent.futures import Future, ThreadPoolExecutor",
        "import numpy as np\nnp.frombuffer(data)",
        "import msgspec\nmsgspec.json.decode(data)",
        "lora.load(name, tensors)",
        "AutoModelForCausalLM.from_pretrained(path, use_safetensors=True)",
        "AutoTokenizer.from_pretrained(path)",
    ],
)
def test_this_test_lets_pass(source: str) -> None:
    assert not list(unsafe(source))
