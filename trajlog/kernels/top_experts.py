"""The router's choice: the highest K of each row of logits."""

import torch
from torch import Tensor


def top_experts(logits: Tensor, top_k: int) -> tuple[Tensor, Tensor]:
    """From logits [T, E], of any row stride: experts int64 [T, K], highest first, and their logits float32 [T, K].

    Equal logits: the lower number first. Where logits are not numbers the experts are arbitrary, but exist.
    """
    if logits.is_cuda:
        from trajlog.kernels.fused.top_experts import top_experts as fused

        return fused(logits, top_k)
    return top_experts_reference(logits, top_k)


def top_experts_reference(logits: Tensor, top_k: int) -> tuple[Tensor, Tensor]:
    ordered = torch.sort(logits.float(), dim=-1, descending=True, stable=True)
    return ordered.indices[:, :top_k].contiguous(), ordered.values[:, :top_k].contiguous()
