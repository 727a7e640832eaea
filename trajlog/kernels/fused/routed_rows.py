"""Triton kernels of `kernels/routed_rows.py`."""

import torch
import triton
import triton.language as tl
from torch import Tensor

_SCATTERED_ROWS = 128


def gather_bordered_rows(x: Tensor, borders: Tensor, token: Tensor, expert: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    num_rows, width = len(token), x.shape[1]
    rows = torch.empty(num_rows, width + rank, device=x.device, dtype=x.dtype)
    parts = torch.empty(num_rows, rank, device=x.device, dtype=x.dtype)
    _gather[(num_rows,)](
        x, borders, token, expert, rows, parts, borders.stride(0),
        width, rank, triton.next_power_of_2(rank), triton.next_power_of_2(width), num_warps=4,
    )  # fmt: skip
    return rows, parts


def scatter_borders(parts: Tensor, token: Tensor, expert: Tensor, out: Tensor) -> Tensor:
    num_rows, rank = parts.shape
    grid = (triton.cdiv(num_rows, _SCATTERED_ROWS),)
    _scatter[grid](
        parts, token, expert, out, num_rows, parts.stride(0), out.stride(0),
        rank, triton.next_power_of_2(rank), _SCATTERED_ROWS, num_warps=4,
    )  # fmt: skip
    return out


def combine_rows(rows: Tensor, inverse: Tensor, top_k: int, residual: Tensor | None = None) -> Tensor:
    num_tokens, width = len(inverse) // top_k, rows.shape[1]
    out = torch.empty(num_tokens, width, device=rows.device, dtype=rows.dtype)
    block = min(1024, triton.next_power_of_2(width))
    grid = (num_tokens, triton.cdiv(width, block))
    has_residual = residual is not None
    _combine[grid](
        rows, inverse, residual if has_residual else rows, out, width, top_k, has_residual, block, num_warps=4
    )
    return out


@triton.jit
def _gather(
    x, borders, token, expert, rows, parts, border_stride,
    H: tl.constexpr, R: tl.constexpr, R_BLOCK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    source = tl.load(token + row).to(tl.int64)
    e = tl.load(expert + row).to(tl.int64)
    c = tl.arange(0, BLOCK)
    j = tl.arange(0, R_BLOCK)
    part = tl.load(borders + source * border_stride + e * R + j, mask=j < R)
    tl.store(rows + row * (H + R) + c, tl.load(x + source * H + c, mask=c < H), mask=c < H)
    tl.store(rows + row * (H + R) + H + j, part, mask=j < R)
    tl.store(parts + row * R + j, part, mask=j < R)


@triton.jit
def _scatter(
    parts, token, expert, out, num_rows, part_stride, out_stride,
    R: tl.constexpr, R_BLOCK: tl.constexpr, ROWS: tl.constexpr,
):  # fmt: skip
    row = (tl.program_id(0) * ROWS + tl.arange(0, ROWS)).to(tl.int64)
    inside = row < num_rows
    t = tl.load(token + row, mask=inside, other=0).to(tl.int64)
    e = tl.load(expert + row, mask=inside, other=0).to(tl.int64)
    j = tl.arange(0, R_BLOCK)[None, :]
    mask = inside[:, None] & (j < R)
    part = tl.load(parts + row[:, None] * part_stride + j, mask=mask, other=0.0)
    tl.store(out + (t * out_stride + e * R)[:, None] + j, part, mask=mask)


@triton.jit
def _combine(
    rows, inverse, residual, out, H: tl.constexpr, K: tl.constexpr, HAS_RESIDUAL: tl.constexpr, BLOCK: tl.constexpr
):
    t = tl.program_id(0).to(tl.int64)
    c = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = c < H
    total = tl.zeros([BLOCK], tl.float32)
    for k in range(K):
        row = tl.load(inverse + t * K + k).to(tl.int64)
        total += tl.load(rows + row * H + c, mask=inside, other=0.0).to(tl.float32)
    if HAS_RESIDUAL:
        total += tl.load(residual + t * H + c, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + t * H + c, total.to(out.dtype.element_ty), mask=inside)
