"""One packed pass against transformers' own logits of each sequence, for every kind of base."""

import pytest
import torch
from transformers import LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

from tests.learner.test_update import CONFIG, batch
from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.config import LearnerConfig, RunConfig
from trajlog.errors import ConfigError, ModelError
from trajlog.kernels.attention import SdpaAttention
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.checkpoint import CheckpointState, save
from trajlog.learner.packed_transformers import can_pack
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.learner.update import make_optimizer, update
from trajlog.serving.adapters import AdapterConfig

EXPERTS = ("gate_proj", "up_proj", "down_proj")
SMALL = dict(
    vocab_size=512,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    intermediate_size=64,
    max_position_embeddings=256,
)


def tiny_llama():
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(**SMALL)).eval()


def tiny_mistral():
    torch.manual_seed(0)
    return MistralForCausalLM(MistralConfig(**SMALL, sliding_window=6)).eval()


def sequences():
    generator = torch.Generator().manual_seed(1)
    made = [torch.randint(0, 512, (n,), generator=generator) for n in (12, 5, 9)]
    return made, [torch.tensor([1, 4, 11]), torch.tensor([4]), torch.tensor([2, 3])]


def plain(model, sequences, positions):
    """From transformers' logits of each sequence by itself."""
    found = []
    for ids, chosen in zip(sequences, positions, strict=True):
        logits = model(input_ids=ids[None], use_cache=False).logits[0].log_softmax(-1)
        found.append(logits[chosen - 1].gather(1, ids[chosen][:, None]).squeeze(1))
    return torch.cat(found)


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe, tiny_llama, tiny_mistral])
def test_base_scores_equal_transformers_logits_of_each_sequence(build):
    ids, positions = sequences()
    with torch.no_grad():
        want = plain(build(), ids, positions)
        got = PolicyModel(build(), TARGETS).score(ids, positions, None)
    torch.testing.assert_close(got.logprobs, want, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe, tiny_llama, tiny_mistral])
def test_adapter_gradients_of_a_pack_are_the_sum_of_each_alone(build):
    ids, positions = sequences()
    policy = PolicyModel(build(), TARGETS)
    policy.lora.add(POLICY, rank=4, alpha=8.0)
    generator = torch.Generator().manual_seed(3)
    parameters = policy.lora.train_only(POLICY)
    with torch.no_grad():
        for p in parameters:
            p.copy_(torch.randn(p.shape, generator=generator) * 0.1)
    packed = torch.autograd.grad(policy.score(ids, positions, POLICY).logprobs.sum(), parameters)
    alone = sum(policy.score([i], [p], POLICY).logprobs.sum() for i, p in zip(ids, positions, strict=True))
    for a, b in zip(packed, torch.autograd.grad(alone, parameters), strict=True):
        torch.testing.assert_close(a, b, rtol=1e-3, atol=1e-5)
        assert b.abs().max() > 0


def test_only_models_without_windows_are_packed():
    assert can_pack(tiny_qwen3().config)
    assert can_pack(tiny_llama().config)
    assert not can_pack(tiny_mistral().config)


def test_load_makes_a_mixture_base_the_decoder_with_adapters_on_its_experts(tmp_path):
    tiny_qwen3_moe().save_pretrained(tmp_path / "model")
    policy = PolicyModel.load(tmp_path / "model", TARGETS + EXPERTS)
    assert isinstance(policy.model, Qwen3MoeModel)
    policy.lora.add(POLICY, rank=2, alpha=4.0)
    names = {key.split(".", 2)[2] for key in policy.lora.parameters(POLICY)}
    assert {"q_proj.A", "o_proj.B", "gate_up_proj.A", "down_proj.B"} <= names
    ids, positions = sequences()
    with torch.no_grad():
        torch.testing.assert_close(
            policy.score(ids, positions, POLICY).logprobs, plain(tiny_qwen3_moe(), ids, positions), rtol=1e-4, atol=1e-4
        )


def test_a_whole_step_on_a_mixture_trains_its_experts_and_leaves_the_reference():
    policy = PolicyModel(tiny_qwen3_moe(), TARGETS + EXPERTS)
    for seed, name in enumerate((POLICY, REFERENCE)):
        policy.lora.add(name, rank=4, alpha=8.0, seed=seed)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            for p in policy.lora.parameters(name).values():
                p.copy_(torch.randn(p.shape, generator=generator) * 0.1)
    optimizer = make_optimizer(policy.lora.train_only(POLICY), 1e-2, 0.0)
    before, reference = policy.lora.export(POLICY), policy.lora.export(REFERENCE)
    done = update(policy, optimizer, batch(), ALGORITHMS["weighted_grpo"], CONFIG, kl_coef=0.1)
    assert done.applied
    assert done.metrics["kl"] > 0
    assert done.metrics["grad_norm"] > 0
    after = policy.lora.export(POLICY)
    moved = {key: not torch.equal(before[key], after[key]) for key in before}
    assert all(moved[key] for key in moved if "self_attn" in key)
    assert sum(moved[key] for key in moved if ".experts." in key) > 0.8 * sum(".experts." in key for key in moved)
    assert all(torch.equal(reference[key], value) for key, value in policy.lora.export(REFERENCE).items())
    again = update(policy, optimizer, batch(), ALGORITHMS["weighted_grpo"], CONFIG, kl_coef=0.1)
    assert again.metrics["policy_loss"] < done.metrics["policy_loss"]


def test_a_checkpoint_of_a_mixture_brings_adapter_and_optimizer_back(tmp_path):
    def trained():
        policy = PolicyModel(tiny_qwen3_moe(), TARGETS + EXPERTS)
        policy.lora.add(POLICY, rank=4, alpha=8.0)
        return policy, make_optimizer(policy.lora.train_only(POLICY), 1e-2, 0.0)

    def step(policy, optimizer):
        update(policy, optimizer, batch(), ALGORITHMS["weighted_grpo"], CONFIG)
        return policy.lora.export(POLICY)

    policy, optimizer = trained()
    step(policy, optimizer)
    state = CheckpointState(
        run_id="r",
        log_identity="l",
        epoch=1,
        step=1,
        policy_version=1,
        adapter_sha256="",
        kl_coef=0.0,
        offsets={},
        train_step=None,
    )
    config = AdapterConfig(r=4, lora_alpha=8.0, target_modules=tuple(sorted(TARGETS + EXPERTS)))
    keys = list(policy.lora.parameters(POLICY))
    saved = save(tmp_path, state, policy.lora.export(POLICY), config, optimizer, keys)
    want = step(policy, optimizer)
    other = PolicyModel(tiny_qwen3_moe(), TARGETS + EXPERTS)
    tensors, found = saved.load_adapter()
    other.lora.load(POLICY, tensors, rank=found.r, alpha=found.lora_alpha)
    optimizer = make_optimizer(other.lora.train_only(POLICY), 1e-2, 0.0)
    saved.restore_optimizer(optimizer, list(other.lora.parameters(POLICY)))
    got = step(other, optimizer)
    assert all(torch.equal(want[key], got[key]) for key in want)


def test_a_run_says_how_its_mixture_attends_and_what_it_recomputes(tmp_path):
    tiny_qwen3_moe().save_pretrained(tmp_path)
    chosen = LearnerConfig(attention="sdpa", recompute="around_attention", lora_targets=TARGETS + EXPERTS)
    policy = PolicyModel.of_run(tmp_path, RunConfig(run_id="a", learner=chosen))
    assert isinstance(policy.model.attention, SdpaAttention)
    assert policy.model.recompute == "around_attention"
    left_alone = PolicyModel.of_run(tmp_path, RunConfig(run_id="a"))
    assert left_alone.model.recompute == "none"
    with pytest.raises(ConfigError, match="flash_attention_4"):
        PolicyModel(tiny_qwen3_moe(), TARGETS, device="cpu", attention="flash_attention_4")


@pytest.mark.parametrize(("field", "value"), [("attention", "sdpa"), ("recompute", "layer")])
def test_what_only_a_mixture_can_choose_is_refused_for_a_dense_model(field, value):
    with pytest.raises(ConfigError, match=rf"learner\.{field} {value} is for Qwen3-MoE models, this is qwen3"):
        PolicyModel(tiny_qwen3(), TARGETS, **{field: value})


def test_load_names_the_path_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match="nowhere"):
        PolicyModel.load(tmp_path / "nowhere", TARGETS)
