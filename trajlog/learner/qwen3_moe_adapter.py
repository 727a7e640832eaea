"""One adapter's trained numbers in one layer, packed across experts.

Sites: q_proj, k_proj, v_proj, o_proj (A [rank, in], B [rank, out]), gate_up_proj (one A for both, A [E, rank, H],
B [E, rank, 2I]) and down_proj (A [E, rank, I], B [E, rank, H]). B is kept transposed, as its gradient comes out of the
products. float32.
"""

import itertools
import math
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape


@dataclass(eq=False)
class LayerAdapter:
    """Parameters by site; sites that are not trained are absent."""

    a: dict[str, nn.Parameter]
    b: dict[str, nn.Parameter]
    scale: float
    """alpha / rank: the delta of a weight is scale * Bᵀ A."""
    _parameters: tuple[nn.Parameter, ...] = field(init=False)

    def __post_init__(self) -> None:
        self._parameters = tuple(itertools.chain(self.a.values(), self.b.values()))

    @property
    def trained(self) -> bool:
        return self._parameters[0].requires_grad

    def state(self) -> tuple[int, ...]:
        """Differs after every change in place that torch counts. It does not count fused optimizers' steps."""
        return tuple(p._version for p in self._parameters)


def site_sizes(shape: Qwen3MoeShape) -> dict[str, tuple[tuple[int, ...], int, int]]:
    """Per site: leading dimensions (experts or none), width in, width out."""
    hidden, experts = shape.hidden_size, (shape.num_experts,)
    heads, kv = shape.num_heads * shape.head_dim, shape.num_kv_heads * shape.head_dim
    return {
        "q_proj": ((), hidden, heads),
        "k_proj": ((), hidden, kv),
        "v_proj": ((), hidden, kv),
        "o_proj": ((), heads, hidden),
        "gate_up_proj": (experts, hidden, 2 * shape.expert_size),
        "down_proj": (experts, shape.expert_size, hidden),
    }


def fresh(shape: Qwen3MoeShape, site: str, rank: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """A uniform within 1 / sqrt(in) as in PEFT, B zero: the adapter changes nothing."""
    leading, width_in, width_out = site_sizes(shape)[site]
    bound = 1.0 / math.sqrt(width_in)
    a = torch.empty(*leading, rank, width_in, device=generator.device).uniform_(-bound, bound, generator=generator)
    return a, torch.zeros(*leading, rank, width_out, device=generator.device)


def site_parameters(adapter: LayerAdapter | None, sites: tuple[str, ...]) -> list[Tensor | None]:
    """A and B of each site in order, None where there is none: what an autograd function takes."""
    if adapter is None:
        return [None] * (2 * len(sites))
    return [part.get(site) for site in sites for part in (adapter.a, adapter.b)]


def site_gradients(
    adapter: LayerAdapter | None, sites: tuple[str, ...], found: dict[str, tuple[Tensor, Tensor]]
) -> list[Tensor | None]:
    """In the order of `site_parameters`, from the gradients of the padded copies; that of B is scaled here."""
    grads: list[Tensor | None] = []
    for site in sites:
        if adapter is None or site not in adapter.a:
            grads += [None, None]
            continue
        rank = adapter.a[site].shape[-2]
        grad_a, grad_b = found[site]
        grads += [grad_a[..., :rank, :].float(), grad_b[..., :rank, :].float().mul_(adapter.scale)]
    return grads
