"""Log-probabilities of given tokens from hidden states, without the logits of all positions at once.

The full logits of 16,384 tokens and a vocabulary of 151,936 are 10 GB in float32. Here they exist for one chunk
at a time and are formed again in the backward pass.
"""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.checkpoint import checkpoint

CHUNK_TOKENS = 512
"""Positions whose logits exist at once."""


class Selected(NamedTuple):
    """Float32 [N] each: log-probability of the given token (with gradient), entropy of its distribution (without)."""

    logprobs: Tensor
    entropy: Tensor


def selected_logprobs(
    hidden: Tensor, weight: Tensor, token_ids: Tensor, temperature: float = 1.0, chunk_tokens: int = CHUNK_TOKENS
) -> Selected:
    """`log_softmax(hidden @ weight.T / temperature)` at `token_ids`, in nats.

    hidden [N, H] (the states that predict the tokens), weight [V, H] (the output head, without bias), token_ids
    int64 [N]. The product is formed in hidden's dtype, all that follows in float32. At most
    `chunk_tokens * V` logits exist at any time, also in the backward pass, which reaches hidden (and weight, where
    it wants a gradient).
    """
    if len(token_ids) == 0:
        empty = hidden.sum(dtype=torch.float32) * torch.zeros(0, device=hidden.device)
        return Selected(empty, empty.detach())
    chunks = [
        checkpoint(_chunk, h, weight, t, temperature, use_reentrant=False, preserve_rng_state=False)
        for h, t in zip(hidden.split(chunk_tokens), token_ids.split(chunk_tokens), strict=True)
    ]
    return Selected(torch.cat([c[0] for c in chunks]), torch.cat([c[1] for c in chunks]))


def _chunk(hidden: Tensor, weight: Tensor, token_ids: Tensor, temperature: float) -> tuple[Tensor, Tensor]:
    logits = torch.nn.functional.linear(hidden, weight).float() / temperature
    normaliser = logits.logsumexp(-1)
    logprobs = logits.gather(-1, token_ids[:, None]).squeeze(-1) - normaliser
    with torch.no_grad():
        all_logprobs = logits - normaliser[:, None]
        entropy = -(all_logprobs.exp() * all_logprobs).sum(-1)
    return logprobs, entropy


def selected_logprobs_reference(
    hidden: Tensor, weight: Tensor, token_ids: Tensor, temperature: float = 1.0
) -> Selected:
    """The same from all logits at once: plain, for tests."""
    logprobs = torch.log_softmax((hidden @ weight.T).float() / temperature, dim=-1)
    entropy = -(logprobs.exp() * logprobs).sum(-1)
    return Selected(logprobs.gather(-1, token_ids[:, None]).squeeze(-1), entropy.detach())
