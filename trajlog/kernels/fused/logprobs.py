"""Triton kernel of `kernels/logprobs.py`: one program per row of logits."""

import torch
import triton
import triton.language as tl
from torch import Tensor


def logit_rows(
    logits: Tensor, token_ids: Tensor, temperature: float, dtype: torch.dtype, keep: bool, entropy: bool
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    num_rows, vocab = logits.shape
    logprobs = torch.empty(num_rows, device=logits.device, dtype=torch.float32)
    entropies = torch.empty_like(logprobs) if entropy else None
    difference = torch.empty(num_rows, vocab, device=logits.device, dtype=dtype) if keep else None
    _rows[(num_rows,)](
        logits, token_ids.contiguous(), logprobs,
        logprobs if entropies is None else entropies, logits if difference is None else difference,
        vocab, 1.0 / temperature, keep, entropy, min(4096, triton.next_power_of_2(vocab)), num_warps=8,
    )  # fmt: skip
    return logprobs, entropies, difference


@triton.jit
def _rows(
    logits, token_ids, logprobs, entropies, difference, V, inverse_temperature,
    KEEP: tl.constexpr, ENTROPY: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    source = logits + row * V
    highest = tl.full([BLOCK], -1e30, tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    moment = tl.zeros([BLOCK], tl.float32)
    for start in range(0, V, BLOCK):
        c = start + tl.arange(0, BLOCK)
        x = tl.load(source + c, mask=c < V, other=-1e30).to(tl.float32) * inverse_temperature
        now = tl.maximum(highest, x)
        shrink, term = tl.exp(highest - now), tl.where(c < V, tl.exp(x - now), 0.0)
        total = total * shrink + term
        if ENTROPY:
            moment = moment * shrink + term * x
        highest = now
    top = tl.max(highest, 0)
    mass = tl.sum(total * tl.exp(highest - top), 0)
    normaliser = top + tl.log(mass)
    token = tl.load(token_ids + row)
    tl.store(logprobs + row, tl.load(source + token).to(tl.float32) * inverse_temperature - normaliser)
    if ENTROPY:
        tl.store(entropies + row, normaliser - tl.sum(moment * tl.exp(highest - top), 0) / mass)
    if KEEP:
        target = difference + row * V
        for start in range(0, V, BLOCK):
            c = start + tl.arange(0, BLOCK)
            x = tl.load(source + c, mask=c < V, other=-1e30).to(tl.float32) * inverse_temperature
            out = tl.where(c == token, 1.0, 0.0) - tl.exp(x - normaliser)
            tl.store(target + c, out.to(difference.dtype.element_ty), mask=c < V)
