"""Qwen3-MoE decoder for training adapters: documents end to end in one forward pass, backward written by hand.

    model = Qwen3MoeModel.from_folder(path, AutoConfig.from_pretrained(path), targets, dtype=dtype, device=device)
    model.lora.add("policy", rank=8, alpha=16.0)
    states = model(token_ids, lengths, adapter="policy").states

Scoring under another adapter writes its copies into each layer as the pass reaches it, and the backward pass of the
first writes its own back: one forward pass without gradient, and two writes of the adapters' bfloat16 copies.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import torch
from torch import Tensor, nn

from trajlog.kernels.attention import AttentionBackend, default_attention
from trajlog.kernels.documents import Documents
from trajlog.kernels.qwen3_moe_peft import ATTENTION_SITES, EXPERT_SITES, sites_of
from trajlog.kernels.rms_norm import rms_norm, rms_norm_backward
from trajlog.learner.qwen3_moe_adapter import LayerAdapter, site_parameters
from trajlog.learner.qwen3_moe_attention import AttentionMemo, Pack, attention_half
from trajlog.learner.qwen3_moe_experts import experts_half
from trajlog.learner.qwen3_moe_files import Qwen3MoeFiles
from trajlog.learner.qwen3_moe_lora import Qwen3MoeLora
from trajlog.learner.qwen3_moe_routing import Recorded
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape
from trajlog.learner.qwen3_moe_weights import LayerWeights

Recompute = Literal["none", "experts", "around_attention", "layer"]

Placed = Callable[[LayerWeights], nn.Module]
"""Takes a layer's weights over as soon as they are read: `sharding.py` keeps this rank's part of them."""


class Hidden(NamedTuple):
    """states [T, H] after the final norm; routed_experts: per layer int64 [T, K]."""

    states: Tensor
    routed_experts: tuple[Tensor, ...]


class LayerStack(nn.ModuleList):
    """All layers' weights. A module of its own, called once per pass, so that sharding.py can gather around it."""

    def forward(self, x: Tensor, layer: Callable[..., tuple[Tensor, Tensor]]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """`layer(x, weights, number)` of one after the other; the last x, and per layer the experts taken."""
        taken = []
        for number, weights in enumerate(self):
            x, experts = weights(x, layer, number)
            taken.append(experts)
        return x, tuple(taken)


class Qwen3MoeModel(nn.Module):
    """Frozen weights, and named adapters in `lora`.

    `attention` is the backend of kernels/attention.py. `recompute` trades time for memory in training: "none" keeps
    what the backward pass needs; "experts" makes the mixture half again; "around_attention" makes all of the layer
    again but attention itself, and keeps its output and the layer's input; "layer" makes the whole layer again, and
    keeps its input. The routing is kept in every case.
    """

    def __init__(
        self,
        shape: Qwen3MoeShape,
        layers: Sequence[nn.Module],
        embedding: Tensor,
        final_norm: Tensor,
        head: Tensor,
        target_modules: Sequence[str],
    ) -> None:
        """`layers`: LayerWeights, or what holds one each."""
        super().__init__()
        self.shape = shape
        self.layers = LayerStack(layers)
        self.embedding = nn.Parameter(embedding, requires_grad=False)
        self.final_norm = nn.Parameter(final_norm, requires_grad=False)
        self.head = self.embedding if head is embedding else nn.Parameter(head, requires_grad=False)
        self.attention: AttentionBackend = default_attention(head.device, head.dtype, shape.head_dim)
        self.recompute: Recompute = "none"
        weights = [module for module in self.layers.modules() if isinstance(module, LayerWeights)]
        self.lora = Qwen3MoeLora(shape, weights, target_modules)

    @classmethod
    def from_folder(
        cls,
        path: Path,
        config: Any,
        target_modules: Sequence[str],
        *,
        dtype: torch.dtype,
        device: torch.device | str,
        placed: Placed = lambda weights: weights,
    ) -> "Qwen3MoeModel":
        """From a checkpoint's folder and its config, layer by layer: one is read when the one before is `placed`.

        Raises ModelError as `from_transformers` and Qwen3MoeFiles do.
        """
        sites_of(target_modules)  # before minutes of reading
        shape, device = Qwen3MoeShape.of(config), torch.device(device)
        files = Qwen3MoeFiles(path, shape, tied=config.tie_word_embeddings)
        layers = [placed(LayerWeights(shape, files.layer(n, dtype, device))) for n in range(shape.num_layers)]
        embedding, final_norm, head = files.outside(dtype, device)
        return cls(shape, layers, embedding, final_norm, head, target_modules)

    @classmethod
    def from_transformers(
        cls, model: Any, target_modules: Sequence[str], device: torch.device | str | None = None
    ) -> "Qwen3MoeModel":
        """From a Qwen3MoeForCausalLM, layer by layer, so that only one layer is on both devices at once.

        Tensors are shared with `model` where the device is the same. Raises ModelError for a config that
        Qwen3MoeShape.of refuses or a target that the decoder does not have.
        """
        shape = Qwen3MoeShape.of(model.config)
        device = torch.device(device) if device is not None else model.lm_head.weight.device
        layers = [LayerWeights.from_transformers(layer, shape, device) for layer in model.model.layers]
        embedding = model.model.embed_tokens.weight.detach().to(device)
        tied = model.lm_head.weight is model.model.embed_tokens.weight
        head = embedding if tied else model.lm_head.weight.detach().to(device)
        return cls(shape, layers, embedding, model.model.norm.weight.detach().to(device), head, target_modules)

    @classmethod
    def random(
        cls,
        shape: Qwen3MoeShape,
        target_modules: Sequence[str],
        *,
        device: torch.device | str,
        dtype: torch.dtype = torch.bfloat16,
        seed: int = 0,
    ) -> "Qwen3MoeModel":
        """Random weights of a given shape, drawn on the device in `dtype`: for measurements."""
        generator = torch.Generator(device).manual_seed(seed)
        layers = [LayerWeights.random(shape, generator, dtype) for _ in range(shape.num_layers)]
        sizes = (shape.vocab_size, shape.hidden_size)
        embedding, head = (
            torch.empty(sizes, device=device, dtype=dtype).normal_(0, 0.02, generator=generator) for _ in range(2)
        )
        norm = torch.ones(shape.hidden_size, device=device, dtype=dtype)
        return cls(shape, layers, embedding, norm, head, target_modules)

    @property
    def device(self) -> torch.device:
        return self.head.device

    def forward(
        self,
        token_ids: Tensor,
        lengths: Sequence[int],
        adapter: str | None,
        routed_experts: Tensor | None = None,
        agreement: Tensor | None = None,
        *,
        shared_prefix: bool = False,
    ) -> Hidden:
        """token_ids int64 [T], documents end to end, whose `lengths` sum to T. `adapter` None is the base alone.

        `routed_experts` [T, layers, K], of any integer type, replaces the routers' choices by those that a sampler
        recorded; negative where it has none. `agreement` int64 [2] is added to: over tokens and layers with a record,
        how often the own choice is the same set, and how many there are. With `shared_prefix` the first document is
        the beginning of every other, and is computed, and routed, once.
        Raises ValueError when lengths, tokens and routed_experts do not agree, or where nothing follows a shared
        prefix.
        """
        if sum(lengths) != len(token_ids):
            raise ValueError(f"lengths sum to {sum(lengths)}, there are {len(token_ids)} token ids")
        expected = (len(token_ids), self.shape.num_layers, self.shape.top_k)
        if routed_experts is not None and routed_experts.shape != expected:
            raise ValueError(f"routed_experts has shape {tuple(routed_experts.shape)}, it must be {expected}")
        pack = self._pack(lengths, shared_prefix)
        parts = self.lora.layers(adapter)
        x = torch.nn.functional.embedding(token_ids, self.embedding)

        def layer(x: Tensor, weights: LayerWeights, number: int) -> tuple[Tensor, Tensor]:
            recorded = None if routed_experts is None else Recorded(routed_experts[:, number], agreement)
            return self._layer(x, weights, parts[number], pack, recorded)

        x, taken = self.layers(x, layer)
        return Hidden(_FinalNorm.apply(x, self.final_norm, self.shape.norm_eps), taken)

    def _pack(self, lengths: Sequence[int], shared_prefix: bool) -> Pack:
        documents = Documents.of(lengths, self.device, shared_prefix=shared_prefix)
        half = torch.arange(0, self.shape.head_dim, 2, device=self.device, dtype=torch.float32) / self.shape.head_dim
        angles = documents.positions[:, None].float() * self.shape.rope_theta**-half
        return Pack(documents, angles.cos(), angles.sin(), self.attention)

    def _layer(
        self, x: Tensor, weights: LayerWeights, adapter: LayerAdapter | None, pack: Pack, experts: Recorded | None
    ) -> tuple[Tensor, Tensor]:
        def mixture(x: Tensor, experts: Tensor | Recorded | None) -> tuple[Tensor, Tensor]:
            return experts_half(x, weights, adapter, experts)

        memo = AttentionMemo() if self.recompute == "around_attention" else None

        def layer(x: Tensor, experts: Tensor | Recorded | None) -> tuple[Tensor, Tensor]:
            return mixture(attention_half(x, weights, adapter, pack, memo), experts)

        if self.recompute == "none" or not torch.is_grad_enabled():
            return layer(x, experts)
        if self.recompute == "experts":
            x = attention_half(x, weights, adapter, pack)
            return _Again.apply(x, mixture, experts, *site_parameters(adapter, EXPERT_SITES))
        return _Again.apply(x, layer, experts, *site_parameters(adapter, ATTENTION_SITES + EXPERT_SITES))


class _Again(torch.autograd.Function):
    """Runs `body(x, experts)` without keeping anything but x and the routing, and once more in the backward pass."""

    @staticmethod
    def forward(ctx, x, body, experts, *parameters):
        with torch.no_grad():
            out, taken = body(x, experts)
        ctx.save_for_backward(x, taken)
        ctx.body, ctx.parameters = body, parameters
        ctx.mark_non_differentiable(taken)
        return out, taken

    @staticmethod
    def backward(ctx, grad_out, _):
        x, taken = ctx.saved_tensors
        with torch.enable_grad():
            leaf = x.detach().requires_grad_(ctx.needs_input_grad[0])
            out, _ = ctx.body(leaf, taken)
        inputs = (leaf, None, None, *ctx.parameters)
        wanted = [i for i, needed in enumerate(ctx.needs_input_grad) if needed]
        grads = torch.autograd.grad(out, [inputs[i] for i in wanted], grad_out)
        found = dict(zip(wanted, grads, strict=True))
        return tuple(found.get(i) for i in range(len(inputs)))


class _FinalNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        y, inverse_rms = rms_norm(x, weight, eps)
        ctx.save_for_backward(x, weight, inverse_rms)
        return y

    @staticmethod
    def backward(ctx, grad_y):
        x, weight, inverse_rms = ctx.saved_tensors
        nothing = torch.zeros_like(x)
        return rms_norm_backward(x, weight, inverse_rms, grad_y.contiguous(), nothing), None, None
