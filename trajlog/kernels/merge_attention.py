"""Attention on two sets of keys from the attention on each, by the log-sum-exps of their scores.

lse = logaddexp(lse_1, lse_2), out = exp(lse_1 - lse) out_1 + exp(lse_2 - lse) out_2: online softmax (Milakov and
Gimelshein, arXiv 1805.02867), for attention Rabe and Staats, arXiv 2112.05682.
"""

import torch
from torch import Tensor


def merge_into(out: Tensor, logsumexp: Tensor, other: Tensor, other_logsumexp: Tensor) -> Tensor:
    """Makes `out` [T, heads, d] the attention on both sets of keys; returns its log-sum-exp [heads, T].

    Log-sum-exps [heads, T] are natural logarithms, float32 on CUDA; weights are formed, and outputs added, in their
    type. In every tensor the last dimension lies without gaps.
    """
    if out.is_cuda:
        from trajlog.kernels.fused.merge_attention import merge_into as fused

        return fused(out, logsumexp, other, other_logsumexp)
    return merge_into_reference(out, logsumexp, other, other_logsumexp)


def merge_into_reference(out: Tensor, logsumexp: Tensor, other: Tensor, other_logsumexp: Tensor) -> Tensor:
    merged = torch.logaddexp(logsumexp, other_logsumexp)
    weight, other_weight = ((x - merged).exp().T[..., None] for x in (logsumexp, other_logsumexp))
    out.copy_(out * weight + other * other_weight)
    return merged
