"""Low-rank adapters on a frozen model: several adapters on one base, one active or one per batch row.

Consumed by the learner (a trained `policy` and a frozen `reference` adapter on the same base) and by the
serving engine (one adapter per policy version, rows of one batch on different versions).

    lora = inject_lora(model, ("q_proj", "v_proj"))
    lora.add("policy", rank=8, alpha=16.0, seed=0)      # B = 0: the model's output is unchanged
    lora.set_active("policy"); model(input_ids)         # every row on "policy"
    with lora.using(None): model(input_ids)             # base alone
    lora.set_rows(torch.tensor([0, -1, 0]))             # rows 0 and 2 on slot 0, row 1 on the base

Output of one layer: `base(x) + (alpha / rank) * (x A^T) B^T`, with A [rank, in], B [out, rank]
(LoRA, arXiv 2106.09685, section 4.1). The product is formed in the adapter's dtype and cast to the base
output's dtype, as PEFT does, so an exported adapter gives PEFT's numbers.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from trajlog.errors import ModelError

PEFT_PREFIX = "base_model.model."
BASE_ROW = -1


@dataclass
class Selection:
    """Which adapter acts; one object shared by all layers of a model, so switching is one assignment.

    `groups`: None means the active adapter acts on every row; otherwise pairs (adapter name, or None for the base
    alone, and row indices) that share out a batch of `num_rows`.
    """

    active: str | None = None
    groups: list[tuple[str | None, Tensor]] | None = None
    num_rows: int = 0

    def check(self, x: Tensor) -> None:
        """Raises ModelError for a layer's input that is not a batch of the selected rows."""
        if x.dim() < 2 or x.shape[0] != self.num_rows:
            raise ModelError(
                f"a batch of shape {tuple(x.shape)} reached an adapter layer while {self.num_rows} rows "
                "are selected; call set_rows with one slot per batch row, or set_rows(None)"
            )


class LoraLinear(nn.Module):
    """A frozen `nn.Linear` with named adapters. Input [..., in], with rows selected [B, ..., in]."""

    def __init__(self, base: nn.Linear, selection: Selection):
        super().__init__()
        self.base = base
        self.lora_A = nn.ParameterDict()
        self.lora_B = nn.ParameterDict()
        self.scaling: dict[str, float] = {}
        self._selection = selection

    def _delta(self, name: str, x: Tensor) -> Tensor:
        a, b = self.lora_A[name], self.lora_B[name]
        return nn.functional.linear(nn.functional.linear(x.to(a.dtype), a), b) * self.scaling[name]

    def forward(self, x: Tensor) -> Tensor:
        out = self.base(x)
        selection = self._selection
        if selection.groups is None:
            if selection.active is None:
                return out
            return (out + self._delta(selection.active, x)).to(out.dtype)
        selection.check(x)
        for name, rows in selection.groups:
            if name is None:
                continue
            if len(rows) == selection.num_rows:
                out = (out + self._delta(name, x)).to(out.dtype)
            else:
                delta = self._delta(name, x.index_select(0, rows)).to(out.dtype)
                out = out.index_add(0, rows, delta)
        return out


@dataclass
class LoraSet:
    """Every `LoraLinear` of one model by module name, and the adapters they hold.

    An adapter has a name and a slot, a small integer that is never given to another adapter.
    """

    layers: dict[str, LoraLinear]
    selection: Selection
    slots: dict[str, int] = field(default_factory=dict)
    shapes: dict[str, tuple[int, float]] = field(default_factory=dict)
    _next_slot: int = 0

    def add(self, name: str, *, rank: int, alpha: float, seed: int = 0, dtype: torch.dtype = torch.float32) -> int:
        """A new adapter: A uniform in ±1/sqrt(in) from `seed` (PEFT's default), B zero. Returns its slot."""
        generator = torch.Generator().manual_seed(seed)
        tensors: dict[str, Tensor] = {}
        for module_name, layer in self.layers.items():
            bound = 1.0 / math.sqrt(layer.base.in_features)
            a = torch.empty(rank, layer.base.in_features).uniform_(-bound, bound, generator=generator)
            tensors[f"{PEFT_PREFIX}{module_name}.lora_A.weight"] = a
            tensors[f"{PEFT_PREFIX}{module_name}.lora_B.weight"] = torch.zeros(layer.base.out_features, rank)
        return self.load(name, tensors, rank=rank, alpha=alpha, dtype=dtype)

    def load(
        self,
        name: str,
        tensors: Mapping[str, Tensor],
        *,
        rank: int,
        alpha: float,
        dtype: torch.dtype = torch.float32,
    ) -> int:
        """A new adapter from tensors under PEFT's key names; returns its slot.

        Raises ModelError if the name is taken, a key is missing or unknown, or a shape does not fit; then
        nothing has changed.
        """
        if name in self.slots:
            raise ModelError(f"adapter {name!r} is loaded already; remove it or give the new one its own name")
        if "." in name or not name or rank < 1:
            raise ModelError(f"adapter name {name!r} (no dots, not empty), rank {rank} (at least 1): unusable")
        self._check(name, tensors, rank)
        for module_name, layer in self.layers.items():
            weight = layer.base.weight
            a, b = (tensors[f"{PEFT_PREFIX}{module_name}.lora_{x}.weight"] for x in "AB")
            layer.lora_A[name] = nn.Parameter(a.detach().to(weight.device, dtype, copy=True))
            layer.lora_B[name] = nn.Parameter(b.detach().to(weight.device, dtype, copy=True))
            layer.scaling[name] = alpha / rank
        self.slots[name] = self._next_slot
        self.shapes[name] = (rank, alpha)
        self._next_slot += 1
        return self.slots[name]

    def _check(self, name: str, tensors: Mapping[str, Tensor], rank: int) -> None:
        expected: dict[str, tuple[int, int]] = {}
        for module_name, layer in self.layers.items():
            expected[f"{PEFT_PREFIX}{module_name}.lora_A.weight"] = (rank, layer.base.in_features)
            expected[f"{PEFT_PREFIX}{module_name}.lora_B.weight"] = (layer.base.out_features, rank)
        if missing := sorted(expected.keys() - tensors.keys()):
            raise ModelError(
                f"adapter {name!r} lacks {len(missing)} tensors, the first is {missing[0]}; it was made for "
                "another model or for fewer target modules"
            )
        if unknown := sorted(tensors.keys() - expected.keys()):
            raise ModelError(
                f"adapter {name!r} has {len(unknown)} tensors that no layer takes, such as {unknown[0]}; "
                "set the target modules that it was trained with"
            )
        for key, shape in expected.items():
            if tuple(tensors[key].shape) != shape:
                raise ModelError(f"adapter {name!r}: {key} has shape {tuple(tensors[key].shape)}, expected {shape}")

    def remove(self, name: str) -> None:
        """Drops an adapter. It may be neither active nor selected by a row."""
        selection = self.selection
        if selection.active == name or any(n == name for n, _ in selection.groups or ()):
            raise ModelError(f"adapter {name!r} is in use; select another before removing it")
        del self.slots[name], self.shapes[name]
        for layer in self.layers.values():
            del layer.lora_A[name], layer.lora_B[name], layer.scaling[name]

    def set_active(self, name: str | None) -> None:
        """Makes one adapter (None: the base alone) act on every row, and ends a row selection."""
        if name is not None and name not in self.slots:
            raise ModelError(f"no adapter {name!r}; loaded are {sorted(self.slots)}")
        self.selection.active, self.selection.groups, self.selection.num_rows = name, None, 0

    def set_rows(self, adapter_index: Tensor | None) -> None:
        """One slot per batch row, int64 [B], `BASE_ROW` (-1) for the base alone; None ends the selection.

        `adapter_index` lies on the model's device.
        """
        if adapter_index is None:
            self.selection.groups, self.selection.num_rows = None, 0
            return
        known: dict[int, str | None] = {BASE_ROW: None, **{slot: name for name, slot in self.slots.items()}}
        wanted = sorted(set(adapter_index.tolist()))
        if unknown := [slot for slot in wanted if slot not in known]:
            raise ModelError(f"no adapter in slots {unknown}; loaded are {self.slots}")
        self.selection.groups = [(known[slot], (adapter_index == slot).nonzero().flatten()) for slot in wanted]
        self.selection.num_rows = len(adapter_index)

    @contextmanager
    def using(self, name: str | None) -> Iterator[None]:
        """Another active adapter for a while; the old one is active again afterwards."""
        before = self.selection.active
        self.set_active(name)
        try:
            yield
        finally:
            self.set_active(before)

    def parameters(self, name: str) -> dict[str, nn.Parameter]:
        """The adapter's parameters by PEFT key, in a fixed order (module order, A before B)."""
        found: dict[str, nn.Parameter] = {}
        for module_name, layer in self.layers.items():
            found[f"{PEFT_PREFIX}{module_name}.lora_A.weight"] = layer.lora_A[name]
            found[f"{PEFT_PREFIX}{module_name}.lora_B.weight"] = layer.lora_B[name]
        return found

    def export(self, name: str) -> dict[str, Tensor]:
        """Copies of the adapter's tensors on the CPU under PEFT's key names, ready for `save_adapter`."""
        return {key: p.detach().cpu().clone().contiguous() for key, p in self.parameters(name).items()}

    def train_only(self, name: str) -> list[nn.Parameter]:
        """Lets gradients reach this adapter alone and returns its parameters in `parameters` order."""
        for other in self.slots:
            for parameter in self.parameters(other).values():
                parameter.requires_grad_(other == name)
        return list(self.parameters(name).values())


def inject_lora(model: nn.Module, target_modules: Sequence[str]) -> LoraSet:
    """Freezes `model` and puts a `LoraLinear` in the place of every `nn.Linear` named by `target_modules`.

    A target is a module's last name (`q_proj`) or a longer suffix (`self_attn.q_proj`), as in PEFT. Experts
    held as one stacked tensor are not `nn.Linear` and are not touched (lora_experts.py has those).
    Raises ModelError if a target matches nothing.
    """
    linear = {name: module for name, module in model.named_modules() if isinstance(module, nn.Linear)}
    found = {t: [n for n in linear if n == t or n.endswith("." + t)] for t in target_modules}
    if unmatched := sorted(t for t, names in found.items() if not names):
        known = sorted({name.rpartition(".")[2] for name in linear})
        raise ModelError(
            f"target modules {unmatched} match no linear layer of {type(model).__name__}, which has {known}"
        )
    model.requires_grad_(False)
    selection = Selection()
    wanted = {name for names in found.values() for name in names}
    layers = {name: LoraLinear(module, selection) for name, module in linear.items() if name in wanted}
    for name, layer in layers.items():
        parent_name, _, child = name.rpartition(".")
        setattr(model.get_submodule(parent_name), child, layer)
    return LoraSet(layers, selection)
