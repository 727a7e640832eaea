"""Which experts a token goes to, and with what weights. No host sync anywhere."""

from typing import NamedTuple

from torch import Tensor

from trajlog.kernels.top_experts import top_experts
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape


class Routes(NamedTuple):
    """`experts` int64 [T, K]; `weights` float32 [T, K]; `others` float32 [T, E] or None: see `route`."""

    experts: Tensor
    weights: Tensor
    others: Tensor | None


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
