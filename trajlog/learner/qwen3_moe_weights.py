"""Frozen weights of one decoder layer, with one adapter's copies in and beside them.

Adapters enter the products in two ways (ranks here are padded to a multiple of 8, R):

- halves that face tokens lie beside a weight that reads or writes the same rows, so one dense product does both: the
  rows of `qkv` after the projections are the three A; the rows of `router` before the router are all experts' A of
  gate_up; `down_b` is all experts' B of down, as one matrix over E * R columns;
- halves that face one expert's rows are borders of that expert's weight: `gate_up[:, :, H:]` holds B, `down[:, H:, :]`
  holds A. A grouped product over the widened input gives base and adapter in one float32 accumulator.

The scale alpha / rank is folded into every B. Every forward pass asks for its adapter by `hold`, every backward pass by
`hold_again`.
"""

from collections.abc import Callable
from typing import Any, Literal

import torch
from torch import Tensor, nn

from trajlog.errors import ModelError
from trajlog.learner.qwen3_moe_adapter import LayerAdapter
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape

RANK_MULTIPLE = 8
"""Rows of R bfloat16 are then multiples of 16 bytes, which grouped products ask for."""

Half = Literal["attention", "experts"]


def padded(rank: int) -> int:
    return -(-rank // RANK_MULTIPLE) * RANK_MULTIPLE


class LayerWeights(nn.Module):
    """Parameters without gradient, in the base's dtype. Sizes: T tokens, E experts, H hidden, I expert, R padded rank.

    attention_norm, experts_norm [H]; q_norm, k_norm [head_dim];
    qkv [qkv_size + 3R, H], qkv_b [3R, qkv_size] with the three B on its diagonal blocks; out [H, heads * head_dim],
    out_a [R, heads * head_dim], out_b [R, H]; router [E * R + E, H]; gate_up [E, 2I, H + R]; down [E, H + R, I];
    down_b [E * R, H].
    `attention_rank` and `experts_rank` are R of either half, 0 where no adapter touches it.
    """

    def __init__(self, shape: Qwen3MoeShape, tensors: dict[str, Tensor]) -> None:
        """`tensors` by the names above, without room for adapters (R = 0)."""
        super().__init__()
        self.shape = shape
        self.sharded = False
        self.attention_rank = 0
        self.experts_rank = 0
        for name in ("attention_norm", "experts_norm", "q_norm", "k_norm", "qkv", "out", "router", "gate_up", "down"):
            self._set(name, tensors[name])
        self._set("qkv_b", self.qkv.new_zeros(0, shape.qkv_size))
        self._set("out_a", self.qkv.new_zeros(0, self.out.shape[1]))
        self._set("out_b", self.qkv.new_zeros(0, shape.hidden_size))
        self._set("down_b", self.qkv.new_zeros(0, shape.hidden_size))
        self._held: dict[Half, tuple[LayerAdapter | None, Any]]
        self.forget()

    @classmethod
    def from_transformers(cls, layer: nn.Module, shape: Qwen3MoeShape, device: torch.device) -> "LayerWeights":
        """From a Qwen3MoeDecoderLayer; experts' weights are views of its own where the device is the same."""
        attention, mixture = layer.self_attn, layer.mlp
        projections = (attention.q_proj, attention.k_proj, attention.v_proj)
        tensors = {
            "attention_norm": layer.input_layernorm.weight,
            "experts_norm": layer.post_attention_layernorm.weight,
            "q_norm": attention.q_norm.weight,
            "k_norm": attention.k_norm.weight,
            "qkv": torch.cat([p.weight.detach().to(device) for p in projections]),
            "out": attention.o_proj.weight,
            "router": mixture.gate.weight,
            "gate_up": mixture.experts.gate_up_proj,
            "down": mixture.experts.down_proj,
        }
        return cls(shape, {name: tensor.detach().to(device) for name, tensor in tensors.items()})

    @classmethod
    def random(cls, shape: Qwen3MoeShape, generator: torch.Generator, dtype: torch.dtype) -> "LayerWeights":
        """Normal weights of standard deviation 0.02, drawn where the generator is; norms are ones."""
        s, device = shape, generator.device

        def normal(*size: int) -> Tensor:
            return torch.empty(*size, device=device, dtype=dtype).normal_(0, 0.02, generator=generator)

        def ones(size: int) -> Tensor:
            return torch.ones(size, device=device, dtype=dtype)

        tensors = {
            "attention_norm": ones(s.hidden_size),
            "experts_norm": ones(s.hidden_size),
            "q_norm": ones(s.head_dim),
            "k_norm": ones(s.head_dim),
            "qkv": normal(s.qkv_size, s.hidden_size),
            "out": normal(s.hidden_size, s.num_heads * s.head_dim),
            "router": normal(s.num_experts, s.hidden_size),
            "gate_up": normal(s.num_experts, 2 * s.expert_size, s.hidden_size),
            "down": normal(s.num_experts, s.hidden_size, s.expert_size),
        }
        return cls(shape, tensors)

    def make_room(self, attention_rank: int, experts_rank: int) -> None:
        """Widens the borders to these padded ranks, where they are smaller; the base's values stay.

        Raises ModelError where they are smaller and this process holds only a part of the tensors.
        """
        s = self.shape
        if self.sharded and (attention_rank > self.attention_rank or experts_rank > self.experts_rank):
            raise ModelError(
                f"the base model was laid out for adapters of rank {max(self.attention_rank, self.experts_rank)} when "
                "it was sharded: set learner.lora_rank to the largest rank that is loaded"
            )
        if attention_rank > self.attention_rank:
            rank = self.attention_rank = attention_rank
            self._set("qkv", _grown(self.qkv[: s.qkv_size], 0, after=3 * rank))
            self._set("qkv_b", self.qkv.new_zeros(3 * rank, s.qkv_size))
            self._set("out_a", self.qkv.new_zeros(rank, self.out.shape[1]))
            self._set("out_b", self.qkv.new_zeros(rank, s.hidden_size))
        if experts_rank > self.experts_rank:
            rank = self.experts_rank = experts_rank
            self._set("router", _grown(self.router[-s.num_experts :], 0, before=s.num_experts * rank))
            self._set("gate_up", _grown(self.gate_up[:, :, : s.hidden_size], 2, after=rank))
            self._set("down", _grown(self.down[:, : s.hidden_size], 1, after=rank))
            self._set("down_b", self.qkv.new_zeros(s.num_experts * rank, s.hidden_size))
        self.forget()

    def forward(self, x: Tensor, layer: Callable[..., tuple[Tensor, Tensor]], number: int) -> tuple[Tensor, Tensor]:
        """`layer(x, self, number)`, while these tensors are there.

        Where they are sharded, they are gathered anew before this and before its backward pass, and the adapter's
        copies in them are written anew each time.
        """
        if self.sharded:
            self.forget()
        out = layer(x, self, number)
        if self.sharded:
            self.forget()
        return out

    def hold(self, half: Half, adapter: LayerAdapter | None) -> None:
        """For a forward pass: makes the copies in that half those of `adapter` (None: zeros, the base alone).

        Those of a trained adapter are always written, since not every optimizer's step can be seen on the parameters;
        others unless they are there already. Launches copies on the device and waits for nothing.
        """
        state = None if adapter is None else adapter.state()
        if (adapter is not None and adapter.trained) or self._held[half] != (adapter, state):
            self._write(half, adapter)
            self._held[half] = (adapter, state)

    def hold_again(self, half: Half, adapter: LayerAdapter | None, state: tuple[int, ...] | None) -> None:
        """For a backward pass: the copies of its forward pass, though another adapter may have been used since.

        `state` is the adapter's at the forward pass. Raises RuntimeError if it has changed: gradients would be wrong.
        """
        if adapter is not None and adapter.state() != state:
            raise RuntimeError("an adapter was changed between a forward pass and its backward pass")
        if self._held[half] != (adapter, state):
            self._write(half, adapter)
            self._held[half] = (adapter, state)

    def forget(self) -> None:
        """The next `hold` writes in any case: for code that has filled these tensors anew."""
        self._held = {"attention": (None, object()), "experts": (None, object())}

    @torch.no_grad()
    def _write(self, half: Half, adapter: LayerAdapter | None) -> None:
        if half == "attention" and self.attention_rank:
            self._write_attention(adapter)
        elif half == "experts" and self.experts_rank:
            self._write_experts(adapter)

    def _write_attention(self, adapter: LayerAdapter | None) -> None:
        s, rank = self.shape, self.attention_rank
        column = 0
        for number, (site, heads) in enumerate(s.qkv_heads):
            rows = slice(number * rank, (number + 1) * rank)
            columns = slice(column, column + heads * s.head_dim)
            _put_a(self.qkv[s.qkv_size :][rows], adapter, site)
            _put_b(self.qkv_b[rows, columns], adapter, site)
            column = columns.stop
        _put_a(self.out_a, adapter, "o_proj")
        _put_b(self.out_b, adapter, "o_proj")

    def _write_experts(self, adapter: LayerAdapter | None) -> None:
        s, rank = self.shape, self.experts_rank
        _put_a(self.router[: s.num_experts * rank].unflatten(0, (-1, rank)), adapter, "gate_up_proj")
        _put_b(self.gate_up[:, :, s.hidden_size :].transpose(1, 2), adapter, "gate_up_proj")
        _put_a(self.down[:, s.hidden_size :], adapter, "down_proj")
        _put_b(self.down_b.unflatten(0, (-1, rank)), adapter, "down_proj")

    def _set(self, name: str, value: Tensor) -> None:
        setattr(self, name, nn.Parameter(value, requires_grad=False))


def _put_a(place: Tensor, adapter: LayerAdapter | None, site: str) -> None:
    """place [..., R, in] becomes A [..., rank, in], then zeros."""
    a = None if adapter is None else adapter.a.get(site)
    if a is None:
        place.zero_()
        return
    place[..., : a.shape[-2], :].copy_(a)
    _clear_padding(place, a.shape[-2])


def _put_b(place: Tensor, adapter: LayerAdapter | None, site: str) -> None:
    """place [..., R, out] becomes scale * B [..., rank, out], then zeros."""
    b = None if adapter is None else adapter.b.get(site)
    if adapter is None or b is None:
        place.zero_()
        return
    torch.mul(b, adapter.scale, out=place[..., : b.shape[-2], :])
    _clear_padding(place, b.shape[-2])


def _clear_padding(place: Tensor, rank: int) -> None:
    if rank < place.shape[-2]:
        place[..., rank:, :].zero_()


def _grown(base: Tensor, dim: int, *, before: int = 0, after: int = 0) -> Tensor:
    """A new tensor with `base` in it and zeros before and after it along `dim`."""
    size = list(base.shape)
    size[dim] += before + after
    out = base.new_zeros(size)
    out.narrow(dim, before, base.shape[dim]).copy_(base)
    return out
