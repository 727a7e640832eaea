"""Causal attention over documents that lie end to end, forward and backward, without a mask tensor.

A backend takes q [T, heads, d], k and v [T, kv_heads, d] (contiguous; heads a multiple of kv_heads) and the documents,
whose lengths sum to T; a token sees the tokens of its own document up to itself, and those of a prefix that it goes on
from (documents.py). Scores are scaled by 1 / sqrt(d).

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
from trajlog.kernels.cudnn_attention import CudnnAttention
from trajlog.kernels.documents import Documents
from trajlog.kernels.two_part_attention import TwoPartAttention

AttentionChoice = Literal["auto", "cudnn", "flash_attention_4", "sdpa"]


_SDPA_KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


class AttentionBackend(Protocol):
    """See the module's docstring. Backends hold no tensors and may serve any number of layers."""

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Any]: ...

    def backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Any, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]: ...


class SdpaAttention:
    """torch's scaled_dot_product_attention, document by document: any device, dtype and head size.

    Keeps nothing; the backward pass forms the forward again. Never cuDNN, which this is the way round. A shared prefix
    is put before each rest, and attends to itself each time.
    """

    def forward(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, None]:
        parts = list(zip(*(x.split(documents.lengths) for x in (q, k, v)), strict=True))
        outs = [_sdpa(*part) for part in (parts[:1] if documents.prefix else parts)]
        if documents.prefix:
            for part in parts[1:]:
                whole = (torch.cat(both) for both in zip(parts[0], part, strict=True))
                outs.append(_sdpa(*whole)[documents.prefix :])
        return torch.cat(outs), None

    def backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: None, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]:
        with torch.enable_grad():
            leaves = [x.detach().requires_grad_() for x in (q, k, v)]
            again, _ = self.forward(*leaves, documents)
            grads = torch.autograd.grad(again, leaves, grad_out)
        return grads[0], grads[1], grads[2]


@dataclass(frozen=True)
class FlashAttention4(TwoPartAttention):
    """FlashAttention-4's CuTe kernels, all documents in one launch. Needs `flash-attn-4`, and Hopper or later.

    With `deterministic`, equal inputs give equal bits (about 3% slower).
    """

    deterministic: bool = False

    def causal(self, q: Tensor, k: Tensor, v: Tensor, documents: Documents) -> tuple[Tensor, Tensor]:
        from flash_attn.cute import interface

        single, packing = self._packing(documents)
        inputs = [x[None] for x in (q, k, v)] if single else [q, k, v]
        out, logsumexp, *_ = interface._flash_attn_fwd(*inputs, causal=True, return_lse=True, **packing)
        return (out[0] if single else out), logsumexp

    def causal_backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Tensor, documents: Documents
    ) -> tuple[Tensor, Tensor, Tensor]:
        from flash_attn.cute import interface

        single, packing = self._packing(documents)
        tensors = (q, k, v, out, grad_out)
        inputs = [x[None] for x in tensors] if single else list(tensors)
        grads = interface._flash_attn_bwd(*inputs, kept, causal=True, deterministic=self.deterministic, **packing)[:3]
        grad_q, grad_k, grad_v = (g[0] if single else g for g in grads)
        return grad_q, grad_k, grad_v

    def full(self, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        from flash_attn.cute import interface

        out, logsumexp, *_ = interface._flash_attn_fwd(q[None], k[None], v[None], causal=False, return_lse=True)
        return out[0], logsumexp

    def full_backward(
        self, grad_out: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, kept: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        from flash_attn.cute import interface

        inputs = (x[None] for x in (q, k, v, out, grad_out))
        grads = interface._flash_attn_bwd(*inputs, kept, causal=False, deterministic=self.deterministic)[:3]
        grad_q, grad_k, grad_v = (g[0] for g in grads)
        return grad_q, grad_k, grad_v

    def logsumexp(self, kept: Tensor, lengths: Sequence[int]) -> Tensor:
        return kept[0] if kept.dim() == 3 else kept  # [1, heads, T] of one document, [heads, T] of several

    def set_logsumexp(self, kept: Tensor, lengths: Sequence[int], value: Tensor) -> None:
        self.logsumexp(kept, lengths).copy_(value)

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


def _sdpa(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    heads = (x.transpose(0, 1)[None] for x in (q, k, v))
    with sdpa_kernel(_SDPA_KERNELS):
        out = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=True, enable_gqa=True)
    return out[0].transpose(0, 1)
