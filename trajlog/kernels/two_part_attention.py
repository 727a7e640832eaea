"""Attention of documents that share their beginning, from two kernels that know nothing of sharing.

A rest's queries attend to two sets of keys: the prefix's, all of them, and their own document's, up to themselves. Each
kernel gives an output and the log-sum-exp of its scores, which merge into those of both (merge_attention.py). A
backward kernel forms P = exp(scores - lse) and dS = P (dP - rowsum(dO O)) (FlashAttention-2, arXiv 2307.08691,
algorithm 2), so with the merged output and log-sum-exp each kernel's gradients are exactly its keys' part of the whole.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

from torch import Tensor

from trajlog.kernels.documents import Documents
from trajlog.kernels.merge_attention import merge_into


class Kept(NamedTuple):
    """What both kernels keep, with merged log-sum-exps in it."""

    causal: Any
    full: Any


class TwoPartAttention(ABC):
    """A backend of kernels/attention.py, shared prefixes included, for who implements the two kernels.

    Shapes as there; `kept` is the kernels' own, and holds a log-sum-exp that can be read and replaced.
    """

    @abstractmethod
    def causal(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Any]:
        """Each token on its own document up to itself; `documents.prefix` is not looked at. The output is new."""

    @abstractmethod
    def causal_backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Any, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]: ...

    @abstractmethod
    def full(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Any]:
        """Each of q [Tq, heads, d] on all of k and v [Tk, kv_heads, d]: out [Tq, heads, d]."""

    @abstractmethod
    def full_backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Any
    ) -> tuple[Tensor, Tensor, Tensor]: ...

    @abstractmethod
    def logsumexp(self, kept: Any, lengths: Sequence[int]) -> Tensor:
        """Natural logarithms [heads, T] of scaled scores, of either kernel; `lengths` of its queries' documents.

        A copy or what is kept itself: `set_logsumexp` is called after a change.
        """

    @abstractmethod
    def set_logsumexp(self, kept: Any, lengths: Sequence[int], value: Tensor) -> None:
        """Replaces what `logsumexp` gives, [heads, T]."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Any]:
        out, causal = self.causal(q, k, v, documents)
        prefix = documents.prefix
        if not prefix:
            return out, causal
        rests = out[prefix:]
        beside, full = self.full(q[prefix:], k[:prefix], v[:prefix])
        logsumexp = self.logsumexp(causal, documents.lengths)
        merged = merge_into(rests, logsumexp[:, prefix:], beside, self.logsumexp(full, [len(rests)]))
        logsumexp[:, prefix:] = merged
        self.set_logsumexp(causal, documents.lengths, logsumexp)
        self.set_logsumexp(full, [len(rests)], merged)
        return out, Kept(causal, full)

    def backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Any, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]:
        prefix = documents.prefix
        if not prefix:
            return self.causal_backward(grad_out, q, k, v, out, kept, documents)
        grad_q, grad_k, grad_v = self.causal_backward(grad_out, q, k, v, out, kept.causal, documents)
        more_q, more_k, more_v = self.full_backward(
            grad_out[prefix:], q[prefix:], k[:prefix], v[:prefix], out[prefix:], kept.full
        )
        grad_q[prefix:] += more_q
        grad_k[:prefix] += more_k
        grad_v[:prefix] += more_v
        return grad_q, grad_k, grad_v
