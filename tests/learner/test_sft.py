import pytest
import torch

from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.errors import ConfigError, ModelError
from trajlog.learner.examples import make_example
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.sft import SftConfig, train_sft

CONFIG = SftConfig(
    lora_rank=4, lora_alpha=8.0, epochs=12, learning_rate=5e-2, examples_per_step=2, max_tokens_per_microbatch=64
)


def examples(count=4):
    """Context 10+i, then the assistant's 100, 101, 102, ... ; the context is never trained."""
    return [make_example([10 + i, 20, *range(100, 106 + i), 30], [0, 0, *[1] * (6 + i), 0]) for i in range(count)]


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe])
def test_it_learns_the_assistants_tokens(build):
    policy, seen = PolicyModel(build(), TARGETS), []
    with torch.no_grad():
        first = policy.score([e.token_ids for e in examples()], [e.positions for e in examples()], None).logprobs
    result = train_sft(policy, examples(), CONFIG, seen.append)
    assert len(seen) == len(result.losses) == 24
    assert (seen[-1].step, seen[-1].num_steps) == (24, 24)
    assert result.losses[0] == pytest.approx(-first.mean().item(), rel=0.05)
    assert result.losses[-1] < result.losses[0] - 0.3
    with torch.no_grad():
        tuned = policy.score([e.token_ids for e in examples()], [e.positions for e in examples()], POLICY).logprobs
    assert (tuned > first).float().mean() > 0.9


def test_the_same_settings_give_the_same_adapter():
    first, second = (train_sft(PolicyModel(tiny_qwen3(), TARGETS), examples(), CONFIG) for _ in range(2))
    assert first.losses == second.losses
    assert all(torch.equal(first.adapter[k], second.adapter[k]) for k in first.adapter)


def test_long_examples_are_left_out_and_counted():
    long = make_example(list(range(2, 102)), [0] + [1] * 99)
    result = train_sft(PolicyModel(tiny_qwen3(), TARGETS), [*examples(), long], CONFIG)
    assert result.num_too_long == 1
    with pytest.raises(ConfigError, match="none of 1 examples"):
        train_sft(PolicyModel(tiny_qwen3(), TARGETS), [long], CONFIG)


def test_a_loss_that_is_not_finite_says_what_to_change():
    model = tiny_qwen3()
    policy = PolicyModel(model, TARGETS)
    with torch.no_grad():
        model.model.norm.weight.fill_(float("nan"))
    with pytest.raises(ModelError, match="lower the learning rate"):
        train_sft(policy, examples(), CONFIG)
