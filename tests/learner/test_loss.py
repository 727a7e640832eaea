import math
from typing import get_args, get_type_hints

import pytest
import torch

from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import ALGORITHMS, TokenTerms
from trajlog.learner.algorithms.dr_grpo import LENGTH_TOKENS
from trajlog.learner.loss import (
    clipped_surrogate,
    k3,
    log_ratio,
    off_policy_weights,
    response_means,
    token_weights,
)

LN2 = math.log(2.0)


def terms(log_ratios, advantages, mean=None):
    rollout = torch.full((len(log_ratios),), -1.0)
    logprobs = (rollout + torch.tensor(log_ratios)).requires_grad_()
    means = torch.full_like(rollout, sum(log_ratios) / len(log_ratios) if mean is None else mean)
    return TokenTerms(logprobs, rollout, torch.tensor(advantages), means)


@pytest.mark.parametrize(
    ("log_rho", "advantage", "loss", "gradient"),
    [
        (0.0, 2.0, -2.0, -2.0),  # on policy: plain policy gradient
        (LN2, 1.0, -1.28, 0.0),  # ratio 2, gain capped at 1 + clip_high
        (LN2, -1.0, 2.0, 2.0),  # ratio 2, harm is not capped
        (-LN2, 1.0, -0.5, -0.5),  # ratio 0.5, still lifted
        (-LN2, -1.0, 0.8, 0.0),  # ratio 0.5, already below 1 - clip_low
    ],
)
def test_asymmetric_clip(log_rho, advantage, loss, gradient):
    x = torch.tensor([log_rho], requires_grad=True)
    out = clipped_surrogate(x, torch.tensor([advantage]), 0.2, 0.28)
    out.sum().backward()
    assert out.item() == pytest.approx(loss)
    assert x.grad.item() == pytest.approx(gradient)


def test_off_policy_weight():
    means = torch.tensor([0.0, LN2 / 48, -LN2 / 48, 1.0, -1.0, 1e9], requires_grad=True)
    weights = off_policy_weights(means)
    assert weights.tolist() == pytest.approx([1.0, 2.0, 0.5, 5.0, 0.1, 5.0])
    assert not weights.requires_grad


def test_k3():
    assert k3(torch.tensor([0.0, LN2, -LN2])).tolist() == pytest.approx([0.0, 1 - LN2, LN2 - 0.5])
    assert torch.isfinite(k3(torch.tensor([1e9, -1e9]))).all()


def test_k3_gradient_pulls_towards_the_reference():
    logprob = torch.tensor([-1.0], requires_grad=True)
    k3(torch.tensor([-1.0 - LN2]) - logprob).sum().backward()
    # d/dlogp (e^x - x - 1) with x = ref - logp = -ln 2: -(e^x - 1) = 0.5
    assert logprob.grad.item() == pytest.approx(0.5)


def test_log_ratio_stays_finite():
    extreme = log_ratio(torch.tensor([0.0, -1e30]), torch.tensor([-1e30, 0.0]))
    assert extreme.tolist() == [20.0, -20.0]


def test_response_means():
    values = torch.tensor([1.0, 3.0, 10.0])
    assert response_means(values, torch.tensor([0, 0, 2]), 3).tolist() == [2.0, 0.0, 10.0]


def test_token_weights_are_means_over_tokens_then_responses_then_groups():
    # group 0: responses of 2 and 4 tokens; group 1: 5 tokens and one that does not train; group 2: none trains
    weights = token_weights(torch.tensor([2, 4, 5, 0, 0]), torch.tensor([0, 0, 1, 1, 2]))
    assert weights.tolist() == pytest.approx([1 / 8, 1 / 16, 1 / 10, 0.0, 0.0])


def test_weights_of_all_tokens_sum_to_one():
    num_tokens, group = torch.tensor([2, 4, 5, 1]), torch.tensor([0, 0, 1, 1])
    assert float((token_weights(num_tokens, group) * num_tokens).sum()) == pytest.approx(1.0)


def test_grpo_clips_symmetrically_and_divides_by_std():
    config, grpo = LearnerConfig(), ALGORITHMS["grpo"]
    assert grpo.token_loss(terms([LN2], [1.0]), config).item() == pytest.approx(-1.2)
    assert grpo.advantages([1.0, -1.0], [1, 99], config) == pytest.approx([0.5**0.5, -(0.5**0.5)], rel=1e-5)


def test_dr_grpo_sums_tokens_over_a_constant():
    num_tokens, group = torch.tensor([2, 4]), torch.tensor([0, 0])
    weights = ALGORITHMS["dr_grpo"].token_weights(num_tokens, group)
    assert weights.tolist() == pytest.approx([1 / (2 * LENGTH_TOKENS)] * 2)
    assert ALGORITHMS["dr_grpo"].advantages([1.0, 0.0], [1, 99], LearnerConfig()) == [0.5, -0.5]


def test_weighted_grpo_each_weight_on_and_off():
    algorithm = ALGORITHMS["weighted_grpo"]
    off = LearnerConfig(length_alpha=0.0)
    assert algorithm.advantages([1.0, -1.0], [100, 400], off) == [1.0, -1.0]
    on = LearnerConfig(length_alpha=0.5)
    assert algorithm.advantages([1.0, -1.0], [100, 400], on) == pytest.approx([4 / 3, -2 / 3])
    assert algorithm.token_loss(terms([0.0], [1.0], mean=0.0), on).item() == pytest.approx(-1.0)
    assert algorithm.token_loss(terms([0.0], [1.0], mean=LN2 / 48), on).item() == pytest.approx(-2.0)
    assert algorithm.token_loss(terms([LN2], [1.0], mean=0.0), on).item() == pytest.approx(-1.28)


def test_tis_truncates_the_weight_not_the_gradient():
    batch = terms([math.log(3.0), -LN2], [1.0, -1.0])
    ALGORITHMS["tis"].token_loss(batch, LearnerConfig()).sum().backward()
    assert batch.logprobs.grad.tolist() == pytest.approx([-2.0, 0.5])


def test_registry_names_are_the_files_names():
    for name, algorithm in ALGORITHMS.items():
        assert algorithm.name == name
        assert algorithm.token_loss.__module__.endswith(f".{name}")
    assert set(get_args(get_type_hints(LearnerConfig)["algorithm"])) == set(ALGORITHMS)
