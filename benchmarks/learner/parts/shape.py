"""The model's shape, and what one forward and backward pass of it costs in arithmetic. Pure.

Counted per pack of T tokens in documents of length l, n of them scored, with a frozen base: every linear product runs
forward and for its input's gradient (2 * 2 * parameters FLOPs a token, active experts only), the weights' gradients do
not exist; causal attention 2 * heads * 128 * l^2 forward and 2.5 times that backward; the head at scored tokens. The
adapters (under 1%) and anything computed twice are not counted, so that no side gains by recomputing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

HEAD_DIM = 128


@dataclass(frozen=True)
class Shape:
    """A Qwen3-MoE decoder."""

    num_layers: int
    hidden: int
    num_heads: int
    num_kv_heads: int
    num_experts: int
    top_k: int
    expert_width: int
    vocabulary: int

    @property
    def attention_parameters(self) -> int:
        """Of one layer: q, k, v and output projections."""
        return HEAD_DIM * self.hidden * (2 * self.num_heads + 2 * self.num_kv_heads)

    @property
    def router_parameters(self) -> int:
        return self.hidden * self.num_experts

    @property
    def active_expert_parameters(self) -> int:
        """Of one layer: the experts that one token runs through."""
        return 3 * self.hidden * self.expert_width * self.top_k

    @property
    def parameters(self) -> int:
        """All of the base, embedding and head included; norms left out."""
        experts = 3 * self.hidden * self.expert_width * self.num_experts
        layer = self.attention_parameters + self.router_parameters + experts
        return self.num_layers * layer + 2 * self.vocabulary * self.hidden


QWEN3_CODER_30B_A3B = Shape(48, 2048, 32, 4, 128, 8, 768, 151_936)
TINY = Shape(2, 256, 4, 2, 8, 2, 64, 512)


def attention_flops(shape: Shape, lengths: Sequence[int]) -> float:
    """Scores and values of all layers, forward and backward."""
    return 3.5 * shape.num_layers * 2 * shape.num_heads * HEAD_DIM * float(sum(n * n for n in lengths))


def expert_flops(shape: Shape, tokens: int) -> float:
    return 4.0 * shape.num_layers * shape.active_expert_parameters * tokens


def dense_flops(shape: Shape, tokens: int) -> float:
    """Attention projections and router."""
    return 4.0 * shape.num_layers * (shape.attention_parameters + shape.router_parameters) * tokens


def head_flops(shape: Shape, scored: int) -> float:
    return 4.0 * shape.vocabulary * shape.hidden * scored


def model_flops(shape: Shape, lengths: Sequence[int], scored: int) -> float:
    """Forward and backward pass over one pack.

    >>> round(model_flops(QWEN3_CODER_30B_A3B, [16_384], 16_384) / 1e12)
    569
    """
    tokens = sum(lengths)
    return (
        attention_flops(shape, lengths)
        + expert_flops(shape, tokens)
        + dense_flops(shape, tokens)
        + head_flops(shape, scored)
    )
