"""What one checkpoint takes: an adapter on all experts of Qwen3-Coder-30B-A3B, its moments, written to the disk.

    python benchmarks/learner/checkpoint.py                  # about 15 GB of memory, 9 GB of disk, a few minutes
    python benchmarks/learner/checkpoint.py --quick          # two small layers
    python benchmarks/learner/checkpoint.py --out DIR        # on another disk than the temporary folder's

The adapter's exact shape (rank 8, float32, 48 layers of 128 experts: 36,864 tensors under PEFT's names), random, on the
CPU, so copies from a GPU are not in it; no base. `export`: to PEFT's layout. `digest`, `adapter` (with its digest),
`optimizer`: one part alone. `checkpoint`: export, and all of `learner/checkpoint.py`'s save, where these three run at
the same time, with fsync. It and `export` are medians of `--repeats`. `load`: read back, digest checked. Beside it, in
the same run, safetensors' `save_file` of the same tensors, one file after the other, with fsync, and the digest from
the file.
"""

import argparse
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import torch
from parts.shape import QWEN3_CODER_30B_A3B, TINY, Shape
from safetensors.torch import save_file

from trajlog.learner.checkpoint import SavedState, load_newest, save
from trajlog.learner.qwen3_moe_lora import Qwen3MoeLora
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape
from trajlog.serving.adapters import AdapterConfig, adapter_sha256, save_adapter, tensors_sha256
from trajlog.tensor_file import write_tensors

RANK = 8
EXPERTS = ("down_proj", "gate_proj", "up_proj")
CONFIG = AdapterConfig(r=RANK, lora_alpha=16.0, target_modules=EXPERTS)
NAME = "policy"


class NoWeights:
    """Stands where a layer's frozen weights are: the adapter is on the CPU, and needs no room in them."""

    qkv = torch.zeros(0)

    def make_room(self, attention: int, experts: int) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="two small layers")
    parser.add_argument("--out", type=Path, help="folder to write into; by default the temporary one")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    lora = adapter(TINY if arguments.quick else QWEN3_CODER_30B_A3B)
    optimizer = stepped(lora)
    with tempfile.TemporaryDirectory(dir=arguments.out) as folder:
        figures = measure(lora, optimizer, Path(folder), arguments.repeats)
    print("| part | s | MB |")
    print("|---|---|---|")
    for part, (seconds, num_bytes) in figures.items():
        print(f"| {part} | {seconds:.3g} | {num_bytes / 1e6:,.1f} |")
    print(msgspec.json.encode({part: {"s": s, "bytes": n} for part, (s, n) in figures.items()}).decode())


def adapter(shape: Shape) -> Qwen3MoeLora:
    whole = Qwen3MoeShape(
        num_layers=shape.num_layers,
        hidden_size=shape.hidden,
        num_heads=shape.num_heads,
        num_kv_heads=shape.num_kv_heads,
        head_dim=128,
        num_experts=shape.num_experts,
        top_k=shape.top_k,
        expert_size=shape.expert_width,
        vocab_size=shape.vocabulary,
        rope_theta=1e6,
        norm_eps=1e-6,
        normalised_top_k=True,
    )
    lora = Qwen3MoeLora(whole, [NoWeights()] * shape.num_layers, EXPERTS)
    lora.add(NAME, rank=RANK, alpha=16.0)
    return lora


def stepped(lora: Qwen3MoeLora) -> torch.optim.Optimizer:
    """An optimizer with moments, and B no longer zero."""
    parameters = lora.train_only(NAME)
    generator = torch.Generator().manual_seed(1)
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    for parameter in parameters:
        parameter.grad = torch.randn(parameter.shape, generator=generator)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return optimizer


def measure(
    lora: Qwen3MoeLora, optimizer: torch.optim.Optimizer, folder: Path, repeats: int
) -> dict[str, tuple[float, int]]:
    """Seconds and bytes by part."""
    keys = list(lora.parameters(NAME))
    tensors = lora.export(NAME)
    moments = {
        f"{name}/{key}": tensor
        for key, state in zip(keys, optimizer.state_dict()["state"].values(), strict=True)
        for name, tensor in state.items()
    }
    num_bytes = sum(t.nbytes for t in tensors.values()), sum(t.nbytes for t in moments.values())
    figures = {"export": (statistics.median(timed(lambda: lora.export(NAME)) for _ in range(repeats)), num_bytes[0])}
    figures["digest"] = (timed(lambda: tensors_sha256(tensors)), num_bytes[0])
    figures["adapter"] = (timed(lambda: save_adapter(folder / "adapter", tensors, CONFIG)), num_bytes[0])
    shutil.rmtree(folder / "adapter")
    figures["optimizer"] = (timed(lambda: write_tensors(folder / "optimizer", moments)), num_bytes[1])
    (folder / "optimizer").unlink()
    took = []
    for step in range(repeats):
        state = SavedState(epoch=0, step=step)
        took.append(timed(lambda s=state: save(folder, s, lora.export(NAME), CONFIG, optimizer, keys)))
        if step < repeats - 1:
            shutil.rmtree(load_newest(folder, SavedState).path)
    saved = load_newest(folder, SavedState)
    size = sum(file.stat().st_size for file in saved.path.rglob("*") if file.is_file())
    figures["checkpoint"] = (statistics.median(took), size)
    figures["load"] = (timed(saved.load_adapter), num_bytes[0])
    shutil.rmtree(saved.path)
    figures["save_file, digest from the file"] = (timed(lambda: plain(lora, moments, folder / "plain")), size)
    return figures


def plain(lora: Qwen3MoeLora, moments: dict[str, torch.Tensor], folder: Path) -> None:
    folder.mkdir()
    dense = {name: tensor.clone() for name, tensor in lora.export(NAME).items()}
    save_file(dense, folder / "adapter_model.safetensors", metadata={"format": "pt"})
    save_file(moments, folder / "optimizer.safetensors")
    for file in folder.iterdir():
        with file.open("rb") as stream:
            os.fsync(stream.fileno())
    adapter_sha256(folder)


def timed(work: Callable[[], object]) -> float:
    began = time.monotonic()
    work()
    return time.monotonic() - began


if __name__ == "__main__":
    main()
