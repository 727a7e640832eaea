"""The decoder in bfloat16 on a GPU against itself in float32 on the CPU, which the other tests hold to transformers."""

import pytest
import torch

from trajlog.kernels.attention import CudnnAttention, FlashAttention4, SdpaAttention
from trajlog.kernels.logprobs import selected_logprobs
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU"),
]

ALL = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
LENGTHS = [300, 1, 147, 64]
SHAPE = Qwen3MoeShape(
    num_layers=2,
    hidden_size=256,
    num_heads=8,
    num_kv_heads=2,
    head_dim=128,
    num_experts=16,
    top_k=4,
    expert_size=96,
    vocab_size=1000,
    rope_theta=1e6,
    norm_eps=1e-6,
    normalised_top_k=True,
)


def pair(rank: int) -> tuple[Qwen3MoeModel, Qwen3MoeModel]:
    """One model in float32 on the CPU and in bfloat16 on the GPU, with the same weights and adapter."""
    models = []
    for device, dtype in (("cpu", torch.float32), ("cuda", torch.bfloat16)):
        model = Qwen3MoeModel.random(SHAPE, ALL, device="cpu", dtype=torch.bfloat16, seed=1)
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.mul_(3)  # so that layers and routing matter
        model = model.to(device, dtype)
        model.attention = SdpaAttention() if device == "cpu" else CudnnAttention()
        model.lora.add("policy", rank=rank, alpha=2.0 * rank)
        generator = torch.Generator().manual_seed(2)
        with torch.no_grad():
            for p in model.lora.parameters("policy").values():
                p.copy_(torch.randn(p.shape, generator=generator).bfloat16() * 0.1)
        model.lora.train_only("policy")
        models.append(model)
    return models[0], models[1]


def relative(got, want):
    return float((got.float().cpu() - want).norm() / want.norm())


def run(model, ids, experts=None, shared_prefix=False):
    device = model.device
    pull = torch.randn(len(ids), SHAPE.hidden_size, generator=torch.Generator().manual_seed(3)).to(
        device, model.head.dtype
    )
    experts = None if experts is None else experts.to(device)
    hidden = model(ids.to(device), LENGTHS, "policy", experts, shared_prefix=shared_prefix)
    grads = torch.autograd.grad(hidden.states, list(model.lora.parameters("policy").values()), pull)
    return hidden, grads


@pytest.fixture(scope="module")
def ids():
    return torch.randint(0, SHAPE.vocab_size, (sum(LENGTHS),), generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("backend", [CudnnAttention(), SdpaAttention(), FlashAttention4(), FlashAttention4(True)])
@pytest.mark.parametrize("shared_prefix", [False, True])
@pytest.mark.parametrize("rank", [2, 8, 24])
def test_states_and_gradients_within_the_precision_of_bfloat16(rank, shared_prefix, backend, ids):
    if isinstance(backend, FlashAttention4):
        pytest.importorskip("flash_attn.cute.interface")
    slow, fast = pair(rank)
    fast.attention = backend
    want, want_grads = run(slow, ids, shared_prefix=shared_prefix)
    got, got_grads = run(fast, ids, torch.stack(want.routed_experts, dim=1), shared_prefix)
    assert relative(got.states, want.states) < 0.02
    keys = slow.lora.parameters("policy")
    errors = {key: relative(a, b) for key, a, b in zip(keys, got_grads, want_grads, strict=True)}
    assert {key: error for key, error in errors.items() if not error < 0.04} == {}


@pytest.mark.parametrize("shared_prefix", [False, True])
@pytest.mark.parametrize("recompute", ["experts", "around_attention", "layer"])
def test_recomputing_changes_the_gradients_by_rounding_at_most(recompute, shared_prefix, ids):
    _, model = pair(8)
    _, want = run(model, ids, shared_prefix=shared_prefix)
    model.recompute = recompute
    _, got = run(model, ids, shared_prefix=shared_prefix)
    for a, b in zip(got, want, strict=True):
        assert relative(a, b.float().cpu()) < 0.01


@pytest.mark.parametrize("shared_prefix", [False, True])
def test_deterministic_attention_gives_equal_bits(shared_prefix, ids):
    pytest.importorskip("flash_attn.cute.interface")
    _, model = pair(8)
    model.attention = FlashAttention4(deterministic=True)
    (first, first_grads), (second, second_grads) = (run(model, ids, shared_prefix=shared_prefix) for _ in range(2))
    assert torch.equal(first.states, second.states)
    assert all(torch.equal(a, b) for a, b in zip(first_grads, second_grads, strict=True))


@pytest.mark.parametrize("shared_prefix", [False, True])
def test_no_pass_waits_for_the_device(shared_prefix, ids):
    _, model = pair(8)
    model.lora.add("reference", rank=8, alpha=16.0)
    model.lora.train_only("policy")
    ids, positions = ids.cuda(), torch.arange(1, 200, device="cuda")
    for warm in (False, True):  # the first pass compiles kernels and plans
        torch.cuda.synchronize()
        torch.cuda.set_sync_debug_mode("error" if warm else "default")
        try:
            states = model(ids, LENGTHS, "policy", shared_prefix=shared_prefix).states
            with torch.no_grad():
                model(ids, LENGTHS, "reference", shared_prefix=shared_prefix)
            logprobs = selected_logprobs(states.index_select(0, positions - 1), model.head, ids[positions]).logprobs
            logprobs.sum().backward()
        finally:
            torch.cuda.set_sync_debug_mode("default")
    assert all(p.grad is not None for p in model.lora.parameters("policy").values())


def test_fused_optimizer_steps_are_seen(ids):
    _, model = pair(8)
    parameters = model.lora.train_only("policy")
    optimizer = torch.optim.AdamW(parameters, lr=0.05, fused=True)
    before = model(ids.cuda(), LENGTHS, "policy").states
    before.float().square().sum().backward()
    optimizer.step()
    after = model(ids.cuda(), LENGTHS, "policy").states
    assert (after - before).abs().max() > 0.1


def test_selected_logprobs_within_the_precision_of_bfloat16():
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(300, 256, generator=generator).bfloat16()
    weight = (torch.randn(5001, 256, generator=generator) * 0.1).bfloat16()
    tokens = torch.randint(0, 5001, (300,), generator=generator)
    pull = torch.randn(300, generator=generator)
    found = []
    for device, dtype in (("cpu", torch.float32), ("cuda", torch.bfloat16)):
        h = hidden.to(device, dtype).requires_grad_()
        out = selected_logprobs(h, weight.to(device, dtype), tokens.to(device), 0.8, 128)
        (grad,) = torch.autograd.grad(out.logprobs, h, pull.to(device))
        found.append((out.logprobs.detach().cpu(), out.entropy.cpu(), grad.float().cpu()))
    (logprobs, entropy, grad), got = found
    torch.testing.assert_close(got[0], logprobs, rtol=0, atol=1e-4)
    torch.testing.assert_close(got[1], entropy, rtol=0, atol=1e-4)
    assert relative(got[2], grad) < 0.01
