"""Moving rows between tokens and the experts they are routed to.

T tokens, K experts a token, S = T * K routed rows in expert order. `token` and `expert` int64 [S] say where each routed
row comes from; `inverse` int64 [S] says at which routed row choice k of token t stands, at index t * K + k. A border of
R columns beside each row carries its adapter's low-rank part; token-side it lies in one row of E * R columns, that of
expert e at e * R.
"""

from typing import NamedTuple

import torch
from torch import Tensor


class RoutedRows(NamedTuple):
    """S = T * K rows sorted by expert, tokens in order within one: see above."""

    token: Tensor
    """int64 [S]"""
    expert: Tensor
    """int64 [S]"""
    weight: Tensor
    """float32 [S]"""
    ends: Tensor
    """int32 [E]: the row after each expert's last; an expert without tokens has its predecessor's end."""
    inverse: Tensor
    """int64 [S]"""


def arrange(experts: Tensor, weights: Tensor, num_experts: int) -> RoutedRows:
    """Sorts the choices experts int64 [T, K], of weights float32 [T, K], by expert, stably. Without a host sync."""
    top_k = experts.shape[1]
    flat = experts.reshape(-1)
    key = flat.to(torch.int16) if num_experts <= torch.iinfo(torch.int16).max else flat
    order = key.sort(stable=True).indices
    counts = torch.zeros(num_experts, device=flat.device, dtype=torch.int64).scatter_add_(
        0, flat, torch.ones_like(flat)
    )
    inverse = torch.empty_like(order)
    inverse[order] = torch.arange(len(order), device=order.device)
    return RoutedRows(
        token=order // top_k,
        expert=flat[order],
        weight=weights.reshape(-1)[order],
        ends=counts.cumsum(0).to(torch.int32),
        inverse=inverse,
    )


def gather_rows(x: Tensor, token: Tensor) -> Tensor:
    """x [T, H] contiguous to rows [S, H]."""
    return x.index_select(0, token)


def gather_bordered_rows(x: Tensor, borders: Tensor, token: Tensor, expert: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """Rows [S, H + rank]: x [T, H] of the row's token, then its expert's part of borders [T, >= E * rank].

    Also returns that part alone, [S, rank]. `borders` may be a view with any row stride.
    """
    if x.is_cuda:
        from trajlog.kernels.fused.routed_rows import gather_bordered_rows as fused

        return fused(x, borders, token, expert, rank)
    return gather_bordered_rows_reference(x, borders, token, expert, rank)


def scatter_borders(parts: Tensor, token: Tensor, expert: Tensor, out: Tensor) -> Tensor:
    """Puts parts [S, rank] at their token's and expert's place in out [T, >= E * rank], in place; returns out.

    A token has an expert at most once, so no two rows meet. Places that no row has are left as they are.
    """
    if parts.is_cuda:
        from trajlog.kernels.fused.routed_rows import scatter_borders as fused

        return fused(parts, token, expert, out)
    return scatter_borders_reference(parts, token, expert, out)


def combine_rows(rows: Tensor, inverse: Tensor, top_k: int, residual: Tensor | None = None) -> Tensor:
    """[T, H]: for each token the sum of its K rows [S, H] in float32, plus `residual` [T, H]; in a fixed order."""
    if rows.is_cuda:
        from trajlog.kernels.fused.routed_rows import combine_rows as fused

        return fused(rows, inverse, top_k, residual)
    return combine_rows_reference(rows, inverse, top_k, residual)


def gather_bordered_rows_reference(
    x: Tensor, borders: Tensor, token: Tensor, expert: Tensor, rank: int
) -> tuple[Tensor, Tensor]:
    columns = expert[:, None] * rank + torch.arange(rank, device=x.device)
    parts = borders[token[:, None], columns]
    return torch.cat([x[token], parts], dim=1), parts


def scatter_borders_reference(parts: Tensor, token: Tensor, expert: Tensor, out: Tensor) -> Tensor:
    rank = parts.shape[1]
    out[token[:, None], expert[:, None] * rank + torch.arange(rank, device=out.device)] = parts
    return out


def combine_rows_reference(rows: Tensor, inverse: Tensor, top_k: int, residual: Tensor | None = None) -> Tensor:
    total = rows[inverse].unflatten(0, (-1, top_k)).float().sum(1)
    return (total if residual is None else total + residual.float()).to(rows.dtype)
