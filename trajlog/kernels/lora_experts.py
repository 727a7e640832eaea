"""Adapters on the experts and the attention of a Qwen3-MoE of transformers, one active or one per batch row.

Consumed by the serving engine, one adapter per policy version; the learner has a decoder of its own.

    lora = inject_mixture_lora(model, ("q_proj", "gate_proj", "up_proj", "down_proj"))
    slot = lora.load("policy-000017", tensors, rank=8, alpha=16.0)      # PEFT's keys, per expert or stacked
    lora.set_rows(torch.tensor([slot, slot]))

T tokens, which are the batch's rows, K experts a token, S = T * K routed rows, E experts, H hidden, I expert's width,
R rank. The low-rank product is formed in the base's dtype, as the learner's decoder and vLLM do.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from trajlog.errors import ModelError
from trajlog.kernels.grouped_mm import grouped_mm
from trajlog.kernels.lora import LoraSet, Selection, inject_lora
from trajlog.kernels.qwen3_moe_peft import ATTENTION_SITES, EXPERT_SITES, from_peft, sites_of
from trajlog.kernels.routed_rows import RoutedRows, arrange, combine_rows, gather_rows
from trajlog.kernels.swiglu import swiglu

_RANK_MULTIPLE = 8
"""Ranks are padded with zeros to a multiple of this: 16 bytes of bfloat16, as grouped_mm asks."""


class LoraExperts(nn.Module):
    """Frozen experts of one layer, transformers' `Qwen3MoeExperts`, with named adapters."""

    def __init__(self, base: nn.Module, selection: Selection) -> None:
        """`base` has gate_up_proj [E, 2I, H] and down_proj [E, H, I]."""
        super().__init__()
        self.base = base
        self.adapters: dict[str, dict[str, tuple[Tensor, Tensor]]] = {}
        """By name and site: A [E, in, R] and B [E, R, out], which holds alpha / rank."""
        self._selection = selection

    def weight(self, site: str) -> Tensor:
        """Of a site of EXPERT_SITES: [E, out, in]."""
        return self.base.get_parameter(site)

    def put(self, name: str, packed: Mapping[str, tuple[Tensor, Tensor]], scale: float) -> None:
        """A new adapter of A [E, R, in] and B [E, R, out] by site; it acts times `scale`."""

        def ready(part: Tensor) -> Tensor:
            like = self.base.get_parameter(EXPERT_SITES[0])
            return nn.functional.pad(part, (0, 0, 0, -part.shape[1] % _RANK_MULTIPLE)).to(like.device, like.dtype)

        self.adapters[name] = {site: (ready(a).transpose(1, 2), ready(b * scale)) for site, (a, b) in packed.items()}

    def forward(self, x: Tensor, experts: Tensor, weights: Tensor) -> Tensor:
        """x [T, H], its experts int64 [T, K] and their weights [T, K], to [T, H]. Raises ModelError."""
        selection = self._selection
        if selection.groups is None:
            return self._mixture(x, experts, weights, selection.active)
        selection.check(x)
        out = torch.empty_like(x)
        for name, rows in selection.groups:
            out[rows] = self._mixture(x[rows], experts[rows], weights[rows], name)
        return out

    def _mixture(self, x: Tensor, experts: Tensor, weights: Tensor, name: str | None) -> Tensor:
        """All tokens under one adapter, None for the base alone."""
        rows = arrange(experts, weights.float(), len(self.weight("down_proj")))
        gate_up = self._project("gate_up_proj", gather_rows(x, rows.token), rows, name)
        down = self._project("down_proj", swiglu(gate_up, rows.weight), rows, name)
        return combine_rows(down, rows.inverse, experts.shape[1])

    def _project(self, site: str, x: Tensor, rows: RoutedRows, name: str | None) -> Tensor:
        """x [S, in] to [S, out], each row by its expert."""
        out = grouped_mm(x, self.weight(site).transpose(1, 2), rows.ends)
        if name is None or site not in self.adapters[name]:
            return out
        a, b = self.adapters[name][site]
        return out + grouped_mm(grouped_mm(x, a, rows.ends), b, rows.ends)


class MixtureLora:
    """Adapters of a Qwen3-MoE by name: what an engine uses of LoraSet."""

    def __init__(self, attention: LoraSet, experts: Sequence[LoraExperts], sites: Iterable[str]) -> None:
        """`experts` of every layer in order; `sites` those of them that adapters touch."""
        self._attention = attention
        self._experts = experts
        self._sites = tuple(sites)

    @property
    def slots(self) -> Mapping[str, int]:
        """As LoraSet's."""
        return self._attention.slots

    def load(self, name: str, tensors: Mapping[str, Tensor], *, rank: int, alpha: float) -> int:
        """A new adapter from tensors under PEFT's keys, per expert or stacked (qwen3_moe_peft.py); returns its slot.

        Raises ModelError if the name is taken, a key is missing or unknown, or a shape does not fit; then nothing has
        changed.
        """
        of_experts = {key: tensor for key, tensor in tensors.items() if ".mlp.experts." in key}
        try:
            layers = from_peft(of_experts, [self._shapes(layer, rank) for layer in self._experts])
        except ModelError as error:
            raise ModelError(f"adapter {name!r}: {error}") from error
        rest = {key: tensor for key, tensor in tensors.items() if key not in of_experts}
        slot = self._attention.load(name, rest, rank=rank, alpha=alpha)
        for layer, packed in zip(self._experts, layers, strict=True):
            layer.put(name, packed, alpha / rank)
        return slot

    def remove(self, name: str) -> None:
        """Drops an adapter. It may be neither active nor selected by a row."""
        self._attention.remove(name)
        for layer in self._experts:
            del layer.adapters[name]

    def set_active(self, name: str | None) -> None:
        """As LoraSet's."""
        self._attention.set_active(name)

    def set_rows(self, adapter_index: Tensor | None) -> None:
        """As LoraSet's; a row is a token."""
        self._attention.set_rows(adapter_index)

    def _shapes(self, layer: LoraExperts, rank: int) -> dict[str, tuple[torch.Size, torch.Size]]:
        shapes = {}
        for site in self._sites:
            experts, width_out, width_in = layer.weight(site).shape
            shapes[site] = (torch.Size((experts, rank, width_in)), torch.Size((experts, rank, width_out)))
        return shapes


def inject_mixture_lora(model: Any, target_modules: Sequence[str]) -> MixtureLora:
    """Freezes transformers' Qwen3MoeForCausalLM and puts adapter layers in the place of what `target_modules` names.

    Targets: q_proj, k_proj, v_proj, o_proj, gate_proj with up_proj, down_proj. Raises ModelError for another one, and
    for a model that has layers without a mixture.
    """
    sites = sites_of(target_modules)
    layers = model.model.layers
    if plain := [number for number, layer in enumerate(layers) if not hasattr(layer.mlp, "experts")]:
        raise ModelError(
            f"layers {plain} of this {type(model).__name__} have no experts (mlp_only_layers or decoder_sparse_step in "
            "its config.json); adapters go on models with a mixture in every layer"
        )
    attention = inject_lora(model, [site for site in sites if site in ATTENTION_SITES])
    for layer in layers:
        layer.mlp.experts = LoraExperts(layer.mlp.experts, attention.selection)
    return MixtureLora(attention, [layer.mlp.experts for layer in layers], [s for s in sites if s in EXPERT_SITES])
