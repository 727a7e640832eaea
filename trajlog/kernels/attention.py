"""Causal attention over documents that lie end to end, forward and backward, without a mask tensor.

A backend takes q [T, heads, d], k and v [T, kv_heads, d] (contiguous; heads a multiple of kv_heads) and the documents'
lengths, which sum to T; a token sees the tokens of its own document up to itself. Scores are scaled by 1 / sqrt(d).

    out, kept = backend.forward(q, k, v, documents)
    grad_q, grad_k, grad_v = backend.backward(grad_out, q, k, v, out, kept, documents)

`kept` is the backend's own (log-sum-exp of the scores and the like); everything else is recomputed by the caller.
"""

import importlib.util
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from trajlog.errors import ConfigError

AttentionChoice = Literal["auto", "cudnn", "flash_attention_4", "sdpa"]


@dataclass(frozen=True)
class Documents:
    """Lengths on the host, and on the device what kernels read of them; made once per pack."""

    lengths: tuple[int, ...]
    ends: Tensor
    """int32 [documents + 1]: 0, then the running sum of the lengths."""
    positions: Tensor
    """int64 [T]: each token's place in its document, from 0."""

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device) -> "Documents":
        """Raises ValueError for a length below 1."""
        if not lengths or min(lengths) < 1:
            raise ValueError(f"documents of lengths {list(lengths)}: there must be one at least, none empty")
        ends = torch.tensor([0, *lengths]).cumsum(0).to(torch.int32)
        positions = torch.cat([torch.arange(n) for n in lengths])
        if device.type == "cuda":  # copies from pinned memory wait for nothing
            ends, positions = ends.pin_memory(), positions.pin_memory()
        return cls(tuple(lengths), ends.to(device, non_blocking=True), positions.to(device, non_blocking=True))


_LENGTH_MULTIPLE = 128
_SDPA_KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


class AttentionBackend(Protocol):
    """See the module's docstring. Backends hold no tensors and may serve any number of layers."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Any]: ...

    def backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Any, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class SdpaAttention:
    """torch's scaled_dot_product_attention, document by document: any device, dtype and head size.

    Keeps nothing; the backward pass forms the forward again. Never cuDNN, which this is the way round.
    """

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, None]:
        parts = zip(*(x.split(documents.lengths) for x in (q, k, v)), strict=True)
        return torch.cat([_sdpa(*part) for part in parts]), None

    def backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: None, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]:
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_() for x in (q, k, v)]
            again, _ = self.forward(*leaves, documents)
            grads = torch.autograd.grad(again, leaves, grad_out)
        return grads[0], grads[1], grads[2]


class CudnnAttention:
    """cuDNN's kernels, document by document: what torch picks by default on Hopper, called without autograd.

    A length that cuDNN has not seen costs about 0.1 s once, so lengths are rounded up to multiples of 128: a window
    reaches into the next document (or zeros behind the last). No token of this document sees what is behind it, and
    the window's rest has gradient zero, so no mask is needed. Gradients of q are not bit-repeatable.
    """

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, list[tuple[Any, ...]]]:
        op = torch.ops.aten._scaled_dot_product_cudnn_attention
        outs, kept, start = [], [], 0
        for length in documents.lengths:
            windows = (_batch(_window(x, start, _rounded(length))) for x in (q, k, v))
            result = op(*windows, None, True, 0.0, True, False)
            outs.append(result[0][0].transpose(0, 1)[:length])
            kept.append(result[1:8])
            start += length
        return _joined(outs), kept

    def backward(
        self,
        grad_out: Tensor,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        out: Tensor,
        kept: list[tuple[Any, ...]],
        documents: Documents,
    ) -> tuple[Tensor, Tensor, Tensor]:
        op = torch.ops.aten._scaled_dot_product_cudnn_attention_backward
        grads: list[list[Tensor]] = [[], [], []]
        start = 0
        for length, (logsumexp, ends_q, ends_k, max_q, max_k, seed, offset) in zip(
            documents.lengths, kept, strict=True
        ):
            size = _rounded(length)
            pull = _batch(_window(grad_out[: start + length], start, size))  # zero behind the document
            windows = (_batch(_window(x, start, size)) for x in (q, k, v, out))
            result = op(
                pull, *windows, logsumexp, seed, offset, None, ends_q, ends_k, max_q, max_k, 0.0, True
            )  # no bias is None here: an empty tensor is refused
            for parts, grad in zip(grads, result, strict=False):
                parts.append(grad[0].transpose(0, 1)[:length])
            start += length
        grad_q, grad_k, grad_v = map(_joined, grads)
        return grad_q, grad_k, grad_v


@dataclass(frozen=True)
class FlashAttention4:
    """FlashAttention-4's CuTe kernels, all documents in one launch. Needs `flash-attn-4`, and Hopper or later.

    With `deterministic`, equal inputs give equal bits (about 3% slower).
    """

    deterministic: bool = False

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Tensor]:
        from flash_attn.cute import interface

        single, packing = self._packing(documents)
        inputs = [x[None] for x in (q, k, v)] if single else [q, k, v]
        out, logsumexp, *_ = interface._flash_attn_fwd(*inputs, causal=True, return_lse=True, **packing)
        return (out[0] if single else out), logsumexp

    def backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Tensor, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]:
        from flash_attn.cute import interface

        single, packing = self._packing(documents)
        tensors = (q, k, v, out, grad_out)
        inputs = [x[None] for x in tensors] if single else list(tensors)
        grads = interface._flash_attn_bwd(*inputs, kept, causal=True, deterministic=self.deterministic, **packing)[:3]
        grad_q, grad_k, grad_v = (g[0] if single else g for g in grads)
        return grad_q, grad_k, grad_v

    @staticmethod
    def _packing(documents: Documents) -> tuple[bool, dict[str, Any]]:
        """Whether there is one document, which needs no offsets; and the offsets."""
        if len(documents.lengths) == 1:
            return True, {}
        longest = max(documents.lengths)
        return False, {
            "cu_seqlens_q": documents.ends,
            "cu_seqlens_k": documents.ends,
            "max_seqlen_q": longest,
            "max_seqlen_k": longest,
        }


def default_attention(device: torch.device, dtype: torch.dtype, head_dim: int) -> AttentionBackend:
    """cuDNN where it takes the tensors (CUDA, 16 bit, heads of up to 128), torch's own choice elsewhere."""
    return CudnnAttention() if _takes(device, dtype, head_dim) else SdpaAttention()


def choose_attention(
    choice: AttentionChoice, device: torch.device, dtype: torch.dtype, head_dim: int, *, deterministic: bool = False
) -> AttentionBackend:
    """The backend of a setting. "auto" is `default_attention`; with `deterministic`, FlashAttention-4 in its
    deterministic form where that is installed and takes the tensors, else torch's, which is deterministic once
    torch.use_deterministic_algorithms says so.

    Raises ConfigError for a named backend that is not installed, does not take the tensors, or repeats no bits though
    `deterministic` asks for it.
    """
    takes = _takes(device, dtype, head_dim)
    if choice == "auto" and deterministic:
        choice = "flash_attention_4" if takes and _has_flash_attention_4(device) else "sdpa"
    if choice == "auto":
        return default_attention(device, dtype, head_dim)
    if choice == "sdpa":
        return SdpaAttention()
    if choice == "flash_attention_4" and not _installed("flash_attn.cute"):
        raise ConfigError(
            "learner.attention is flash_attention_4, which is not installed: `pip install 'trajlog[fa4]'` (Linux), or "
            "set learner.attention to auto"
        )
    if not takes:
        raise ConfigError(
            f"learner.attention {choice} needs a GPU, 16 bits and heads of at most 128, a multiple of 8; here are "
            f"{device.type}, {str(dtype).removeprefix('torch.')} and heads of {head_dim}: set learner.attention to "
            "auto, or model.dtype to bfloat16"
        )
    if choice == "flash_attention_4":
        if not _has_flash_attention_4(device):
            raise ConfigError(
                "learner.attention flash_attention_4 needs a Hopper GPU or a later one: set learner.attention to auto"
            )
        return FlashAttention4(deterministic)
    if deterministic:
        raise ConfigError(
            "learner.attention cudnn gives other bits each time, and learner.deterministic is on: set "
            "learner.attention to auto, or learner.deterministic to false"
        )
    return CudnnAttention()


def _takes(device: torch.device, dtype: torch.dtype, head_dim: int) -> bool:
    """Whether cuDNN and FlashAttention-4 take these tensors."""
    return device.type == "cuda" and dtype.itemsize == 2 and head_dim <= 128 and head_dim % 8 == 0


def _has_flash_attention_4(device: torch.device) -> bool:
    return _installed("flash_attn.cute") and torch.cuda.get_device_capability(device) >= (9, 0)


def _installed(module: str) -> bool:
    """Without importing it; its parent packages are imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


def _rounded(length: int) -> int:
    return -(-length // _LENGTH_MULTIPLE) * _LENGTH_MULTIPLE


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


def _sdpa(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    heads = map(_batch, (q, k, v))
    with sdpa_kernel(_SDPA_KERNELS):
        out = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True, enable_gqa=True)
    return out[0].transpose(0, 1)
