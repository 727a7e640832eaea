"""A beginning that documents share is computed once, and everything else is as if it had been computed for each."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.cudnn_ops import CudnnOps
from tests.learner.test_qwen3_moe import ours, token_ids, transformers_model
from trajlog.kernels.attention import CudnnAttention, SdpaAttention

PREFIX, RESTS = 6, [5, 1, 7]


def both(model, prefix, rests, **more):
    """States and all adapter gradients of one loss, with the prefix before each document, and with it computed once.

    The loss is on the rests' states and on the prefix's, of the first document where there are several.
    """
    ids = token_ids(prefix + sum(rests))
    first, *others = ids.split([prefix, *rests])
    alone = torch.cat([torch.cat([first, other]) for other in others])
    pull = torch.randn(len(ids), model.shape.hidden_size, generator=torch.Generator().manual_seed(7))
    pull_first, *pull_others = pull.split([prefix, *rests])
    nothing = torch.zeros_like(pull_first)
    pull_alone = torch.cat([p for i, o in enumerate(pull_others) for p in (nothing if i else pull_first, o)])
    parameters = list(model.lora.parameters("policy").values())
    want = model(alone, [prefix + n for n in rests], "policy").states
    want_grads = torch.autograd.grad(want, parameters, pull_alone)
    want = torch.cat([want[:prefix], *(part[prefix:] for part in want.split([prefix + n for n in rests]))])
    got = model(ids, [prefix, *rests], "policy", shared_prefix=True, **more).states
    return (want, want_grads), (got, torch.autograd.grad(got, parameters, pull))


def close(model, wanted, found):
    torch.testing.assert_close(found[0], wanted[0], rtol=1e-4, atol=1e-4)
    for key, a, b in zip(model.lora.parameters("policy"), found[1], wanted[1], strict=True):
        largest = float(b.abs().max())
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5 * largest, msg=lambda m, k=key: f"{k}: {m}")
        assert largest > 0, key


@settings(max_examples=15, deadline=None)
@given(prefix=st.integers(1, 12), rests=st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_states_and_every_adapter_gradient_are_those_of_each_document_with_the_prefix_before_it(prefix, rests):
    model = ours(transformers_model())
    close(model, *both(model, prefix, rests))


@pytest.mark.parametrize("backend", [SdpaAttention(), CudnnAttention()])
@pytest.mark.parametrize("recompute", ["none", "experts", "around_attention", "layer"])
def test_every_way_to_recompute_works_with_a_shared_prefix(recompute, backend, monkeypatch):
    CudnnOps.install(monkeypatch)
    model = ours(transformers_model())
    wanted, _ = both(model, PREFIX, RESTS)
    model.recompute, model.attention = recompute, backend
    close(model, wanted, both(model, PREFIX, RESTS)[1])


def test_a_shared_token_is_routed_once():
    model = ours(transformers_model())
    ids = token_ids(PREFIX + sum(RESTS))
    routed = model(ids, [PREFIX, *RESTS], "policy", shared_prefix=True).routed_experts
    assert [layer.shape for layer in routed] == [(len(ids), 2)] * 2
    again = torch.stack(routed, dim=1)
    wanted, found = both(model, PREFIX, RESTS, routed_experts=again)
    close(model, wanted, found)
