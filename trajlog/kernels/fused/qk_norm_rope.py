"""Triton kernels of `kernels/qk_norm_rope.py`: one program per token and four heads, q, k and v in one launch."""

import torch
import triton
import triton.language as tl
from torch import Tensor

_HEADS = 4


def qk_norm_rope(
    qkv: Tensor,
    q_weight: Tensor,
    k_weight: Tensor,
    cos: Tensor,
    sin: Tensor,
    eps: float,
    num_heads: int,
    num_kv_heads: int,
) -> tuple[Tensor, Tensor, Tensor]:
    num_tokens, head_dim = len(qkv), len(q_weight)
    q = torch.empty(num_tokens, num_heads, head_dim, device=qkv.device, dtype=qkv.dtype)
    k = torch.empty(num_tokens, num_kv_heads, head_dim, device=qkv.device, dtype=qkv.dtype)
    v = torch.empty_like(k)
    grid = (num_tokens, triton.cdiv(num_heads + 2 * num_kv_heads, _HEADS))
    _forward[grid](
        qkv, q_weight, k_weight, cos, sin, q, k, v, qkv.stride(0), eps,
        num_heads, num_kv_heads, head_dim // 2, _HEADS, num_warps=2,
    )  # fmt: skip
    return q, k, v


def qk_norm_rope_backward(
    qkv: Tensor,
    q_weight: Tensor,
    k_weight: Tensor,
    cos: Tensor,
    sin: Tensor,
    eps: float,
    grad_q: Tensor,
    grad_k: Tensor,
    grad_v: Tensor,
    grad_qkv: Tensor,
) -> None:
    num_heads, num_kv_heads = grad_q.shape[1], grad_k.shape[1]
    grid = (len(qkv), triton.cdiv(num_heads + 2 * num_kv_heads, _HEADS))
    _backward[grid](
        qkv, q_weight, k_weight, cos, sin, grad_q, grad_k, grad_v, grad_qkv, qkv.stride(0), grad_qkv.stride(0), eps,
        num_heads, num_kv_heads, len(q_weight) // 2, _HEADS, num_warps=2,
    )  # fmt: skip


@triton.jit
def _forward(
    qkv, q_weight, k_weight, cos, sin, q, k, v, stride, eps,
    HQ: tl.constexpr, HK: tl.constexpr, HALF: tl.constexpr, HEADS: tl.constexpr,
):  # fmt: skip
    D: tl.constexpr = 2 * HALF
    t = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)[:, None]
    c = tl.arange(0, HALF)[None, :]
    everywhere = c < HALF
    inside = (head < HQ + 2 * HK) & everywhere
    is_q = (head < HQ) & everywhere
    is_k = (head >= HQ) & (head < HQ + HK) & everywhere
    is_v = inside & (head >= HQ + HK)
    source = qkv + t * stride + head * D + c
    a = tl.load(source, mask=inside, other=0.0).to(tl.float32)
    b = tl.load(source + HALF, mask=inside, other=0.0).to(tl.float32)
    inverse = tl.rsqrt((tl.sum(a * a, 1) + tl.sum(b * b, 1)) / D + eps)[:, None]
    weight_a = tl.where(is_q, tl.load(q_weight + c).to(tl.float32), tl.load(k_weight + c).to(tl.float32))
    weight_b = tl.where(is_q, tl.load(q_weight + HALF + c).to(tl.float32), tl.load(k_weight + HALF + c).to(tl.float32))
    na, nb = a * inverse * weight_a, b * inverse * weight_b
    co, si = tl.load(cos + t * HALF + c), tl.load(sin + t * HALF + c)
    ra, rb = (na * co - nb * si).to(q.dtype.element_ty), (nb * co + na * si).to(q.dtype.element_ty)
    to_q = q + (t * HQ + head) * D + c
    to_k = k + (t * HK + head - HQ) * D + c
    to_v = v + (t * HK + head - HQ - HK) * D + c
    tl.store(to_q, ra, mask=is_q)
    tl.store(to_q + HALF, rb, mask=is_q)
    tl.store(to_k, ra, mask=is_k)
    tl.store(to_k + HALF, rb, mask=is_k)
    tl.store(to_v, a.to(v.dtype.element_ty), mask=is_v)
    tl.store(to_v + HALF, b.to(v.dtype.element_ty), mask=is_v)


@triton.jit
def _backward(
    qkv, q_weight, k_weight, cos, sin, grad_q, grad_k, grad_v, grad_qkv, stride, grad_stride, eps,
    HQ: tl.constexpr, HK: tl.constexpr, HALF: tl.constexpr, HEADS: tl.constexpr,
):  # fmt: skip
    D: tl.constexpr = 2 * HALF
    t = tl.program_id(0).to(tl.int64)
    head = tl.program_id(1) * HEADS + tl.arange(0, HEADS)[:, None]
    c = tl.arange(0, HALF)[None, :]
    everywhere = c < HALF
    inside = (head < HQ + 2 * HK) & everywhere
    is_q = (head < HQ) & everywhere
    is_k = (head >= HQ) & (head < HQ + HK) & everywhere
    is_v = inside & (head >= HQ + HK)
    from_q = grad_q + (t * HQ + head) * D + c
    from_k = grad_k + (t * HK + head - HQ) * D + c
    from_v = grad_v + (t * HK + head - HQ - HK) * D + c
    da = tl.load(from_q, mask=is_q, other=0.0).to(tl.float32) + tl.load(from_k, mask=is_k, other=0.0).to(tl.float32)
    db = tl.load(from_q + HALF, mask=is_q, other=0.0).to(tl.float32)
    db += tl.load(from_k + HALF, mask=is_k, other=0.0).to(tl.float32)
    va = tl.load(from_v, mask=is_v, other=0.0).to(tl.float32)
    vb = tl.load(from_v + HALF, mask=is_v, other=0.0).to(tl.float32)
    source = qkv + t * stride + head * D + c
    a = tl.load(source, mask=is_q | is_k, other=0.0).to(tl.float32)
    b = tl.load(source + HALF, mask=is_q | is_k, other=0.0).to(tl.float32)
    inverse = tl.rsqrt((tl.sum(a * a, 1) + tl.sum(b * b, 1)) / D + eps)[:, None]
    a, b = a * inverse, b * inverse
    co, si = tl.load(cos + t * HALF + c), tl.load(sin + t * HALF + c)
    weight_a = tl.where(is_q, tl.load(q_weight + c).to(tl.float32), tl.load(k_weight + c).to(tl.float32))
    weight_b = tl.where(is_q, tl.load(q_weight + HALF + c).to(tl.float32), tl.load(k_weight + HALF + c).to(tl.float32))
    ga, gb = (da * co + db * si) * weight_a, (db * co - da * si) * weight_b
    along = ((tl.sum(ga * a, 1) + tl.sum(gb * b, 1)) / D)[:, None]
    oa = tl.where(is_v, va, inverse * (ga - a * along))
    ob = tl.where(is_v, vb, inverse * (gb - b * along))
    target = grad_qkv + t * grad_stride + head * D + c
    tl.store(target, oa.to(grad_qkv.dtype.element_ty), mask=inside)
    tl.store(target + HALF, ob.to(grad_qkv.dtype.element_ty), mask=inside)
