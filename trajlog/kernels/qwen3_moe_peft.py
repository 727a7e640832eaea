"""Packed adapters of a Qwen3-MoE to PEFT's layouts and back. Pure: dictionaries of tensors in and out.

Written by the learner (learner/qwen3_moe_lora.py), read by it and by the engine (qwen3_moe_experts.py).

Per expert, two-dimensional (what vLLM loads, and PEFT, which fuses gate and up on loading):

    base_model.model.model.layers.3.mlp.experts.7.gate_proj.lora_A.weight   [rank, H]   A of gate_up, as in up_proj
    base_model.model.model.layers.3.mlp.experts.7.gate_proj.lora_B.weight   [I, rank]   its B's first half
    ... up_proj (the second half), down_proj

Stacked, PEFT's `target_parameters` (its ParamWrapper; gate_up is the inner one of the two):

    base_model.model.model.layers.3.mlp.experts.base_layer.lora_A.weight    [E * rank, H], a row block per expert
    base_model.model.model.layers.3.mlp.experts.base_layer.lora_B.weight    [2I, rank * E], column j is expert j % E
    base_model.model.model.layers.3.mlp.experts.lora_A.weight, .lora_B.weight           the same of down_proj

Attention is `...layers.3.self_attn.q_proj.lora_A.weight` [rank, in], `.lora_B.weight` [out, rank] in both.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from trajlog.errors import ModelError
from trajlog.kernels.lora import PEFT_PREFIX

MODEL_TYPE = "qwen3_moe"
"""transformers' name of the kind of model."""
ATTENTION_SITES = ("q_proj", "k_proj", "v_proj", "o_proj")
EXPERT_SITES = ("gate_up_proj", "down_proj")

Packed = dict[str, tuple[Tensor, Tensor]]
"""Site to A [rank, in] and B [rank, out]; of experts [E, rank, in] and [E, rank, out], gate and up with one A."""

STACKED_TARGETS = ("mlp.experts.gate_up_proj", "mlp.experts.down_proj")
"""What `target_parameters` of a PEFT config says for the stacked layout, next to the attention's `target_modules`."""

_EXPERT_MODULES = {"gate_proj": "gate_up_proj", "up_proj": "gate_up_proj", "down_proj": "down_proj"}
_STACKED = {"gate_up_proj": "base_layer.", "down_proj": ""}


def sites_of(target_modules: Sequence[str]) -> tuple[str, ...]:
    """Sites in a fixed order. Raises ModelError for an unknown target, or gate without up."""
    known = (*ATTENTION_SITES, *_EXPERT_MODULES)
    if unknown := sorted(set(target_modules) - set(known)):
        raise ModelError(f"target modules {unknown} match no linear layer of a Qwen3-MoE decoder, which has {known}")
    if ("gate_proj" in target_modules) != ("up_proj" in target_modules):
        raise ModelError("gate_proj and up_proj are one matrix here: name both as target modules, or neither")
    wanted = {_EXPERT_MODULES.get(target, target) for target in target_modules}
    return tuple(site for site in (*ATTENTION_SITES, *EXPERT_SITES) if site in wanted)


def to_per_expert(layers: list[Packed]) -> dict[str, Tensor]:
    """PEFT's per-expert tensors of an adapter; views where the layout allows."""
    out: dict[str, Tensor] = {}
    for number, packed in enumerate(layers):
        for site, (a, b) in packed.items():
            if site in ATTENTION_SITES:
                out |= _pair(_attention(number, site), a, b.T)
                continue
            halves = {"gate_proj": b.chunk(2, -1)[0], "up_proj": b.chunk(2, -1)[1]}
            for name, part in (halves if site == "gate_up_proj" else {"down_proj": b}).items():
                for expert in range(len(a)):
                    out |= _pair(_expert(number, expert, name), a[expert], part[expert].T)
    return out


def to_stacked(layers: list[Packed]) -> dict[str, Tensor]:
    """PEFT's `target_parameters` tensors of an adapter."""
    out: dict[str, Tensor] = {}
    for number, packed in enumerate(layers):
        for site, (a, b) in packed.items():
            if site in ATTENTION_SITES:
                out |= _pair(_attention(number, site), a, b.T)
            else:
                name = f"{PEFT_PREFIX}model.layers.{number}.mlp.experts.{_STACKED[site]}"
                out |= _pair(name, a.flatten(0, 1), b.permute(2, 1, 0).flatten(1))
    return out


def from_peft(tensors: Mapping[str, Tensor], shapes: list[dict[str, tuple[torch.Size, torch.Size]]]) -> list[Packed]:
    """Packed layers from either layout; `shapes` are those of A and B by site in each layer.

    Raises ModelError if a key is missing, unknown, or of another shape, or if gate and up of an expert do not share A.
    """
    left = dict(tensors)
    stacked = any(".mlp.experts.lora_" in key or ".experts.base_layer.lora_" in key for key in left)
    layers: list[Packed] = []
    for number, sites in enumerate(shapes):
        packed: Packed = {}
        for site, (a_shape, b_shape) in sites.items():
            if site in ATTENTION_SITES:
                a, b = _take(left, _attention(number, site), a_shape, b_shape[::-1])
                packed[site] = (a, b.T)
            elif stacked:
                packed[site] = _unstacked(left, number, site, a_shape, b_shape)
            else:
                packed[site] = _joined(left, number, site, a_shape, b_shape)
        layers.append(packed)
    if left:
        raise ModelError(
            f"the adapter has {len(left)} tensors that no layer takes, such as {min(left)}; set the target modules "
            "that it was trained with"
        )
    return layers


def _unstacked(
    left: dict[str, Tensor], number: int, site: str, a_shape: torch.Size, b_shape: torch.Size
) -> tuple[Tensor, Tensor]:
    experts, rank, width_in = a_shape
    width_out = b_shape[2]
    name = f"{PEFT_PREFIX}model.layers.{number}.mlp.experts.{_STACKED[site]}"
    a, b = _take(left, name, (experts * rank, width_in), (width_out, rank * experts))
    return a.unflatten(0, (experts, rank)), b.unflatten(1, (rank, experts)).permute(2, 1, 0)


def _joined(
    left: dict[str, Tensor], number: int, site: str, a_shape: torch.Size, b_shape: torch.Size
) -> tuple[Tensor, Tensor]:
    experts, rank, width_in = a_shape
    names = ("gate_proj", "up_proj") if site == "gate_up_proj" else ("down_proj",)
    width_out = b_shape[2] // len(names)
    all_a, all_b = [], []
    for expert in range(experts):
        pairs = [_take(left, _expert(number, expert, name), (rank, width_in), (width_out, rank)) for name in names]
        if len(pairs) == 2 and not torch.equal(pairs[0][0], pairs[1][0]):
            raise ModelError(
                f"gate_proj and up_proj of expert {expert} in layer {number} have different lora_A; here they share "
                "one. Start from an adapter that was trained here, or from a fresh one."
            )
        all_a.append(pairs[0][0])
        all_b.append(torch.cat([b.T for _, b in pairs], dim=1))
    return torch.stack(all_a), torch.stack(all_b)


def _take(
    left: dict[str, Tensor], name: str, a_shape: tuple[int, ...], b_shape: tuple[int, ...]
) -> tuple[Tensor, Tensor]:
    pair = []
    for letter, shape in (("A", a_shape), ("B", b_shape)):
        key = f"{name}lora_{letter}.weight"
        tensor = left.pop(key, None)
        if tensor is None:
            raise ModelError(f"the adapter lacks {key}; it was made for another model or for fewer target modules")
        if tuple(tensor.shape) != tuple(shape):
            raise ModelError(f"{key} has shape {tuple(tensor.shape)}, expected {tuple(shape)}")
        pair.append(tensor)
    return pair[0], pair[1]


def _pair(name: str, a: Tensor, b: Tensor) -> dict[str, Tensor]:
    return {f"{name}lora_A.weight": a, f"{name}lora_B.weight": b}


def _attention(number: int, site: str) -> str:
    return f"{PEFT_PREFIX}model.layers.{number}.self_attn.{site}."


def _expert(number: int, expert: int, name: str) -> str:
    return f"{PEFT_PREFIX}model.layers.{number}.mlp.experts.{expert}.{name}."
