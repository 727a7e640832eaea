"""Log-probabilities of given tokens from hidden states, without the logits of all positions at once.

The full logits of 16,384 tokens and a vocabulary of 151,936 are 10 GB in float32. Here they exist for one chunk
at a time, once: beside each log-probability the forward pass forms its direction in hidden space,
`u = (onehot(token) - softmax(logits)) W`, which is d logp / d hidden times the temperature. Any loss of
log-probabilities then has the gradient `dL/dlogp * u / temperature`, so the backward pass needs no logits, and the loss
may be chosen after the forward pass.
"""

from typing import NamedTuple

import torch
from torch import Tensor

CHUNK_TOKENS = 512
"""Positions whose logits exist at once on the CPU."""

CHUNK_TOKENS_CUDA = 1024
"""The same on CUDA: 0.9 GiB at a vocabulary of 151,936, next to what a training pass keeps."""


class Selected(NamedTuple):
    """Float32 [N] each: log-probability of the given token (with gradient), entropy of its distribution (without).

    Entropy is None where it was not asked for.
    """

    logprobs: Tensor
    entropy: Tensor | None


def selected_logprobs(
    hidden: Tensor,
    weight: Tensor,
    token_ids: Tensor,
    temperature: float = 1.0,
    chunk_tokens: int | None = None,
    *,
    entropy: bool = True,
) -> Selected:
    """`log_softmax(hidden @ weight.T / temperature)` at `token_ids`, in nats.

    hidden [N, H] (the states that predict the tokens), weight [V, H] (the output head, without bias, frozen), token_ids
    int64 [N]. Logits are float32: on CUDA straight from the product's accumulator, on the CPU formed in hidden's dtype.
    At most `chunk_tokens * V` of them exist at any time; the gradient reaches hidden alone.
    Raises ValueError for a weight that wants a gradient.
    """
    if weight.requires_grad:
        raise ValueError("the output head is frozen here: call weight.requires_grad_(False), or train it elsewhere")
    if chunk_tokens is None:
        chunk_tokens = CHUNK_TOKENS_CUDA if hidden.is_cuda else CHUNK_TOKENS
    keep = torch.is_grad_enabled() and hidden.requires_grad
    logprobs, entropies = _OnePass.apply(hidden, weight, token_ids, temperature, chunk_tokens, keep, entropy)
    return Selected(logprobs, entropies if entropy else None)


class _OnePass(torch.autograd.Function):
    """Two products a chunk: logits, and (with `keep`) onehot - softmax times the head. Keeps u, [N, H]."""

    @staticmethod
    def forward(ctx, hidden, weight, token_ids, temperature, chunk_tokens, keep, entropy):
        num_tokens = len(hidden)
        logprobs = torch.empty(num_tokens, device=hidden.device, dtype=torch.float32)
        entropies = torch.empty_like(logprobs) if entropy else logprobs.new_zeros(0)
        direction = torch.empty_like(hidden) if keep else None
        for start in range(0, num_tokens, chunk_tokens):
            chunk = slice(start, start + chunk_tokens)
            found = _chunk(hidden[chunk], weight, token_ids[chunk], temperature, keep, entropy)
            logprobs[chunk] = found[0]
            if entropy:
                entropies[chunk] = found[1]
            if direction is not None:
                torch.mm(found[2], weight, out=direction[chunk])
        ctx.temperature = temperature
        ctx.save_for_backward(*([] if direction is None else [direction]))
        ctx.mark_non_differentiable(entropies)
        return logprobs, entropies

    @staticmethod
    def backward(ctx, grad_logprobs, grad_entropies):
        (direction,) = ctx.saved_tensors
        scale = (grad_logprobs / ctx.temperature)[:, None].to(direction.dtype)
        return direction * scale, None, None, None, None, None, None


def _chunk(
    hidden: Tensor, weight: Tensor, token_ids: Tensor, temperature: float, keep: bool, entropy: bool
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Log-probabilities, entropies (or None) float32 [n]; onehot - softmax [n, V] in hidden's dtype (or None)."""
    if hidden.is_cuda:
        from trajlog.kernels.fused.logprobs import logit_rows as fused

        wide = hidden.dtype != torch.float32
        logits = torch.mm(hidden, weight.T, out_dtype=torch.float32) if wide else hidden @ weight.T
        return fused(logits, token_ids, temperature, hidden.dtype, keep, entropy)
    logits = torch.nn.functional.linear(hidden, weight).float()
    return logit_rows_reference(logits, token_ids, temperature, hidden.dtype, keep, entropy)


def logit_rows_reference(
    logits: Tensor, token_ids: Tensor, temperature: float, dtype: torch.dtype, keep: bool, entropy: bool
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """What the kernel makes of logits float32 [n, V]; see `_chunk`."""
    all_logprobs = torch.log_softmax(logits / temperature, dim=-1)
    logprobs = all_logprobs.gather(-1, token_ids[:, None]).squeeze(-1)
    entropies = -(all_logprobs.exp() * all_logprobs).sum(-1) if entropy else None
    if not keep:
        return logprobs, entropies, None
    difference = all_logprobs.exp_().neg_()
    difference.scatter_add_(-1, token_ids[:, None], torch.ones_like(logprobs)[:, None])
    return logprobs, entropies, difference.to(dtype)


def selected_logprobs_reference(
    hidden: Tensor, weight: Tensor, token_ids: Tensor, temperature: float = 1.0
) -> Selected:
    """The same from all logits at once: plain, for tests."""
    logprobs = torch.log_softmax((hidden @ weight.T).float() / temperature, dim=-1)
    entropy = -(logprobs.exp() * logprobs).sum(-1)
    return Selected(logprobs.gather(-1, token_ids[:, None]).squeeze(-1), entropy.detach())
