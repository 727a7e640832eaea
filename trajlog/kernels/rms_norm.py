"""RMS norm with a frozen weight, forward and backward (arXiv 1910.07467)."""

import torch
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    """`x / sqrt(mean(x²) + eps) * weight` over the last dimension, formed in float32.

    x [T, H] contiguous, weight [H]. Returns y [T, H] in x's dtype and the inverse root float32 [T], which the backward
    pass takes.
    """
    if x.is_cuda:
        from trajlog.kernels.fused.rms_norm import rms_norm as fused

        return fused(x, weight, eps)
    return rms_norm_reference(x, weight, eps)


def rms_norm_backward(x: Tensor, weight: Tensor, inverse_rms: Tensor, grad_y: Tensor, residual: Tensor) -> Tensor:
    """Gradient with respect to x, plus `residual` (the gradient that goes round the norm); all [T, H], contiguous."""
    if x.is_cuda:
        from trajlog.kernels.fused.rms_norm import rms_norm_backward as fused

        return fused(x, weight, inverse_rms, grad_y, residual)
    return rms_norm_backward_reference(x, weight, inverse_rms, grad_y, residual)


def rms_norm_reference(x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    inverse_rms = torch.rsqrt(x.float().square().mean(-1) + eps)
    return (x.float() * inverse_rms[:, None] * weight.float()).to(x.dtype), inverse_rms


def rms_norm_backward_reference(
    x: Tensor, weight: Tensor, inverse_rms: Tensor, grad_y: Tensor, residual: Tensor
) -> Tensor:
    normed = x.float() * inverse_rms[:, None]
    grad = grad_y.float() * weight.float()
    along = (grad * normed).mean(-1, keepdim=True)
    return (inverse_rms[:, None] * (grad - normed * along) + residual.float()).to(x.dtype)
