"""Triton kernels of `kernels/rms_norm.py`: one program per row."""

import torch
import triton
import triton.language as tl
from torch import Tensor


def rms_norm(x: Tensor, weight: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    num_rows, width = x.shape
    y = torch.empty_like(x)
    inverse_rms = torch.empty(num_rows, device=x.device, dtype=torch.float32)
    _forward[(num_rows,)](x, weight, y, inverse_rms, width, eps, triton.next_power_of_2(width), num_warps=4)
    return y, inverse_rms


def rms_norm_backward(x: Tensor, weight: Tensor, inverse_rms: Tensor, grad_y: Tensor, residual: Tensor) -> Tensor:
    num_rows, width = x.shape
    grad_x = torch.empty_like(x)
    block = triton.next_power_of_2(width)
    _backward[(num_rows,)](x, weight, inverse_rms, grad_y, residual, grad_x, width, block, num_warps=4)
    return grad_x


@triton.jit
def _forward(x, weight, y, inverse_rms, H: tl.constexpr, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    inside = c < H
    value = tl.load(x + row * H + c, mask=inside, other=0.0).to(tl.float32)
    inverse = tl.rsqrt(tl.sum(value * value, 0) / H + eps)
    out = value * inverse * tl.load(weight + c, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + row * H + c, out.to(y.dtype.element_ty), mask=inside)
    tl.store(inverse_rms + row, inverse)


@triton.jit
def _backward(x, weight, inverse_rms, grad_y, residual, grad_x, H: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, BLOCK)
    inside = c < H
    inverse = tl.load(inverse_rms + row)
    normed = tl.load(x + row * H + c, mask=inside, other=0.0).to(tl.float32) * inverse
    grad = tl.load(grad_y + row * H + c, mask=inside, other=0.0).to(tl.float32)
    grad *= tl.load(weight + c, mask=inside, other=0.0).to(tl.float32)
    out = inverse * (grad - normed * (tl.sum(grad * normed, 0) / H))
    out += tl.load(residual + row * H + c, mask=inside, other=0.0).to(tl.float32)
    tl.store(grad_x + row * H + c, out.to(grad_x.dtype.element_ty), mask=inside)
