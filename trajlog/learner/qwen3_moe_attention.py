"""Attention half of a decoder layer: x + o_proj(attention(rms_norm(x))), with adapters on q, k, v and o.

The backward pass is written out, so that the frozen weights never enter autograd and only five tensors are kept: the
input, the projections before their norms, the attention's output, its log-sum-exp, and o_proj's low-rank part. Norms,
rotary positions and the split into heads are made again by small kernels.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from trajlog.kernels.attention import AttentionBackend
from trajlog.kernels.documents import Documents
from trajlog.kernels.qk_norm_rope import qk_norm_rope, qk_norm_rope_backward
from trajlog.kernels.qwen3_moe_peft import ATTENTION_SITES
from trajlog.kernels.rms_norm import rms_norm, rms_norm_backward
from trajlog.learner.qwen3_moe_adapter import LayerAdapter, site_gradients, site_parameters
from trajlog.learner.qwen3_moe_weights import LayerWeights


@dataclass(frozen=True)
class Pack:
    """What every layer needs to know of the tokens: documents, and cos and sin float32 [T, head_dim / 2]."""

    documents: Documents
    cos: Tensor
    sin: Tensor
    attention: AttentionBackend


@dataclass
class AttentionMemo:
    """Attention's output and what its backend keeps, from a layer's first pass for the one that repeats it."""

    result: tuple[Tensor, Any] | None = None


def attention_half(
    x: Tensor, weights: LayerWeights, adapter: LayerAdapter | None, pack: Pack, memo: AttentionMemo | None = None
) -> Tensor:
    """x and the result [T, H] in the base's dtype; gradients reach x and the adapter's parameters.

    With `memo`, attention itself runs once: what the first call finds the second uses. Both have the same inputs.
    """
    return _AttentionHalf.apply(x, weights, adapter, pack, memo, *site_parameters(adapter, ATTENTION_SITES))


class _AttentionHalf(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weights, adapter, pack, memo, *parameters):
        weights.hold("attention", adapter)
        s, size, rank = weights.shape, weights.shape.qkv_size, weights.attention_rank
        h, inverse_rms = rms_norm(x, weights.attention_norm, s.norm_eps)
        qkv = h @ weights.qkv.T
        if rank:
            qkv[:, :size].addmm_(qkv[:, size:], weights.qkv_b)
        known = None if memo is None else memo.result
        if known is None:
            attended, kept = pack.attention.forward(*_heads(qkv, weights, pack), pack.documents)
            attended = attended.flatten(1)
        else:
            attended, kept = known
        if memo is not None:
            memo.result = (attended, kept) if known is None else None  # held no longer than it is needed
        out = torch.addmm(x, attended, weights.out.T)
        low = attended @ weights.out_a.T
        if rank:
            out.addmm_(low, weights.out_b)
        ctx.save_for_backward(x, inverse_rms, qkv, attended, low)
        ctx.weights, ctx.adapter, ctx.pack, ctx.kept = weights, adapter, pack, kept
        ctx.state = None if adapter is None else adapter.state()
        return out

    @staticmethod
    def backward(ctx, grad_out):
        x, inverse_rms, qkv, attended, low = ctx.saved_tensors
        weights, adapter, pack = ctx.weights, ctx.adapter, ctx.pack
        s, size, rank = weights.shape, weights.shape.qkv_size, weights.attention_rank
        weights.hold_again("attention", adapter, ctx.state)
        grad_out = grad_out.contiguous()
        grad_attended = grad_out @ weights.out
        if rank:
            grad_low = grad_out @ weights.out_b.T
            grad_attended.addmm_(grad_low, weights.out_a)
        q, k, v = _heads(qkv, weights, pack)
        grads = pack.attention.backward(
            grad_attended.view_as(q), q, k, v, attended.view_as(q), ctx.kept, pack.documents
        )
        del q, k, v, grad_attended
        grad_qkv = torch.empty_like(qkv)
        qk_norm_rope_backward(qkv, weights.q_norm, weights.k_norm, pack.cos, pack.sin, s.norm_eps, *grads, grad_qkv)
        if rank:
            torch.mm(grad_qkv[:, :size], weights.qkv_b.T, out=grad_qkv[:, size:])
        grad_x = None
        if ctx.needs_input_grad[0]:  # not in the first layer, whose input is the frozen embedding
            grad_h = grad_qkv @ weights.qkv
            grad_x = rms_norm_backward(x, weights.attention_norm, inverse_rms, grad_h, grad_out)
        found: dict[str, tuple[Tensor, Tensor]] = {}
        if rank and adapter is not None:
            h, _ = rms_norm(x, weights.attention_norm, s.norm_eps)
            all_a = grad_qkv[:, size:].T @ h
            all_b = qkv[:, size:].T @ grad_qkv[:, :size]
            column = 0
            for number, (site, heads) in enumerate(s.qkv_heads):
                rows = slice(number * rank, (number + 1) * rank)
                found[site] = (all_a[rows], all_b[rows, column : column + heads * s.head_dim])
                column += heads * s.head_dim
            found["o_proj"] = (grad_low.T @ attended, low.T @ grad_out)
        return grad_x, None, None, None, None, *site_gradients(adapter, ATTENTION_SITES, found)


def _heads(qkv: Tensor, weights: LayerWeights, pack: Pack) -> tuple[Tensor, Tensor, Tensor]:
    s = weights.shape
    return qk_norm_rope(
        qkv, weights.q_norm, weights.k_norm, pack.cos, pack.sin, s.norm_eps, s.num_heads, s.num_kv_heads
    )
