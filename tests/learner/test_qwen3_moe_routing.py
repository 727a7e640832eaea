import dataclasses

import pytest
import torch

from trajlog.learner.qwen3_moe_routing import route, route_backward
from trajlog.learner.qwen3_moe_shape import QWEN3_CODER_30B_A3B


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("given_experts", [True, False])
def test_weights_and_their_gradient_are_those_of_the_plain_formula(normalised, given_experts):
    shape = dataclasses.replace(QWEN3_CODER_30B_A3B, num_experts=6, top_k=3, normalised_top_k=normalised)
    logits = torch.randn(5, 6, generator=torch.Generator().manual_seed(0)).requires_grad_()
    experts = torch.stack([torch.randperm(6)[:3] for _ in range(5)]) if given_experts else None
    routes = route(logits.detach(), shape, experts)
    want = logits.softmax(-1).gather(1, routes.experts)
    if experts is None:
        assert torch.equal(routes.experts, logits.topk(3).indices)
    if normalised:
        want = want / want.sum(-1, keepdim=True)
    torch.testing.assert_close(routes.weights, want)
    pull = torch.randn(5, 3, generator=torch.Generator().manual_seed(1))
    (grad,) = torch.autograd.grad(want, logits, pull)
    written = torch.zeros(5, 6)
    route_backward(routes, pull, written)
    torch.testing.assert_close(written, grad, rtol=1e-4, atol=1e-6)
