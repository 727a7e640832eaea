"""SwiGLU of routed rows with the routing weight in it: `silu(gate) * up * weight` (arXiv 2002.05202).

The weight is applied before the down projection, which is linear, so the down projection's output need not be kept for
the weight's gradient.
"""

import torch
from torch import Tensor


def swiglu(gate_up: Tensor, weight: Tensor) -> Tensor:
    """gate_up [S, 2I] (gate, then up) contiguous, weight float32 [S], to [S, I] in gate_up's dtype."""
    if gate_up.is_cuda:
        from trajlog.kernels.fused.swiglu import swiglu as fused

        return fused(gate_up, weight)
    return swiglu_reference(gate_up, weight)


def swiglu_backward(gate_up: Tensor, weight: Tensor, grad_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """From grad_out [S, I]: the gradients of gate_up [S, 2I] and weight float32 [S], and the output [S, I] again.

    Returned in the order gradient of gate_up, output, gradient of weight.
    """
    if gate_up.is_cuda:
        from trajlog.kernels.fused.swiglu import swiglu_backward as fused

        return fused(gate_up, weight, grad_out)
    return swiglu_backward_reference(gate_up, weight, grad_out)


def swiglu_reference(gate_up: Tensor, weight: Tensor) -> Tensor:
    gate, up = gate_up.float().chunk(2, dim=-1)
    return (torch.nn.functional.silu(gate) * up * weight[:, None]).to(gate_up.dtype)


def swiglu_backward_reference(gate_up: Tensor, weight: Tensor, grad_out: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    gate, up = gate_up.float().chunk(2, dim=-1)
    sigmoid = gate.sigmoid()
    silu = gate * sigmoid
    grad = grad_out.float()
    grad_weight = (grad * silu * up).sum(-1)
    grad = grad * weight[:, None]
    grad_gate = grad * up * sigmoid * (1 + gate * (1 - sigmoid))
    grad_gate_up = torch.cat([grad_gate, grad * silu], dim=-1).to(gate_up.dtype)
    return grad_gate_up, (silu * up * weight[:, None]).to(gate_up.dtype), grad_weight
