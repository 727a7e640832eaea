import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from trajlog.learner.qwen3_moe_routing import Routes, arrange, route, route_backward
from trajlog.learner.qwen3_moe_shape import QWEN3_CODER_30B_A3B


@settings(max_examples=30, deadline=None)
@given(num_tokens=st.integers(1, 12), num_experts=st.integers(1, 9), data=st.data())
def test_every_choice_has_one_row_in_its_experts_part(num_tokens, num_experts, data):
    top_k = data.draw(st.integers(1, num_experts))
    generator = torch.Generator().manual_seed(data.draw(st.integers(0, 1000)))
    experts = torch.rand(num_tokens, num_experts, generator=generator).topk(top_k).indices
    weights = torch.rand(num_tokens, top_k, generator=generator)
    rows = arrange(Routes(experts, weights, None), num_experts)
    assert rows.ends[-1] == num_tokens * top_k
    assert torch.equal(rows.expert, rows.expert.sort().values)
    starts = torch.cat([torch.zeros(1, dtype=torch.int32), rows.ends[:-1]])
    for expert, (start, end) in enumerate(zip(starts.tolist(), rows.ends.tolist(), strict=True)):
        assert (rows.expert[start:end] == expert).all()
        assert rows.token[start:end].tolist() == (experts == expert).any(1).nonzero().flatten().tolist()
    assert torch.equal(rows.expert[rows.inverse].view_as(experts), experts)
    assert torch.equal(rows.weight[rows.inverse].view_as(weights), weights)


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
