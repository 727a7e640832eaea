"""Which experts a token goes to, and where its rows stand among the experts' rows. No host sync anywhere."""

from typing import NamedTuple

import torch
from torch import Tensor

from trajlog.kernels.top_experts import top_experts
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape


class Routes(NamedTuple):
    """`experts` int64 [T, K]; `weights` float32 [T, K]; `others` float32 [T, E] or None: see `route`."""

    experts: Tensor
    weights: Tensor
    others: Tensor | None


class RoutedRows(NamedTuple):
    """S = T * K rows sorted by expert, tokens in order within one: see kernels/routed_rows.py."""

    token: Tensor
    """int64 [S]"""
    expert: Tensor
    """int64 [S]"""
    weight: Tensor
    """float32 [S]"""
    ends: Tensor
    """int32 [E]: the row after each expert's last; an expert without tokens has its predecessor's end."""
    inverse: Tensor
    """int64 [S]"""


def route(logits: Tensor, shape: Qwen3MoeShape, experts: Tensor | None = None) -> Routes:
    """The top K of logits [T, E] and their weights; or the weights of given `experts` int64 [T, K] (router replay).

    Softmax keeps the order, so the top logits are the top probabilities; renormalising the chosen probabilities is the
    softmax over the chosen logits. Where the model does not renormalise, `others` holds all probabilities, which the
    gradient then needs.
    """
    if experts is None:
        experts, chosen = top_experts(logits, shape.top_k)
    else:
        chosen = logits.gather(1, experts).float()
    if shape.normalised_top_k:
        return Routes(experts, chosen.softmax(-1), None)
    probabilities = logits.float().softmax(-1)
    return Routes(experts, probabilities.gather(1, experts), probabilities)


def route_backward(routes: Routes, grad_weights: Tensor, grad_logits: Tensor) -> None:
    """Writes the gradient of the logits into grad_logits [T, E], which holds zeros; grad_weights float32 [T, K]."""
    pulled = routes.weights * grad_weights
    total = pulled.sum(1, keepdim=True)
    if routes.others is None:
        grad = pulled - routes.weights * total
        grad_logits.scatter_(1, routes.experts, grad.to(grad_logits.dtype))
    else:
        grad_logits.copy_((routes.others * -total).scatter_add_(1, routes.experts, pulled))


def arrange(routes: Routes, num_experts: int) -> RoutedRows:
    """Sorts the T * K choices by expert, stably."""
    experts = routes.experts
    top_k = experts.shape[1]
    flat = experts.reshape(-1)
    key = flat.to(torch.int16) if num_experts <= torch.iinfo(torch.int16).max else flat
    order = key.sort(stable=True).indices
    counts = torch.zeros(num_experts, device=flat.device, dtype=torch.int64).scatter_add_(
        0, flat, torch.ones_like(flat)
    )
    inverse = torch.empty_like(order)
    inverse[order] = torch.arange(len(order), device=order.device)
    return RoutedRows(
        token=order // top_k,
        expert=flat[order],
        weight=routes.weights.reshape(-1)[order],
        ends=counts.cumsum(0).to(torch.int32),
        inverse=inverse,
    )
