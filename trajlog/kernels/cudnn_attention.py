"""cuDNN's attention kernels, called without autograd."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from trajlog.kernels.documents import Documents
from trajlog.kernels.two_part_attention import TwoPartAttention

_LENGTH_MULTIPLE = 128
_QUERY_MULTIPLE = 2048
"""Of queries that attend to a shared prefix: their number changes with every pack."""

Windows = list[tuple[Any, ...]]
"""Per call of cuDNN, what its backward pass takes: log-sum-exp float32 [1, heads, window, 1] and the like."""


class CudnnAttention(TwoPartAttention):
    """Document by document: what torch picks by default on Hopper.

    A length that cuDNN has not seen costs about 0.1 s once, so lengths are rounded up to multiples of 128: a window
    reaches into the next document (or zeros behind the last). No token of this document sees what is behind it, and
    the window's rest has gradient zero, so no mask is needed. Queries on a shared prefix are rounded up likewise, its
    keys are not: every query would see what is behind them. Gradients of q are not bit-repeatable.
    """

    def causal(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Windows]:
        outs, kept, start = [], [], 0
        for length in documents.lengths:
            size = _rounded(length, _LENGTH_MULTIPLE)
            out, own = _forward(*(_window(x, start, size) for x in (q, k, v)), causal=True)
            outs.append(out[:length])
            kept.append(own)
            start += length
        return _joined(outs), kept

    def causal_backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Windows, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]:
        grads: list[list[Tensor]] = [[], [], []]
        start = 0
        for length, own in zip(documents.lengths, kept, strict=True):
            size = _rounded(length, _LENGTH_MULTIPLE)
            pull = _window(grad_out[: start + length], start, size)  # zero behind the document
            windows = (_window(x, start, size) for x in (q, k, v, out))
            for parts, grad in zip(grads, _backward(pull, *windows, own, causal=True), strict=True):
                parts.append(grad[:length])
            start += length
        grad_q, grad_k, grad_v = map(_joined, grads)
        return grad_q, grad_k, grad_v

    def full(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Windows]:
        out, own = _forward(_window(q, 0, _rounded(len(q), _QUERY_MULTIPLE)), k, v, causal=False)
        return out[: len(q)], [own]

    def full_backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Windows
    ) -> tuple[Tensor, Tensor, Tensor]:
        size = _rounded(len(q), _QUERY_MULTIPLE)
        pull, queries, outs = (_window(x, 0, size) for x in (grad_out, q, out))
        grad_q, grad_k, grad_v = _backward(pull, queries, k, v, outs, kept[0], causal=False)
        return grad_q[: len(q)], grad_k, grad_v

    def logsumexp(self, kept: Windows, lengths: Sequence[int]) -> Tensor:
        return torch.cat([own[0][0, :, :length, 0] for own, length in zip(kept, lengths, strict=True)], 1)

    def set_logsumexp(self, kept: Windows, lengths: Sequence[int], value: Tensor) -> None:
        """Behind a document's end a window keeps its own: finite, and of tokens without gradient."""
        for own, length, part in zip(kept, lengths, value.split(list(lengths), 1), strict=True):
            own[0][0, :, :length, 0] = part


def _forward(q: Tensor, k: Tensor, v: Tensor, *, causal: bool) -> tuple[Tensor, tuple[Any, ...]]:
    op = torch.ops.aten._scaled_dot_product_cudnn_attention
    result = op(_batch(q), _batch(k), _batch(v), None, True, 0.0, causal, False)
    return result[0][0].transpose(0, 1), result[1:8]


def _backward(
    pull: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: tuple[Any, ...], *, causal: bool
) -> list[Tensor]:
    """Gradients of q, k and v."""
    op = torch.ops.aten._scaled_dot_product_cudnn_attention_backward
    logsumexp, ends_q, ends_k, max_q, max_k, seed, offset = kept
    windows = (_batch(x) for x in (pull, q, k, v, out))
    result = op(
        *windows, logsumexp, seed, offset, None, ends_q, ends_k, max_q, max_k, 0.0, causal
    )  # no bias is None here: an empty tensor is refused
    return [grad[0].transpose(0, 1) for grad in result[:3]]


def _rounded(length: int, multiple: int) -> int:
    return -(-length // multiple) * multiple


def _window(x: Tensor, start: int, size: int) -> Tensor:
    """Rows start to start + size of x [T, heads, d]: a view, or a copy with zeros where x ends before."""
    rows = x[start : start + size]
    missing = size - len(rows)
    return rows if missing == 0 else torch.nn.functional.pad(rows, (0, 0, 0, 0, 0, missing))


def _batch(x: Tensor) -> Tensor:
    """One document [T, heads, d] as a batch of one, [1, heads, T, d], a view."""
    return x.transpose(0, 1)[None]


def _joined(parts: list[Tensor]) -> Tensor:
    """[T, heads, d], contiguous; one document's is not copied where it is so already."""
    return parts[0].contiguous() if len(parts) == 1 else torch.cat(parts)
