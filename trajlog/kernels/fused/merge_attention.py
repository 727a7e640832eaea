"""Triton kernel of `kernels/merge_attention.py`: one program per token and eight heads."""

import torch
import triton
import triton.language as tl
from torch import Tensor

_HEADS = 8


def merge_into(out: Tensor, logsumexp: Tensor, other: Tensor, other_logsumexp: Tensor) -> Tensor:
    num_tokens, num_heads, width = out.shape
    merged = torch.empty(num_heads, num_tokens, device=out.device, dtype=torch.float32)
    _merge[(num_tokens, triton.cdiv(num_heads, _HEADS))](
        out, logsumexp, other, other_logsumexp, merged,
        out.stride(0), out.stride(1), other.stride(0), other.stride(1),
        logsumexp.stride(0), other_logsumexp.stride(0), num_tokens,
        num_heads, width, _HEADS, triton.next_power_of_2(width), num_warps=4,
    )  # fmt: skip
    return merged


@triton.jit
def _merge(
    out, logsumexp, other, other_logsumexp, merged,
    out_token, out_head, other_token, other_head, logsumexp_head, other_logsumexp_head, num_tokens,
    N: tl.constexpr, D: tl.constexpr, HEADS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    t = tl.program_id(0).to(tl.int64)
    head = (tl.program_id(1) * HEADS + tl.arange(0, HEADS)).to(tl.int64)[:, None]
    c = tl.arange(0, BLOCK)[None, :]
    here = head < N
    one = tl.load(logsumexp + head * logsumexp_head + t, mask=here, other=0.0)
    two = tl.load(other_logsumexp + head * other_logsumexp_head + t, mask=here, other=0.0)
    larger = tl.maximum(one, two)
    both = larger + tl.log(tl.exp(one - larger) + tl.exp(two - larger))
    tl.store(merged + head * num_tokens + t, both, mask=here)
    inside = here & (c < D)
    to = out + t * out_token + head * out_head + c
    a = tl.load(to, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(other + t * other_token + head * other_head + c, mask=inside, other=0.0).to(tl.float32)
    tl.store(to, (a * tl.exp(one - both) + b * tl.exp(two - both)).to(out.dtype.element_ty), mask=inside)
