"""Triton kernels of `kernels/swiglu.py`: four rows a program."""

import torch
import triton
import triton.language as tl
from torch import Tensor

_ROWS = 4


def swiglu(gate_up: Tensor, weight: Tensor) -> Tensor:
    num_rows, width = gate_up.shape[0], gate_up.shape[1] // 2
    out = torch.empty(num_rows, width, device=gate_up.device, dtype=gate_up.dtype)
    _forward[(triton.cdiv(num_rows, _ROWS),)](
        gate_up, weight, out, num_rows, width, _ROWS, min(256, triton.next_power_of_2(width)), num_warps=4
    )
    return out


def swiglu_backward(gate_up: Tensor, weight: Tensor, grad_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    num_rows, width = grad_out.shape
    grad_gate_up, out = torch.empty_like(gate_up), torch.empty_like(grad_out)
    grad_weight = torch.empty(num_rows, device=gate_up.device, dtype=torch.float32)
    _backward[(triton.cdiv(num_rows, _ROWS),)](
        gate_up, weight, grad_out, grad_gate_up, out, grad_weight,
        num_rows, width, _ROWS, min(256, triton.next_power_of_2(width)), num_warps=4,
    )  # fmt: skip
    return grad_gate_up, out, grad_weight


@triton.jit
def _forward(gate_up, weight, out, num_rows, I: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):  # noqa: E741
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    w = tl.load(weight + row, mask=row < num_rows, other=0.0)
    for start in range(0, I, BLOCK):
        c = start + tl.arange(0, BLOCK)[None, :]
        inside = (row < num_rows) & (c < I)
        g = tl.load(gate_up + row * (2 * I) + c, mask=inside, other=0.0).to(tl.float32)
        u = tl.load(gate_up + row * (2 * I) + I + c, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + row * I + c, (g * tl.sigmoid(g) * u * w).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _backward(
    gate_up, weight, grad_out, grad_gate_up, out, grad_weight, num_rows,
    I: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr,  # noqa: E741
):  # fmt: skip
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)[:, None]
    w = tl.load(weight + row, mask=row < num_rows, other=0.0)
    total = tl.zeros([ROWS, 1], tl.float32)
    for start in range(0, I, BLOCK):
        c = start + tl.arange(0, BLOCK)[None, :]
        inside = (row < num_rows) & (c < I)
        g = tl.load(gate_up + row * (2 * I) + c, mask=inside, other=0.0).to(tl.float32)
        u = tl.load(gate_up + row * (2 * I) + I + c, mask=inside, other=0.0).to(tl.float32)
        d = tl.load(grad_out + row * I + c, mask=inside, other=0.0).to(tl.float32)
        sigmoid = tl.sigmoid(g)
        silu = g * sigmoid
        total += tl.sum(d * silu * u, 1)[:, None]
        tl.store(out + row * I + c, (silu * u * w).to(out.dtype.element_ty), mask=inside)
        d *= w
        to = grad_gate_up + row * (2 * I) + c
        tl.store(to, (d * u * sigmoid * (1 + g * (1 - sigmoid))).to(grad_gate_up.dtype.element_ty), mask=inside)
        tl.store(to + I, (d * silu).to(grad_gate_up.dtype.element_ty), mask=inside)
    tl.store(grad_weight + row, total, mask=row < num_rows)
