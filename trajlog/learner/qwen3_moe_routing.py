"""Which experts a token goes to, and with what weights. No host sync anywhere."""

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


class Recorded(NamedTuple):
    """Choices of a layer that somebody else's routers made (router replay)."""

    experts: Tensor
    """Any integer type [T, K]; negative where a token has no record: the layer's own router chooses there."""
    agreement: Tensor | None = None
    """int64 [2]; to the first is added for how many tokens with a record the own choice is the same set, to the second
    how many have one."""


def route(logits: Tensor, shape: Qwen3MoeShape, experts: "Tensor | Recorded | None" = None) -> Routes:
    """The top K of logits [T, E] and their weights; or the weights of given `experts`: int64 [T, K], or Recorded.

    Softmax keeps the order, so the top logits are the top probabilities; renormalising the chosen probabilities is the
    softmax over the chosen logits. Where the model does not renormalise, `others` holds all probabilities, which the
    gradient then needs.
    """
    if experts is None:
        experts, chosen = top_experts(logits, shape.top_k)
    else:
        if isinstance(experts, Recorded):
            experts = _completed(logits, shape.top_k, experts)
        chosen = logits.gather(1, experts).float()
    if shape.normalised_top_k:
        return Routes(experts, chosen.softmax(-1), None)
    probabilities = logits.float().softmax(-1)
    return Routes(experts, probabilities.gather(1, experts), probabilities)


def _completed(logits: Tensor, top_k: int, recorded: Recorded) -> Tensor:
    """What was recorded, and the router's own choice where nothing was: int64 [T, K]."""
    own, _ = top_experts(logits, top_k)
    given = recorded.experts.long()
    known = given[:, :1] >= 0
    if recorded.agreement is not None:
        same = (own[:, :, None] == given[:, None, :]).any(-1).all(-1, keepdim=True)  # no row names an expert twice
        recorded.agreement.add_(torch.cat([same, known], 1).sum(0))
    return torch.where(known, given, own)


def route_backward(routes: Routes, grad_weights: Tensor, grad_logits: Tensor) -> None:
    """Writes the gradient of the logits into grad_logits [T, E], which holds zeros; grad_weights float32 [T, K]."""
    pulled = routes.weights * grad_weights
    total = pulled.sum(1, keepdim=True)
    if routes.others is None:
        grad = pulled - routes.weights * total
        grad_logits.scatter_(1, routes.experts, grad.to(grad_logits.dtype))
    else:
        grad_logits.copy_((routes.others * -total).scatter_add_(1, routes.experts, pulled))
