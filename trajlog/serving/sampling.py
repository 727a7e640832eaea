"""Drawing tokens from logits, and the log-probabilities that training will see. Pure functions."""

import torch
from torch import Tensor


def sample(logits: Tensor, temperature: Tensor, top_p: Tensor, uniform: Tensor) -> tuple[list[int], list[float]]:
    """One token a row, and its log-probability under `softmax(logits / temperature)` (whole distribution).

    logits float32 [R, V]; temperature, top_p, uniform float64 [R], uniform in [0, 1). Temperature 0 takes the most
    probable token and reports it under `softmax(logits)`. `top_p` keeps the smallest set of most probable tokens
    whose mass reaches it. The draw inverts the cumulative distribution at `uniform`: the same number and the same
    logits give the same token.
    """
    greedy = temperature == 0
    scale = torch.where(greedy, 1.0, temperature)
    logprobs = torch.log_softmax(logits / scale[:, None].float(), dim=-1)
    weights = logprobs.double().exp()
    if bool((top_p < 1).any()):
        weights = torch.where((top_p < 1)[:, None], _nucleus(weights, top_p), weights)
    cumulative = weights.cumsum(dim=-1)
    drawn = torch.searchsorted(cumulative, (uniform * cumulative[:, -1])[:, None], right=True)[:, 0]
    # Rounding can put the draw past the last token that has any weight.
    last = weights.shape[1] - 1 - (weights.flip(-1) > 0).int().argmax(dim=-1)
    token = torch.where(greedy, logits.argmax(dim=-1), torch.minimum(drawn, last))
    return token.tolist(), logprobs.gather(1, token[:, None])[:, 0].tolist()


def _nucleus(weights: Tensor, top_p: Tensor) -> Tensor:
    """Zero the weights outside the smallest most probable set that reaches `top_p`."""
    ordered, order = weights.sort(dim=-1, descending=True)
    before = ordered.cumsum(dim=-1) - ordered
    return torch.zeros_like(weights).scatter(1, order, ordered * (before < top_p[:, None]))
