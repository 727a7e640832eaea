"""Queries, keys and values from one product: per-head RMS norm and rotary positions (arXiv 2104.09864) on q and k.

The product's rows are [q heads | k heads | v heads | anything], each head `head_dim` wide; what follows the heads is
left alone. Rotation is the half-split form of Llama and Qwen3: (a, b) -> (a cos - b sin, b cos + a sin).
"""

import torch
from torch import Tensor


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
    """qkv [T, >= (num_heads + 2 num_kv_heads) head_dim], weights [head_dim], cos and sin float32 [T, head_dim / 2].

    Returns q [T, num_heads, head_dim], k and v [T, num_kv_heads, head_dim], contiguous. The kernel takes head
    dimensions that are powers of two.
    """
    arguments = (qkv, q_weight, k_weight, cos, sin, eps, num_heads, num_kv_heads)
    if _fits_kernel(qkv, q_weight):
        from trajlog.kernels.fused.qk_norm_rope import qk_norm_rope as fused

        return fused(*arguments)
    return qk_norm_rope_reference(*arguments)


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
    """Writes the gradient into the heads' columns of `grad_qkv`, which has qkv's shape and row stride."""
    arguments = (qkv, q_weight, k_weight, cos, sin, eps, grad_q, grad_k, grad_v, grad_qkv)
    if _fits_kernel(qkv, q_weight):
        from trajlog.kernels.fused.qk_norm_rope import qk_norm_rope_backward as fused

        return fused(*arguments)
    return qk_norm_rope_backward_reference(*arguments)


def qk_norm_rope_reference(
    qkv: Tensor,
    q_weight: Tensor,
    k_weight: Tensor,
    cos: Tensor,
    sin: Tensor,
    eps: float,
    num_heads: int,
    num_kv_heads: int,
) -> tuple[Tensor, Tensor, Tensor]:
    q, k, v = _heads(qkv, len(q_weight), num_heads, num_kv_heads)
    return _rotated(q, q_weight, cos, sin, eps), _rotated(k, k_weight, cos, sin, eps), v.contiguous()


def qk_norm_rope_backward_reference(
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
    q, k, _ = _heads(qkv, len(q_weight), num_heads, num_kv_heads)
    out_q, out_k, out_v = _heads(grad_qkv, len(q_weight), num_heads, num_kv_heads)
    for x, weight, grad, out in ((q, q_weight, grad_q, out_q), (k, k_weight, grad_k, out_k)):
        with torch.enable_grad():
            leaf = x.detach().requires_grad_()
            (wanted,) = torch.autograd.grad(_rotated(leaf, weight, cos, sin, eps), leaf, grad)
        out.copy_(wanted)
    out_v.copy_(grad_v)


def _fits_kernel(qkv: Tensor, q_weight: Tensor) -> bool:
    head_dim = len(q_weight)
    return qkv.is_cuda and head_dim >= 32 and head_dim & (head_dim - 1) == 0


def _heads(qkv: Tensor, head_dim: int, num_heads: int, num_kv_heads: int) -> tuple[Tensor, ...]:
    """Views [T, heads, head_dim] of the columns of q, k and v."""
    sizes = [num_heads * head_dim, num_kv_heads * head_dim, num_kv_heads * head_dim]
    parts = qkv[:, : sum(sizes)].split(sizes, dim=1)
    return tuple(part.unflatten(1, (-1, head_dim)) for part in parts)


def _rotated(x: Tensor, weight: Tensor, cos: Tensor, sin: Tensor, eps: float) -> Tensor:
    wide = x.float()
    wide = wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + eps) * weight.float()
    a, b = wide.chunk(2, dim=-1)
    c, s = cos[:, None], sin[:, None]
    return torch.cat([a * c - b * s, b * c + a * s], dim=-1).to(x.dtype)
