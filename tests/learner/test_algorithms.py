"""Each algorithm's whole loss and gradient against the same worked out by hand, from formulas and from digits."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.learner.responses import Response, by_code, by_hand, random_groups
from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import ALGORITHMS

CONFIG = LearnerConfig(length_alpha=0.5)


def same(got, want):
    value, gradient = got
    assert value == pytest.approx(want[0], rel=1e-4, abs=1e-6)
    torch.testing.assert_close(gradient, torch.tensor(want[1]), rtol=1e-3, atol=1e-6)


@pytest.mark.parametrize("name", sorted(ALGORITHMS))
@given(seed=st.integers(0, 10**6), kl_coef=st.sampled_from([0.0, 0.3]), spread=st.sampled_from([0.003, 0.05, 0.5]))
@settings(max_examples=40, deadline=None)
def test_loss_and_gradient_of_random_responses_are_those_of_the_formulas(name, seed, kl_coef, spread):
    groups = random_groups(seed, spread=spread)
    same(by_code(name, groups, CONFIG, kl_coef), by_hand(name, groups, CONFIG, kl_coef))


@pytest.mark.parametrize("change", ["length_alpha", "clip_high"])
def test_a_change_that_is_off_is_off_in_both(change):
    config = LearnerConfig(**{"length_alpha": 0.5, "clip_high": 0.28, change: 0.2 if change == "clip_high" else 0.0})
    groups = random_groups(7, spread=0.5)
    same(by_code("weighted_grpo", groups, config), by_hand("weighted_grpo", groups, config))
    assert by_hand("weighted_grpo", groups, config) != by_hand("weighted_grpo", groups, CONFIG)


def one_group(log_rhos):
    """Rewards 1 and 0, lengths 4 and 1, ratios as given; log pi_now is -1 everywhere."""
    return [
        [
            Response(reward, length, [-1.0] * len(log_rho), [-1.0 - x for x in log_rho], [-1.0] * len(log_rho))
            for reward, length, log_rho in zip((1.0, 0.0), (4, 1), log_rhos, strict=True)
        ]
    ]


LOG_RHOS = ([math.log(1.5), -math.log(1.5) + math.log(2) / 24], [math.log(1.01)])
"""Off-policy weights: response 0 has mean log rho ln 2 / 48, so 2; response 1 exp(48 ln 1.01) = 1.01^48 = 1.612226."""


@pytest.mark.parametrize(
    ("name", "value", "gradient"),
    [
        # A = 0.5 and -0.5, length mean 2.5: sqrt(2.5/4) : sqrt(2.5/1) = 1 : 2, so 2/3 and 4/3: A = 1/3 and -2/3.
        # Response 0: -2 (min(1.5, 1.28) + 0.686202) / 3 / 2 tokens; response 1: 1.612226 * 1.01 * 2/3.
        # Ratio of the second token: 2^(1/24) / 1.5 = 0.686202. Mean over 2 responses.
        (
            "weighted_grpo",
            (-2 * (1.28 + 0.686202) / 3 / 2 + 1.612226 * 1.01 * 2 / 3) / 2,
            [0.0, -2 * 0.686202 / 3 / 4, 1.612226 * 1.01 / 3],
        ),
        # The same without weights, A = +-0.5, cap 1.2: -(1.2 + 0.686202) / 4 + 0.505, over 2 responses and 1.
        ("dr_grpo", (-0.5 * (1.2 + 0.686202) + 0.505) / 2048, [0.0, -0.343101 / 2048, 0.505 / 2048]),
        # A = +-0.5 / (sqrt(0.5) + 1e-6) = +-0.7071058.
        ("grpo", 0.7071058 * (-(1.2 + 0.686202) / 2 + 1.01) / 2, [0.0, -0.7071058 * 0.686202 / 4, 0.7071058 * 0.505]),
        # -min(rho, 2) A log pi with log pi = -1.
        ("tis", (0.5 * (1.5 + 0.686202) / 2 - 0.505) / 2, [-0.1875, -0.0857753, 0.2525]),
    ],
)
def test_digits(name, value, gradient):
    same(by_code(name, one_group(LOG_RHOS), CONFIG), (value, gradient))


def test_the_off_policy_weight_has_no_gradient_and_holds_at_its_bounds():
    """log rho 0.2 in every token: 48 * 0.2 is far above ln 5; -0.2 far below ln 0.1."""
    for log_rho, weight in ((0.2, 5.0), (-0.2, 0.1)):
        groups = one_group(([log_rho, log_rho], [log_rho]))
        _, gradient = by_code("weighted_grpo", groups, LearnerConfig(clip_low=0.9, clip_high=0.9))
        ratio = math.exp(log_rho)
        assert gradient.tolist() == pytest.approx([-weight * ratio / 8] * 2 + [weight * ratio / 4], rel=1e-4)


def test_a_response_of_which_nothing_is_trained_keeps_its_part_in_the_mean_reward_only():
    bare = Response(5.0, 3, [], [], [])
    whole = [[Response(1.0, 1, [-1.0], [-1.0], [-1.0]), Response(0.0, 1, [-1.0], [-1.0], [-1.0]), bare]]
    value, gradient = by_code("dr_grpo", whole, CONFIG)
    assert (value * 1024, (gradient * 1024).tolist()) == (pytest.approx(1.5), pytest.approx([0.5, 1.0]))
