import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.learner.adaptive_kl import next_kl_coef
from trajlog.learner.advantages import group_advantages, length_weights

rewards = st.lists(st.floats(-5, 5), min_size=1, max_size=16)


def test_without_std():
    assert group_advantages([3.0, 1.0, -1.0], divide_by_std=False) == [2.0, 0.0, -2.0]


def test_with_std_of_n_minus_1():
    # centred 2, 0, -2; variance (4 + 0 + 4) / 2 = 4; std 2
    assert group_advantages([3.0, 1.0, -1.0], divide_by_std=True) == pytest.approx([1.0, 0.0, -1.0], abs=1e-6)


def test_small_bonuses_among_failures_are_blown_up_only_by_the_std():
    failures = [-1.0, -0.98]
    mixed = [-1.0, 1.0]
    plain = [group_advantages(r, divide_by_std=False)[1] for r in (failures, mixed)]
    scaled = [group_advantages(r, divide_by_std=True)[1] for r in (failures, mixed)]
    assert plain == pytest.approx([0.01, 1.0])
    assert scaled == pytest.approx([math.sqrt(0.5), math.sqrt(0.5)], rel=1e-3)


def test_equal_rewards_and_a_group_of_one_have_no_advantage():
    assert group_advantages([0.7], divide_by_std=True) == [0.0]
    assert group_advantages([2.0, 2.0], divide_by_std=True) == [0.0, 0.0]


def test_length_weights_by_hand():
    # mean 250: sqrt(2.5) and sqrt(0.625) are 2 : 1, so over their mean 4/3 and 2/3
    assert length_weights([100, 400], alpha=0.5) == pytest.approx([4 / 3, 2 / 3])


def test_length_weights_off_and_minimum_one():
    assert length_weights([1, 1000], alpha=0.0) == [1.0, 1.0]
    assert length_weights([0, 1], alpha=1.0) == [1.0, 1.0]


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=16), st.floats(0, 1))
def test_length_weights_have_mean_one_and_fall_with_length(lengths, alpha):
    weights = length_weights(lengths, alpha)
    assert sum(weights) / len(weights) == pytest.approx(1.0)
    pairs = sorted(zip(lengths, weights, strict=True))
    assert all(a[1] >= b[1] or math.isclose(a[1], b[1]) for a, b in itertools.pairwise(pairs))


@given(rewards, st.booleans())
def test_advantages_sum_to_zero(values, divide):
    assert sum(group_advantages(values, divide_by_std=divide)) == pytest.approx(0.0, abs=1e-5)


def test_kl_coefficient_moves_toward_the_target_by_two_percent_at_most():
    assert next_kl_coef(0.1, 0.011, 0.01) == pytest.approx(0.1 * (1 + 0.1 * 0.1))
    assert next_kl_coef(0.1, 5.0, 0.01) == pytest.approx(0.102)
    assert next_kl_coef(0.1, 0.0, 0.01) == pytest.approx(0.098)
    assert next_kl_coef(0.1, 0.01, 0.01) == 0.1
    assert next_kl_coef(0.0, 5.0, 0.01) == 0.0
    assert next_kl_coef(0.1, math.nan, 0.01) == 0.1
