"""Triton kernel of `kernels/top_experts.py`: K times the highest left, sixteen rows a program."""

import torch
import triton
import triton.language as tl
from torch import Tensor

_ROWS = 16


def top_experts(logits: Tensor, top_k: int) -> tuple[Tensor, Tensor]:
    num_rows, num_experts = logits.shape
    experts = torch.empty(num_rows, top_k, device=logits.device, dtype=torch.int64)
    values = torch.empty(num_rows, top_k, device=logits.device, dtype=torch.float32)
    grid = (triton.cdiv(num_rows, _ROWS),)
    block = triton.next_power_of_2(num_experts)
    _choose[grid](logits, experts, values, num_rows, logits.stride(0), num_experts, top_k, _ROWS, block, num_warps=4)
    return experts, values


@triton.jit
def _choose(
    logits, experts, values, num_rows, stride,
    E: tl.constexpr, K: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    inside = row < num_rows
    c = tl.arange(0, BLOCK)[None, :]
    left = tl.load(logits + row[:, None] * stride + c, mask=inside[:, None] & (c < E), other=float("-inf"))
    left = left.to(tl.float32)
    left = tl.where(left == left, left, float("-inf"))  # not a number: last
    for k in range(K):
        best = tl.minimum(tl.argmax(left, 1), E - 1)
        tl.store(values + row * K + k, tl.max(left, 1), mask=inside)
        tl.store(experts + row * K + k, best.to(tl.int64), mask=inside)
        left = tl.where(c == best[:, None], float("-inf"), left)
