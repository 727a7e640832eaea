"""The starting point that many trainers have: one LoRA module per expert and projection, run in a Python loop.

A layer of transformers whose experts are 3 * E small modules: the tokens of each expert are gathered, sent through its
gate, up and down projections with their adapters, weighed, and added to the output by `index_add_`. Counting the tokens
by `bincount` makes the device wait for the host in every layer. One layer is timed and stands for all.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .adapters import ALPHA, RANK


class LoraProjection(nn.Module):
    """A frozen [out, in] weight with its own adapter."""

    def __init__(self, weight: Tensor, a: Tensor, b: Tensor) -> None:
        super().__init__()
        self.weight = nn.Parameter(weight, requires_grad=False)
        self.a = nn.Parameter(a.clone())
        self.b = nn.Parameter(b.clone())

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight) + F.linear(F.linear(x, self.a), self.b) * (ALPHA / RANK)


class LoopExperts(nn.Module):
    """All experts of a layer; `adapter` holds the layer's tensors without the layer's number in their keys."""

    def __init__(self, gate_up: Tensor, down: Tensor, adapter: dict[str, Tensor]) -> None:
        super().__init__()
        width = down.shape[2]
        a, b = adapter["A_gate_up"], adapter["B_gate_up"]
        experts = range(len(down))
        self.gate = nn.ModuleList(LoraProjection(gate_up[e, :width], a[e], b[e, :width]) for e in experts)
        self.up = nn.ModuleList(LoraProjection(gate_up[e, width:], a[e], b[e, width:]) for e in experts)
        self.down = nn.ModuleList(LoraProjection(down[e], adapter["A_down"][e], adapter["B_down"][e]) for e in experts)

    def forward(self, hidden: Tensor, top_k_index: Tensor, top_k_weights: Tensor) -> Tensor:
        flat, weights = top_k_index.reshape(-1), top_k_weights.reshape(-1)
        counts = torch.bincount(flat, minlength=len(self.gate)).tolist()
        order, out, start = torch.argsort(flat), torch.zeros_like(hidden), 0
        for expert, count in enumerate(counts):
            if not count:
                continue
            rows = order[start : start + count]
            start += count
            token = rows // top_k_index.shape[1]
            x = hidden[token]
            y = self.down[expert](F.silu(self.gate[expert](x)) * self.up[expert](x)) * weights[rows, None]
            out.index_add_(0, token, y.to(out.dtype))
        return out

    def gradients(self) -> dict[str, Tensor]:
        """In the plain form of adapters.py, of one layer. An expert without tokens has zeros."""

        def stacked(modules: nn.ModuleList, name: str) -> Tensor:
            factors = [getattr(module, name) for module in modules]
            return torch.stack([torch.zeros_like(f) if f.grad is None else f.grad for f in factors])

        return {
            "A_gate_up": stacked(self.gate, "a").float() + stacked(self.up, "a").float(),
            "B_gate_up": torch.cat([stacked(self.gate, "b"), stacked(self.up, "b")], 1),
            "A_down": stacked(self.down, "a"),
            "B_down": stacked(self.down, "b"),
        }
