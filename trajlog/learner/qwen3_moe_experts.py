"""Mixture half of a decoder layer: x + experts(rms_norm(x)), with adapters on every expert.

Kept for the backward pass: the input, the output of gate_up, the routing, and the low-rank parts. The routing weight is
applied in SwiGLU, before the down projection; the experts' rows are added up per token in a fixed order. The backward
pass is written out; see qwen3_moe_weights.py for where the adapter's halves lie.
"""

import torch
from torch import Tensor

from trajlog.kernels.grouped_mm import grouped_mm
from trajlog.kernels.qwen3_moe_peft import EXPERT_SITES
from trajlog.kernels.rms_norm import rms_norm, rms_norm_backward
from trajlog.kernels.routed_rows import (
    RoutedRows,
    arrange,
    combine_rows,
    gather_bordered_rows,
    gather_rows,
    scatter_borders,
)
from trajlog.kernels.swiglu import swiglu, swiglu_backward
from trajlog.learner.qwen3_moe_adapter import LayerAdapter, site_gradients, site_parameters
from trajlog.learner.qwen3_moe_routing import Recorded, Routes, route, route_backward
from trajlog.learner.qwen3_moe_weights import LayerWeights


def experts_half(
    x: Tensor, weights: LayerWeights, adapter: LayerAdapter | None, experts: Tensor | Recorded | None = None
) -> tuple[Tensor, Tensor]:
    """x and the result [T, H] in the base's dtype, and the experts taken, int64 [T, K].

    With `experts` given, the router's choice is replaced, where Recorded has one, and only its weights are computed.
    Gradients reach x, through the routing weights too, and the adapter's parameters.
    """
    return _ExpertsHalf.apply(x, weights, adapter, experts, *site_parameters(adapter, EXPERT_SITES))


class _ExpertsHalf(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weights, adapter, experts, *parameters):
        weights.hold("experts", adapter)
        s, rank = weights.shape, weights.experts_rank
        border = s.num_experts * rank
        h, inverse_rms = rms_norm(x, weights.experts_norm, s.norm_eps)
        facing = h @ weights.router.T
        routes = route(facing[:, border:], s, experts)
        rows = arrange(routes.experts, routes.weights, s.num_experts)
        wide, low = _gather(h, facing, rows, rank)
        gate_up = grouped_mm(wide, weights.gate_up.transpose(1, 2), rows.ends)
        del wide
        act = swiglu(gate_up, rows.weight)
        low_down = grouped_mm(act, weights.down[:, s.hidden_size :].transpose(1, 2), rows.ends) if rank else None
        down = grouped_mm(act, weights.down[:, : s.hidden_size].transpose(1, 2), rows.ends)
        del act
        out = combine_rows(down, rows.inverse, s.top_k, x)
        if rank:
            out.addmm_(_spread(low_down, rows, len(x), border), weights.down_b)
        ctx.save_for_backward(x, inverse_rms, gate_up, low, low_down, *routes, *rows)
        ctx.weights, ctx.adapter = weights, adapter
        ctx.state = None if adapter is None else adapter.state()
        ctx.mark_non_differentiable(routes.experts)
        return out, routes.experts

    @staticmethod
    def backward(ctx, grad_out, _):
        x, inverse_rms, gate_up, low, low_down, *rest = ctx.saved_tensors
        routes, rows = Routes(*rest[:3]), RoutedRows(*rest[3:])
        weights, adapter = ctx.weights, ctx.adapter
        weights.hold_again("experts", adapter, ctx.state)
        s, rank = weights.shape, weights.experts_rank
        border = s.num_experts * rank
        grad_out = grad_out.contiguous()
        found: dict[str, tuple[Tensor, Tensor]] = {}

        grad_low_down = grad_out @ weights.down_b.T
        wide, parts = _gather(grad_out, grad_low_down, rows, rank)
        grad_act = grouped_mm(wide, weights.down, rows.ends)
        del wide, grad_low_down
        grad_gate_up, act, grad_weight = swiglu_backward(gate_up, rows.weight, grad_act)
        del grad_act
        grad_facing = x.new_zeros(len(x), border + s.num_experts)
        if rank:
            grad_a_down = grouped_mm(parts.T, act, rows.ends)
            grad_b_down = (_spread(low_down, rows, len(x), border).T @ grad_out).unflatten(0, (-1, rank))
            grad_b_gate_up = grouped_mm(low.T, grad_gate_up, rows.ends)
            found["down_proj"] = (grad_a_down, grad_b_down)
            grad_low = grouped_mm(grad_gate_up, weights.gate_up[:, :, s.hidden_size :], rows.ends)
            scatter_borders(grad_low, rows.token, rows.expert, grad_facing)
            h, _ = rms_norm(x, weights.experts_norm, s.norm_eps)
            grad_a_gate_up = (grad_facing[:, :border].T @ h).unflatten(0, (-1, rank))
            found["gate_up_proj"] = (grad_a_gate_up, grad_b_gate_up)
            del h
        del act
        grad_x = None
        if ctx.needs_input_grad[0]:
            route_backward(routes, grad_weight[rows.inverse].view_as(routes.weights), grad_facing[:, border:])
            grad_rows = grouped_mm(grad_gate_up, weights.gate_up[:, :, : s.hidden_size], rows.ends)
            del grad_gate_up
            grad_h = combine_rows(grad_rows, rows.inverse, s.top_k).addmm_(grad_facing, weights.router)
            grad_x = rms_norm_backward(x, weights.experts_norm, inverse_rms, grad_h, grad_out)
        return grad_x, None, None, None, *site_gradients(adapter, EXPERT_SITES, found)


def _spread(parts: Tensor, rows: RoutedRows, num_tokens: int, width: int) -> Tensor:
    """parts [S, rank] at their tokens' and experts' places in zeros [T, width]."""
    return scatter_borders(parts, rows.token, rows.expert, parts.new_zeros(num_tokens, width))


def _gather(x: Tensor, borders: Tensor, rows: RoutedRows, rank: int) -> tuple[Tensor, Tensor | None]:
    if rank == 0:
        return gather_rows(x, rows.token), None
    return gather_bordered_rows(x, borders, rows.token, rows.expert, rank)
