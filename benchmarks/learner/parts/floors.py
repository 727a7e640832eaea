"""The least time that each part of a step can take on an H200: arithmetic and traffic at measured ceilings. Pure.

Arithmetic: the model's own (shape.py) at the rate of an 8192^3 bf16 product. Traffic: every tensor that the part must
read or write, once, at the rate of a device copy. The adapters' own products are in no floor: what they cost shows as
distance.
"""

from collections.abc import Sequence

from .shape import HEAD_DIM, Shape, attention_flops, dense_flops, expert_flops, head_flops

FLOPS = 771e12
BYTES = 4.2e12
BF16, FP32 = 2, 4


def floors(shape: Shape, lengths: Sequence[int], scored: int, adapter_parameters: int) -> dict[str, tuple[float, str]]:
    """By class of trace.py: seconds, and what bounds them. One pack's forward and backward pass, one optimizer step."""
    tokens = sum(lengths)
    return {
        "attention": (attention_flops(shape, lengths) / FLOPS, "arithmetic"),
        "grouped GEMM": (expert_flops(shape, tokens) / FLOPS, "arithmetic"),
        "dense GEMM": (dense_flops(shape, tokens) / FLOPS, "arithmetic"),
        "element-wise": (element_wise_bytes(shape, tokens, adapter_parameters) / BYTES, "traffic"),
        "head": (head_flops(shape, scored) / FLOPS, "arithmetic"),
        "optimizer": (optimizer_bytes(adapter_parameters) / BYTES, "traffic"),
    }


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
    backward = (1 + k) + 6 * width + 2 + (k + 1) + 4 + 2 * qkv + 3 * qkv + 4
    gradients = adapter_parameters * (BF16 + 2 * FP32)
    return shape.num_layers * (forward + backward) * row + gradients


def optimizer_bytes(parameters: int) -> float:
    """The norm reads the gradients, clipping reads and writes them; AdamW reads four float32 values and writes three;
    the bf16 copies are written once from float32."""
    return parameters * (FP32 + 2 * FP32 + 7 * FP32 + FP32 + BF16)
