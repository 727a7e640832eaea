"""Adapters of the experts in one plain form, so that every side starts from the same and gradients can be compared.

A layer's are `A_gate_up` [E, r, H], `B_gate_up` [E, 2I, r] (gate above up), `A_down` [E, r, I] and `B_down` [E, H, r],
under keys like `3.A_down`. Sides that hold gate and up apart start from twice the same A; the gradient of that A is the
sum of both.
"""

import torch
from torch import Tensor

RANK = 8
ALPHA = 16.0
SPREAD = 0.02
"""Standard deviation of A and B; B is not zero, or the gradient of A would be."""


def random_adapter(shape, device: str, dtype: torch.dtype, seed: int, rank: int = RANK) -> dict[str, Tensor]:
    """Drawn layer by layer; bf16 values also where a side keeps float32."""
    generator = torch.Generator(device).manual_seed(seed)
    hidden, width, experts = shape.hidden, shape.expert_width, shape.num_experts
    sizes = {
        "A_gate_up": (experts, rank, hidden),
        "B_gate_up": (experts, 2 * width, rank),
        "A_down": (experts, rank, width),
        "B_down": (experts, hidden, rank),
    }
    return {
        f"{layer}.{name}": (torch.randn(size, device=device, generator=generator) * SPREAD).to(dtype)
        for layer in range(shape.num_layers)
        for name, size in sizes.items()
    }


def relative_l2(ours: dict[str, Tensor], theirs: dict[str, Tensor]) -> float:
    """|ours - theirs| / |theirs| over all tensors as one vector, in float32."""
    if ours.keys() != theirs.keys():
        raise ValueError(f"not the same tensors: {sorted(ours.keys() ^ theirs.keys())[:4]}")
    error = sum(float((ours[key].float() - theirs[key].float()).square().sum()) for key in theirs)
    size = sum(float(value.float().square().sum()) for value in theirs.values())
    return (error / size) ** 0.5 if size else float("inf")
