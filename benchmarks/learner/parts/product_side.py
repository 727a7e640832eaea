"""This project's model on the baseline's weights and adapters."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.profiler import record_function

from trajlog.kernels.attention import AttentionBackend
from trajlog.kernels.logprobs import selected_logprobs
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.learner.qwen3_moe_lora import Qwen3MoeLora

from .adapters import ALPHA, RANK, SPREAD
from .objective import POLICY, REFERENCE
from .packs import Pack

EXPERTS = ("gate_proj", "up_proj", "down_proj")
ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
SITES = {"gate_up": "gate_up_proj", "down": "down_proj"}


class ProductSide:
    """`model` with the adapters `policy` and `reference`."""

    def __init__(self, model: Qwen3MoeModel, name: str) -> None:
        self.model, self.name = model, name
        self.replayed: Tensor | None = None
        for number, adapter in enumerate((POLICY, REFERENCE)):
            model.lora.add(adapter, rank=RANK, alpha=ALPHA, seed=number)
        self._trained = model.lora.train_only(POLICY)

    def load(self, adapter: str, tensors: dict[str, Tensor]) -> None:
        fill(self.model.lora, adapter, tensors)

    def logprobs(self, pack: Pack, adapter: str) -> Tensor:
        states = self.model(pack.tokens, pack.lengths, adapter, self.replayed).states
        with record_function("head"):
            before, tokens = states.index_select(0, pack.positions - 1), pack.tokens[pack.positions]
            return selected_logprobs(before, self.model.head, tokens, entropy=False).logprobs

    def parameters(self) -> list[nn.Parameter]:
        return self._trained

    def gradients(self) -> dict[str, Tensor]:
        """Of the experts' adapters."""
        parameters = self.model.lora.parameters(POLICY)
        found = {}
        for layer in range(self.model.shape.num_layers):
            for key in (f"{layer}.{half}_{site}" for site in SITES for half in "AB"):
                name, transposed = _place(key)
                grad = parameters[name].grad
                found[key] = grad.transpose(1, 2) if transposed else grad
        return found

    def routing(self, pack: Pack) -> tuple[Tensor, ...]:
        """The experts chosen in each layer, int64 [T, K]."""
        with torch.no_grad():
            return self.model(pack.tokens, pack.lengths, POLICY).routed_experts

    @contextmanager
    def replaying(self, routing: list[Tensor]) -> Iterator[None]:
        """The routers' choices replaced by recorded ones, per layer int64 [T, K], for a while."""
        self.replayed = torch.stack([chosen.to(self.model.device) for chosen in routing], 1)
        try:
            yield
        finally:
            self.replayed = None

    @contextmanager
    def attending(self, backend: AttentionBackend) -> Iterator[None]:
        """Another attention backend for a while."""
        before = self.model.attention
        self.model.attention = backend
        try:
            yield
        finally:
            self.model.attention = before


@torch.no_grad()
def fill(lora: Qwen3MoeLora, adapter: str, tensors: dict[str, Tensor]) -> None:
    """Writes an adapter of adapters.py into one that `lora` has."""
    parameters = lora.parameters(adapter)
    for key, tensor in tensors.items():
        name, transposed = _place(key)
        parameters[name].copy_(tensor.transpose(1, 2) if transposed else tensor)


def product(baseline: nn.Module) -> Qwen3MoeModel:
    """Adapters on all experts. Shares the baseline's weights until an adapter makes room beside them."""
    return Qwen3MoeModel.from_transformers(baseline, EXPERTS)


@torch.no_grad()
def with_attention_adapters(side: ProductSide) -> ProductSide:
    """A side on the same weights, with adapters on the attention projections too, none of them zero.

    The experts' are to be loaded. The old side is used up: whoever keeps it keeps its adapters' memory.
    """
    old: Any = side.model
    model = Qwen3MoeModel(old.shape, list(old.layers), old.embedding, old.final_norm, old.head, EXPERTS + ATTENTION)
    new = ProductSide(model, side.name)
    for adapter in (POLICY, REFERENCE):
        generator = torch.Generator(model.device).manual_seed(len(adapter))
        for name, parameter in model.lora.parameters(adapter).items():
            if any(site in name for site in ATTENTION):
                parameter.normal_(0.0, SPREAD, generator=generator)
    return new


def _place(key: str) -> tuple[str, bool]:
    """Where a tensor of adapters.py lies, and whether it is transposed there (B is [E, r, out])."""
    layer, name = key.split(".")
    half, site = name.split("_", 1)
    return f"layers.{layer}.{SITES[site]}.{half}", half == "B"
