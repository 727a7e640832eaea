"""The decoder against transformers with the adapters merged into its weights: outputs, gradients, packing, routing."""

import dataclasses

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import Qwen3MoeConfig, Qwen3MoeForCausalLM

from trajlog.errors import ModelError
from trajlog.kernels.attention import SdpaAttention
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape

ALL = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
LENGTHS = [9, 1, 5]


def transformers_model(seed: int = 0, **changes) -> Qwen3MoeForCausalLM:
    torch.manual_seed(seed)
    fields = dict(
        vocab_size=64,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=8,
        intermediate_size=64,
        num_experts=8,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        norm_topk_prob=True,
        tie_word_embeddings=False,
        initializer_range=0.2,
    )
    config = Qwen3MoeConfig(**{**fields, **changes})
    config._attn_implementation = "eager"
    config._experts_implementation = "eager"
    model = Qwen3MoeForCausalLM(config).eval().requires_grad_(False)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "norm" in name:
                parameter.uniform_(0.5, 1.5)
    return model


def randomise(model: Qwen3MoeModel, name: str, seed: int = 0) -> None:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.lora.parameters(name).values():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.2)


def ours(hf, rank: int = 4, targets=ALL, seed: int = 0) -> Qwen3MoeModel:
    model = Qwen3MoeModel.from_transformers(hf, targets)
    model.lora.add("policy", rank=rank, alpha=2.0 * rank)
    randomise(model, "policy", seed)
    model.lora.train_only("policy")
    return model


def merged_forward(hf, model: Qwen3MoeModel, name: str, ids):
    """transformers' last hidden states with weight + scale * B A for every weight; differentiable in A and B."""
    weights = {}
    for number, layer in enumerate(model.lora.layers(name)):
        base = f"model.layers.{number}"
        for site, a in layer.a.items():
            delta = layer.scale * layer.b[site].transpose(-1, -2) @ a
            folder = "mlp.experts" if site in ("gate_up_proj", "down_proj") else "self_attn"
            key = f"{base}.{folder}.{site}" + ("" if folder == "mlp.experts" else ".weight")
            weights[key] = hf.get_parameter(key) + delta
    model_only = {k.removeprefix("model."): v for k, v in weights.items()}
    out = torch.func.functional_call(hf.model, model_only, kwargs=dict(input_ids=ids[None], use_cache=False))
    return out.last_hidden_state[0]


def compared(hf, model, ids, lengths, name="policy", rtol=2e-4):
    """States and all adapter gradients of one pack against transformers, document by document."""
    pull = torch.randn(len(ids), model.shape.hidden_size, generator=torch.Generator().manual_seed(7))
    parameters = list(model.lora.parameters(name).values())
    got = model(ids, lengths, name).states
    got_grads = torch.autograd.grad(got, parameters, pull)
    want = torch.cat([merged_forward(hf, model, name, part) for part in ids.split(lengths)])
    want_grads = torch.autograd.grad(want, parameters, pull)
    torch.testing.assert_close(got, want, rtol=rtol, atol=2e-4)
    for key, a, b in zip(model.lora.parameters(name), got_grads, want_grads, strict=True):
        largest = float(b.abs().max())
        torch.testing.assert_close(a, b, rtol=rtol, atol=3e-4 * largest, msg=lambda m, k=key: f"{k}: {m}")
        assert largest > 0, key


def token_ids(count=15, seed=1):
    return torch.randint(0, 64, (count,), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("rank", [2, 8, 20, 64])
def test_states_and_adapter_gradients_equal_those_of_transformers(rank):
    hf = transformers_model()
    compared(hf, ours(hf, rank), token_ids(), LENGTHS)


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("top_k", [1, 3, 8])
def test_any_number_of_experts_a_token(top_k, normalised):
    hf = transformers_model(num_experts_per_tok=top_k, norm_topk_prob=normalised)
    compared(hf, ours(hf), token_ids(), LENGTHS)


@pytest.mark.parametrize(
    "targets",
    [ALL[:4], ALL[4:], ("q_proj", "v_proj"), ("o_proj",), ("down_proj",), ("k_proj", "gate_proj", "up_proj")],
)
def test_any_choice_of_target_modules(targets):
    hf = transformers_model()
    compared(hf, ours(hf, targets=targets), token_ids(), LENGTHS)


def states_and_gradients(model, ids, lengths, name="policy", **more):
    pull = torch.randn(len(ids), model.shape.hidden_size, generator=torch.Generator().manual_seed(7))
    states = model(ids, lengths, name, **more).states
    return states, torch.autograd.grad(states, list(model.lora.parameters(name).values()), pull)


@settings(max_examples=15, deadline=None)
@given(lengths=st.lists(st.integers(1, 12), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_a_pack_equals_its_documents_alone(lengths, seed):
    model, ids = ours(transformers_model()), token_ids(sum(lengths), seed=seed)
    packed, grads = states_and_gradients(model, ids, lengths)
    pull = torch.randn(len(ids), model.shape.hidden_size, generator=torch.Generator().manual_seed(7))
    alone = [model(part, [len(part)], "policy").states for part in ids.split(lengths)]
    torch.testing.assert_close(packed, torch.cat(alone), rtol=1e-4, atol=1e-4)
    alone_grads = torch.autograd.grad(torch.cat(alone), list(model.lora.parameters("policy").values()), pull)
    for a, b in zip(grads, alone_grads, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-3)


def test_all_tokens_on_one_expert_leave_the_others_without_gradient():
    hf = transformers_model()
    model, ids = ours(hf), token_ids()
    forced = torch.tensor([3, 5]).expand(len(ids), 2, 2)
    _, grads = states_and_gradients(model, ids, LENGTHS, routed_experts=forced)
    for key, grad in zip(model.lora.parameters("policy"), grads, strict=True):
        assert torch.isfinite(grad).all()
        if "gate_up" in key or "down" in key:
            used = grad.flatten(1).abs().amax(1) > 0
            assert used.tolist() == [e in (3, 5) for e in range(8)]


def test_one_expert_in_the_whole_model():
    hf = transformers_model(num_experts=1, num_experts_per_tok=1)
    compared(hf, ours(hf), token_ids(), LENGTHS)


@pytest.mark.parametrize("normalised", [True, False])
def test_replaying_its_own_routes_changes_nothing(normalised):
    model, ids = ours(transformers_model(norm_topk_prob=normalised)), token_ids()
    routes = torch.stack(model(ids, LENGTHS, "policy").routed_experts, dim=1)
    assert routes.shape == (len(ids), 2, 2)
    free, replayed = (
        states_and_gradients(model, ids, LENGTHS),
        states_and_gradients(model, ids, LENGTHS, routed_experts=routes),
    )
    assert torch.equal(free[0], replayed[0])
    assert all(torch.equal(a, b) for a, b in zip(free[1], replayed[1], strict=True))
    other = model(ids, LENGTHS, "policy", routed_experts=(routes + 1) % 8).states
    assert (other - free[0]).abs().max() > 0.01


@pytest.mark.parametrize("recompute", ["experts", "around_attention", "layer"])
def test_recomputing_gives_the_same_gradients_and_never_routes_again(recompute, monkeypatch):
    from trajlog.learner import qwen3_moe_experts as module

    model, ids = ours(transformers_model()), token_ids()
    states, want = states_and_gradients(model, ids, LENGTHS)
    model.recompute = recompute
    given = []
    original = module.route
    monkeypatch.setattr(module, "route", lambda x, s, e: (given.append(e), original(x, s, e))[1])
    calls = []
    attend = SdpaAttention.forward
    monkeypatch.setattr(SdpaAttention, "forward", lambda s, q, *rest: (calls.append(1), attend(s, q, *rest))[1])
    again, got = states_and_gradients(model, ids, LENGTHS)
    assert torch.equal(states, again)
    # per layer: forward, once more in the backend's own backward pass, and once more where attention is made again
    assert len(calls) == 2 * (3 if recompute == "layer" else 2)
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b)
    assert [e is None for e in given] == [True, True, False, False]


def test_another_adapter_between_forward_and_backward_changes_no_gradient():
    model, ids = ours(transformers_model()), token_ids()
    model.lora.add("reference", rank=2, alpha=4.0, seed=5)
    randomise(model, "reference", 9)
    model.lora.train_only("policy")
    states, want = states_and_gradients(model, ids, LENGTHS)
    pull = torch.randn(len(ids), 32, generator=torch.Generator().manual_seed(7))
    states = model(ids, LENGTHS, "policy").states
    with torch.no_grad():
        reference = model(ids, LENGTHS, "reference").states
        base = model(ids, LENGTHS, None).states
    got = torch.autograd.grad(states, list(model.lora.parameters("policy").values()), pull)
    assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))
    assert not reference.requires_grad
    assert (reference - base).abs().max() > 0.01
    assert (reference - states).abs().max() > 0.01


def test_the_base_alone_and_a_fresh_adapter_equal_transformers():
    hf = transformers_model()
    model, ids = Qwen3MoeModel.from_transformers(hf, ALL), token_ids()
    want = torch.cat([hf.model(input_ids=d[None], use_cache=False).last_hidden_state[0] for d in ids.split(LENGTHS)])
    torch.testing.assert_close(model(ids, LENGTHS, None).states, want, rtol=1e-4, atol=1e-4)
    model.lora.add("policy", rank=4, alpha=8.0)
    torch.testing.assert_close(model(ids, LENGTHS, "policy").states, want, rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(hf.lm_head.weight, model.head)


@pytest.mark.parametrize("how", [dict(foreach=False), dict(foreach=True), dict(fused=True)])
def test_every_kind_of_optimizer_step_is_seen_by_the_next_pass(how):
    model, ids = ours(transformers_model()), token_ids()
    parameters = model.lora.train_only("policy")
    optimizer = torch.optim.AdamW(parameters, lr=0.1, **how)
    before = model(ids, LENGTHS, "policy").states
    before.square().sum().backward()
    optimizer.step()
    after = model(ids, LENGTHS, "policy").states
    assert (after - before).abs().max() > 0.01


def test_a_step_between_forward_and_backward_is_refused():
    model, ids = ours(transformers_model()), token_ids()
    states = model(ids, LENGTHS, "policy").states
    with torch.no_grad():
        model.lora.parameters("policy")["layers.1.o_proj.B"].mul_(2)
    with pytest.raises(RuntimeError, match="between a forward pass and its backward"):
        states.sum().backward()


def test_a_change_behind_torchs_back_is_seen_by_the_next_pass():
    model, ids = ours(transformers_model()), token_ids()
    for parameter in model.lora.parameters("policy").values():
        parameter.data.zero_()
    torch.testing.assert_close(model(ids, LENGTHS, "policy").states, model(ids, LENGTHS, None).states)


def test_random_weights_of_a_shape_train():
    shape = dataclasses.replace(Qwen3MoeShape.of(transformers_model().config), num_layers=3)
    model = Qwen3MoeModel.random(shape, ALL, device="cpu", dtype=torch.float32, seed=3)
    model.lora.add("policy", rank=8, alpha=16.0)
    parameters = model.lora.train_only("policy")
    model(token_ids(), LENGTHS, "policy").states.square().sum().backward()
    assert len(parameters) == 3 * 12
    assert all(p.grad.shape == p.shape and p.grad.dtype == torch.float32 for p in parameters)
    assert isinstance(model.attention, SdpaAttention)


def test_refusals_say_what_is_wrong():
    hf = transformers_model()
    with pytest.raises(ModelError, match=r"\['lm_head'\]"):
        Qwen3MoeModel.from_transformers(hf, ("lm_head",))
    with pytest.raises(ModelError, match="name both"):
        Qwen3MoeModel.from_transformers(hf, ("gate_proj",))
    with pytest.raises(ModelError, match="mlp_only_layers"):
        Qwen3MoeShape.of(transformers_model(mlp_only_layers=[0]).config)
    model = ours(hf)
    with pytest.raises(ValueError, match="sum to 14"):
        model(token_ids(), [14], "policy")
    with pytest.raises(ModelError, match="no adapter 'other'"):
        model(token_ids(), LENGTHS, "other")
    with pytest.raises(ModelError, match="loaded already"):
        model.lora.add("policy", rank=2, alpha=2.0)
