"""The least time that each part of a step can take on an H200: arithmetic and traffic at measured ceilings. Pure.

A floor is the longer of two times: the model's own arithmetic (shape.py) at the rate of a large dense bf16 product, and
every tensor that the part must read or write, once, at the memory's rate. What the first layer need not do is left out:
nothing before its experts has a trained adapter, so its attention half has no backward pass, nor its experts a gradient
of their input. The adapters' own products are in no floor: what they cost shows as distance.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .shape import HEAD_DIM, Shape, attention_flops, dense_flops, expert_flops, head_flops

FLOPS = 790e12
"""A large dense bf16 product of random numbers, measured."""

BYTES = 4.8e12
"""The memory's rate by its datasheet; a device copy was measured at 4.2e12."""

BF16, FP32 = 2, 4


@dataclass(frozen=True)
class Floor:
    """What a part must do: floating-point operations, and bytes to and from memory."""

    flops: float
    bytes: float

    @property
    def seconds(self) -> float:
        return max(self.flops / FLOPS, self.bytes / BYTES)

    @property
    def bound(self) -> str:
        return "arithmetic" if self.flops / FLOPS >= self.bytes / BYTES else "traffic"


def floors(shape: Shape, lengths: Sequence[int], scored: int, adapter_parameters: int) -> dict[str, Floor]:
    """By class of trace.py. One pack's forward and backward pass, one optimizer step; adapters on the experts alone."""
    tokens, layers = sum(lengths), shape.num_layers
    return {
        "attention": Floor(
            attention_flops(shape, lengths) * (3.5 * layers - 2.5) / (3.5 * layers), attention_bytes(shape, tokens)
        ),
        "grouped GEMM": Floor(
            expert_flops(shape, tokens) * (6 * layers - 2) / (6 * layers), expert_bytes(shape, tokens)
        ),
        "dense GEMM": Floor(dense_flops(shape, tokens) * (2 * layers - 1) / (2 * layers), dense_bytes(shape, tokens)),
        "element-wise": Floor(0.0, element_wise_bytes(shape, tokens, adapter_parameters)),
        "head": Floor(head_flops(shape, scored), head_bytes(shape, scored)),
        "optimizer": Floor(0.0, optimizer_bytes(adapter_parameters)),
    }


def attention_bytes(shape: Shape, tokens: int) -> float:
    """Forward reads q, k, v and writes the output; backward reads those, the output and its gradient, writes three."""
    q, kv = (tokens * HEAD_DIM * heads * BF16 for heads in (shape.num_heads, shape.num_kv_heads))
    return shape.num_layers * (2 * q + 2 * kv) + (shape.num_layers - 1) * (4 * q + 4 * kv)


def expert_bytes(shape: Shape, tokens: int) -> float:
    """Every expert's weights once a pass; rows in and out of both products, and of both products of the gradient."""
    rows, width = tokens * shape.top_k, shape.expert_width
    weights = 3 * shape.num_experts * shape.hidden * width * BF16
    gate_up, down = rows * (shape.hidden + 2 * width) * BF16, rows * (shape.hidden + width) * BF16
    forward, backward_down = weights + gate_up + down, weights / 3 + down
    return shape.num_layers * (forward + backward_down) + (shape.num_layers - 1) * (2 * weights / 3 + gate_up)


def dense_bytes(shape: Shape, tokens: int) -> float:
    """Projections of attention, and the router: weights once a pass, rows in and out."""
    weights = (shape.attention_parameters + shape.router_parameters) * BF16
    qkv = HEAD_DIM * (shape.num_heads + 2 * shape.num_kv_heads)
    widths = (shape.hidden + qkv) + (HEAD_DIM * shape.num_heads + shape.hidden) + (shape.hidden + shape.num_experts)
    return (2 * shape.num_layers - 1) * (weights + tokens * widths * BF16)


def head_bytes(shape: Shape, scored: int) -> float:
    """The head's weights for logits and for their gradient, states in and gradients out; logits are not counted."""
    return 2 * shape.vocabulary * shape.hidden * BF16 + 2 * scored * shape.hidden * BF16


def element_wise_bytes(shape: Shape, tokens: int, adapter_parameters: int) -> float:
    """Norms, rotary positions, gathers, SwiGLU, sums over experts, and gradients added to float32 ones.

    In rows of [tokens, hidden]: a norm reads and writes one each, its backward reads three (one is the residual's
    gradient) and writes one; rotary positions read and write q, k and v; a gather writes top_k; SwiGLU reads two widths
    and writes one, its backward reads three and writes three; a sum over experts reads top_k and writes one. Norms and
    rotary positions run again in the backward pass.
    """
    row = tokens * shape.hidden * BF16
    qkv = HEAD_DIM * (shape.num_heads + 2 * shape.num_kv_heads) / shape.hidden
    width = shape.top_k * shape.expert_width / shape.hidden
    k = shape.top_k
    forward = 2 + 2 * qkv + 2 + (1 + k) + 3 * width + (k + 2)
    backward_experts = (1 + k) + 6 * width + 2
    backward = (k + 1) + 4 + 2 * qkv + 3 * qkv + 4
    gradients = adapter_parameters * (BF16 + 2 * FP32)
    layers = shape.num_layers
    return (layers * (forward + backward_experts) + (layers - 1) * backward) * row + gradients


def optimizer_bytes(parameters: int) -> float:
    """The norm reads the gradients, clipping reads and writes them; AdamW reads four float32 values and writes three;
    the bf16 copies are written once from float32."""
    return parameters * (FP32 + 2 * FP32 + 7 * FP32 + FP32 + BF16)
