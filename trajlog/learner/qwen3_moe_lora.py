"""Named adapters of a Qwen3-MoE decoder: float32 parameters, packed across experts, in PEFT's layouts outside.

Offers what the learner uses of kernels/lora.py's LoraSet, for a model whose experts are not modules:

    model.lora.add("policy", rank=8, alpha=16.0, seed=0)
    parameters = model.lora.train_only("policy")
    model.lora.load("reference", tensors, rank=8, alpha=16.0)      # PEFT's keys, either layout
    save_adapter(path, model.lora.export("policy"), config)        # PEFT's per-expert keys
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

from trajlog.errors import ModelError
from trajlog.kernels.qwen3_moe_peft import (
    ATTENTION_SITES,
    EXPERT_SITES,
    Packed,
    from_peft,
    sites_of,
    to_per_expert,
    to_stacked,
)
from trajlog.learner.qwen3_moe_adapter import LayerAdapter, fresh, site_sizes
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape
from trajlog.learner.qwen3_moe_weights import LayerWeights, padded


class Qwen3MoeLora:
    """Adapters by name; ranks may differ. Borders of the layers' weights grow with the largest rank."""

    def __init__(self, shape: Qwen3MoeShape, weights: Sequence[LayerWeights], target_modules: Sequence[str]) -> None:
        """`target_modules`: q_proj, k_proj, v_proj, o_proj, gate_proj with up_proj, down_proj. Raises ModelError."""
        self._shape = shape
        self._weights = list(weights)
        self._sites = sites_of(target_modules)
        self._adapters: dict[str, list[LayerAdapter]] = {}
        self.shapes: dict[str, tuple[int, float]] = {}
        """Rank and alpha by name."""

    def add(self, name: str, *, rank: int, alpha: float, seed: int = 0) -> None:
        """A new adapter: A uniform in ±1/sqrt(in) from `seed` (PEFT's default), B zero. Raises ModelError."""
        self._check_name(name, rank)
        generator = torch.Generator().manual_seed(seed)
        layers = [{s: fresh(self._shape, s, rank, generator) for s in self._sites} for _ in self._weights]
        self._put(name, layers, rank, alpha)

    def load(self, name: str, tensors: Mapping[str, Tensor], *, rank: int, alpha: float) -> None:
        """A new adapter from tensors under PEFT's keys, per expert or stacked (kernels/qwen3_moe_peft.py).

        Raises ModelError if the name is taken, a key is missing or unknown, or a shape does not fit; then nothing has
        changed.
        """
        self._check_name(name, rank)
        sizes = site_sizes(self._shape)
        shapes = {
            site: (
                torch.Size((*sizes[site][0], rank, sizes[site][1])),
                torch.Size((*sizes[site][0], rank, sizes[site][2])),
            )
            for site in self._sites
        }
        try:
            layers = from_peft(tensors, [shapes] * len(self._weights))
        except ModelError as error:
            raise ModelError(f"adapter {name!r}: {error}") from error
        self._put(name, layers, rank, alpha)

    def remove(self, name: str) -> None:
        """Drops an adapter."""
        del self._adapters[name], self.shapes[name]
        for weights in self._weights:
            weights.forget()

    def layers(self, name: str | None) -> list[LayerAdapter | None]:
        """The adapter's part in each layer; None for the base alone."""
        if name is None:
            return [None] * len(self._weights)
        if name not in self._adapters:
            raise ModelError(f"no adapter {name!r}; loaded are {sorted(self._adapters)}")
        return list(self._adapters[name])

    def parameters(self, name: str) -> dict[str, nn.Parameter]:
        """The packed parameters, `layers.3.gate_up_proj.A` and the like, in a fixed order."""
        return {
            f"layers.{number}.{site}.{letter}": part[site]
            for number, layer in enumerate(self._adapters[name])
            for site in self._sites
            for letter, part in (("A", layer.a), ("B", layer.b))
        }

    def train_only(self, name: str) -> list[nn.Parameter]:
        """Lets gradients reach this adapter alone and returns its parameters in `parameters` order."""
        for other in self._adapters:
            for parameter in self.parameters(other).values():
                parameter.requires_grad_(other == name)
        return list(self.parameters(name).values())

    def export(self, name: str) -> dict[str, Tensor]:
        """Copies on the CPU under PEFT's per-expert keys, ready for `save_adapter`; vLLM and PEFT load them.

        gate and up of an expert have the same memory as their A, so do not change them in place.
        """
        return to_per_expert(self._packed(name))

    def export_stacked(self, name: str) -> dict[str, Tensor]:
        """The same under the keys of PEFT's `target_parameters`: two tensors per layer and projection."""
        return {key: _copy(tensor.detach().cpu()) for key, tensor in to_stacked(self._packed(name)).items()}

    def _packed(self, name: str) -> list[Packed]:
        return [{site: (layer.a[site], layer.b[site]) for site in self._sites} for layer in self._adapters[name]]

    def _check_name(self, name: str, rank: int) -> None:
        if name in self._adapters:
            raise ModelError(f"adapter {name!r} is loaded already; remove it or give the new one its own name")
        if not name or rank < 1:
            raise ModelError(f"adapter name {name!r} (not empty), rank {rank} (at least 1): unusable")

    def _put(self, name: str, layers: list[Packed], rank: int, alpha: float) -> None:
        attention, experts = room_of(self._sites, rank)
        made = []
        for weights, packed in zip(self._weights, layers, strict=True):
            weights.make_room(attention, experts)
            device = weights.qkv.device
            if device.type == "cuda":
                torch.cuda.empty_cache()  # the narrower weight's block fits nothing else of the same size
            a = {site: _parameter(pair[0], device) for site, pair in packed.items()}
            b = {site: _parameter(pair[1], device) for site, pair in packed.items()}
            made.append(LayerAdapter(a, b, alpha / rank))
        self._adapters[name] = made
        self.shapes[name] = (rank, alpha)


def _copy(tensor: Tensor) -> Tensor:
    return tensor.clone(memory_format=torch.contiguous_format)


def _parameter(value: Tensor, device: torch.device) -> nn.Parameter:
    return nn.Parameter(value.detach().to(device, torch.float32, copy=True).contiguous())


def room_of(sites: Sequence[str], rank: int) -> tuple[int, int]:
    """What LayerWeights.make_room is given for adapters of this rank at these sites."""
    attention = padded(rank) if any(s in ATTENTION_SITES for s in sites) else 0
    return attention, padded(rank) if any(s in EXPERT_SITES for s in sites) else 0
