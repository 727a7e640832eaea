"""A Qwen3-MoE's checkpoint folder (safetensors), read layer by layer: no more than a layer is held on the way.

    files = Qwen3MoeFiles(path, shape, tied=False)                  # checks names, shapes and types; reads no weight
    weights = LayerWeights(shape, files.layer(0, dtype, device))

Experts lie one by one in the files, as in checkpoints on the Hugging Face hub, or all in one tensor, as transformers
holds them (E experts, H hidden, I expert):

    model.layers.3.mlp.experts.7.gate_proj.weight [I, H], up_proj [I, H], down_proj [H, I]
    model.layers.3.mlp.experts.gate_up_proj [E, 2I, H], down_proj [E, H, I]
"""

import json
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from trajlog.errors import ModelError
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape

EMBEDDING, FINAL_NORM, HEAD = "model.embed_tokens.weight", "model.norm.weight", "lm_head.weight"
_INDEX, _ONE = "model.safetensors.index.json", "model.safetensors"
_TYPES = ("F32", "BF16", "F16")
_AGAIN = "Fetch the model again (`trajlog models fetch`), or correct model.name in the run's settings."


class Qwen3MoeFiles:
    """`tied`: the output head is the embedding (tie_word_embeddings), and a head in the files is not read."""

    def __init__(self, path: Path, shape: Qwen3MoeShape, *, tied: bool) -> None:
        """Raises ModelError naming the tensor that is missing, that no layer takes, or that has another shape or type
        than config.json says, and OSError for a file that cannot be read."""
        self._path, self._shape = path, shape
        self._files = _open(path)
        self._per_expert = _expert(0, 0, "gate_proj") in self._files
        self._tied = tied
        self._check(_shapes(shape, self._per_expert) | ({} if tied else {HEAD: (shape.vocab_size, shape.hidden_size)}))

    def layer(self, number: int, dtype: torch.dtype, device: torch.device) -> dict[str, Tensor]:
        """What LayerWeights is made of, in `dtype` on `device`; each tensor of a file is copied there by itself."""
        s, base = self._shape, f"model.layers.{number}."

        def new(*size: int) -> Tensor:
            return torch.empty(size, dtype=dtype, device=device)

        def read(name: str) -> Tensor:
            return self._read(f"{base}{name}.weight", dtype, device)

        qkv = new(s.qkv_size, s.hidden_size)
        rows = qkv.split([heads * s.head_dim for _, heads in s.qkv_heads])
        for part, (site, _) in zip(rows, s.qkv_heads, strict=True):
            self._copy(f"{base}self_attn.{site}.weight", part)
        gate_up = new(s.num_experts, 2 * s.expert_size, s.hidden_size)
        down = new(s.num_experts, s.hidden_size, s.expert_size)
        if self._per_expert:
            for expert in range(s.num_experts):
                gate, up = gate_up[expert].chunk(2)
                for name, part in (("gate_proj", gate), ("up_proj", up), ("down_proj", down[expert])):
                    self._copy(_expert(number, expert, name), part)
        else:
            self._copy(f"{base}mlp.experts.gate_up_proj", gate_up)
            self._copy(f"{base}mlp.experts.down_proj", down)
        return {
            "attention_norm": read("input_layernorm"),
            "experts_norm": read("post_attention_layernorm"),
            "q_norm": read("self_attn.q_norm"),
            "k_norm": read("self_attn.k_norm"),
            "qkv": qkv,
            "out": read("self_attn.o_proj"),
            "router": read("mlp.gate"),
            "gate_up": gate_up,
            "down": down,
        }

    def outside(self, dtype: torch.dtype, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
        """Embedding [V, H], final norm [H] and output head [V, H], which is the embedding where they are tied."""
        embedding = self._read(EMBEDDING, dtype, device)
        norm = self._read(FINAL_NORM, dtype, device)
        return embedding, norm, embedding if self._tied else self._read(HEAD, dtype, device)

    def _read(self, name: str, dtype: torch.dtype, device: torch.device) -> Tensor:
        out = torch.empty(self._files[name].get_slice(name).get_shape(), dtype=dtype, device=device)
        self._copy(name, out)
        return out

    def _copy(self, name: str, place: Tensor) -> None:
        place.copy_(self._files[name].get_tensor(name))

    def _check(self, wanted: dict[str, tuple[int, ...]]) -> None:
        if missing := [name for name in wanted if name not in self._files]:
            raise ModelError(
                f"the checkpoint in {self._path} lacks {missing[0]}{_and_others(missing)}, which its config.json asks "
                f"for. {_AGAIN}"
            )
        surplus = [name for name in self._files if name not in wanted and not (self._tied and name == HEAD)]
        if surplus:
            raise ModelError(
                f"the checkpoint in {self._path} holds {min(surplus)}{_and_others(surplus)}, which no Qwen3-MoE of its "
                "config.json has: the model would not be the one that was trained. Choose one that is not quantised "
                f"and has no modules added. {_AGAIN}"
            )
        for name, size in wanted.items():
            found = self._files[name].get_slice(name)
            if tuple(found.get_shape()) != size:
                raise ModelError(
                    f"{name} in {self._path} has shape {tuple(found.get_shape())}, its config.json says {size}. "
                    f"{_AGAIN}"
                )
            if found.get_dtype() not in _TYPES:
                raise ModelError(
                    f"{name} in {self._path} is stored as {found.get_dtype()}, not as one of {', '.join(_TYPES)}: "
                    "choose the model's weights that are not quantised"
                )


def _open(path: Path) -> dict[str, Any]:
    """The open file of each tensor by name. What is read from them lies in the page cache, not in this process."""
    index = path / _INDEX
    if index.exists():
        where: dict[str, str] = json.loads(index.read_text())["weight_map"]
    else:
        with safe_open(path / _ONE, framework="pt") as only:
            where = dict.fromkeys(only.keys(), _ONE)
    opened = {file: safe_open(path / file, framework="pt") for file in sorted(set(where.values()))}
    holds = {file: set(each.keys()) for file, each in opened.items()}
    for name, file in where.items():
        if name not in holds[file]:
            raise ModelError(f"{file} in {path} lacks {name}, which {_INDEX} says it holds. {_AGAIN}")
    return {name: opened[file] for name, file in where.items()}


def _shapes(shape: Qwen3MoeShape, per_expert: bool) -> dict[str, tuple[int, ...]]:
    """Of every tensor but the head, by name."""
    s = shape
    heads = s.num_heads * s.head_dim
    wanted: dict[str, tuple[int, ...]] = {EMBEDDING: (s.vocab_size, s.hidden_size), FINAL_NORM: (s.hidden_size,)}
    for number in range(s.num_layers):
        base = f"model.layers.{number}."
        wanted |= {f"{base}{name}.weight": (s.hidden_size,) for name in ("input_layernorm", "post_attention_layernorm")}
        wanted |= {f"{base}self_attn.{name}.weight": (s.head_dim,) for name in ("q_norm", "k_norm")}
        wanted |= {f"{base}self_attn.{site}.weight": (count * s.head_dim, s.hidden_size) for site, count in s.qkv_heads}
        wanted[f"{base}self_attn.o_proj.weight"] = (s.hidden_size, heads)
        wanted[f"{base}mlp.gate.weight"] = (s.num_experts, s.hidden_size)
        if per_expert:
            for expert in range(s.num_experts):
                wanted[_expert(number, expert, "gate_proj")] = (s.expert_size, s.hidden_size)
                wanted[_expert(number, expert, "up_proj")] = (s.expert_size, s.hidden_size)
                wanted[_expert(number, expert, "down_proj")] = (s.hidden_size, s.expert_size)
        else:
            wanted[f"{base}mlp.experts.gate_up_proj"] = (s.num_experts, 2 * s.expert_size, s.hidden_size)
            wanted[f"{base}mlp.experts.down_proj"] = (s.num_experts, s.hidden_size, s.expert_size)
    return wanted


def _expert(number: int, expert: int, name: str) -> str:
    return f"model.layers.{number}.mlp.experts.{expert}.{name}.weight"


def _and_others(names: list[str]) -> str:
    return f" and {len(names) - 1} others" if len(names) > 1 else ""
