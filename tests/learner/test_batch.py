import pytest

from tests.learner.groups import chain, sealed
from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import build_batch, joined
from trajlog.learner.tensors import batch_tensors, tensor_digests
from trajlog.stream.staleness import judge_staleness, oldest_versions


def build(*groups, version=9, limit=4, alpha=0.0):
    judged = [
        (g, judge_staleness(oldest_versions(g), version, max_off_policy_steps=limit, min_group_size=1)) for g in groups
    ]
    return build_batch(judged, ALGORITHMS["weighted_grpo"], LearnerConfig(length_alpha=alpha))


def test_positions_are_the_generated_tokens():
    batch = build(sealed("g", [chain(0, [(3, 2, 9), (2, 1, 9)]), chain(1, [(1, 1, 9)])], [1.0, 0.0]))
    assert [c.positions.tolist() for c in batch.chains] == [[3, 4, 7], [1]]
    assert [len(c.token_ids) for c in batch.chains] == [8, 2]
    assert batch.chains[0].rollout_logprobs.tolist() == [-6.0] * 3
    assert batch.advantages.tolist() == [0.5, -0.5]
    assert batch.num_tokens.tolist() == [3, 1]


def test_stale_turns_leave_the_loss_but_neither_the_length_nor_the_mean_reward():
    group = sealed(
        "g", [chain(0, [(3, 2, 1), (2, 2, 9)]), chain(1, [(3, 1, 9)]), chain(2, [(3, 4, 2)])], [1.0, 0.0, 2.0]
    )
    batch = build(group, alpha=1.0)
    assert [c.positions.tolist() for c in batch.chains] == [[7, 8], [3]]
    assert batch.num_tokens.tolist() == [2, 1, 0]
    assert batch.num_stale_turns == 2
    fresh = build(group, limit=99, alpha=1.0)
    assert fresh.num_tokens.tolist() == [4, 1, 4]
    # mean reward 1, lengths 4, 1, 4 in both: weights (3/4, 3, 3/4) over their mean 1.5
    assert batch.advantages.tolist() == fresh.advantages.tolist() == pytest.approx([0.0, -2.0, 0.5])


def test_unscored_tokens_are_left_out_and_counted():
    batch = build(
        sealed("g", [chain(0, [(3, 4, 9)], unscored=[4, 6]), chain(1, [(3, 1, 9)], unscored=[3])], [1.0, 0.0])
    )
    assert [c.positions.tolist() for c in batch.chains] == [[3, 5]]
    assert batch.num_unscored == 3
    assert batch.num_tokens.tolist() == [2, 0]


def test_a_generated_token_is_trained_once_over_all_chains():
    """The second chain holds the first one's generation as context."""
    group = sealed("g", [chain(0, [(3, 2, 9)]), chain(0, [(8, 2, 9)], first_turn=1), chain(1, [(2, 2, 9)])], [1.0, 0.0])
    batch = build(group)
    assert [c.response for c in batch.chains] == [0, 0, 1]
    assert batch.num_tokens.tolist() == [4, 2]


def test_a_first_token_without_context_has_no_prediction():
    batch = build(sealed("g", [chain(0, [(0, 3, 9)]), chain(1, [(1, 1, 9)])], [1.0, 0.0]))
    assert batch.chains[0].positions.tolist() == [1, 2]


def test_groups_follow_one_another():
    one = sealed("a", [chain(0, [(1, 1, 9)]), chain(1, [(1, 1, 9)])], [1.0, 0.0])
    two = sealed("b", [chain(1, [(1, 1, 9)]), chain(0, [(1, 1, 9)])], [4.0, 0.0])
    batch = build(one, two)
    assert batch.group.tolist() == [0, 0, 1, 1]
    assert [c.response for c in batch.chains] == [0, 1, 3, 2]
    assert batch.advantages.tolist() == [0.5, -0.5, 2.0, -2.0]


def test_batches_of_single_groups_joined_are_the_batch_of_all():
    groups = [
        sealed("a", [chain(0, [(3, 2, 1), (2, 2, 9)]), chain(1, [(3, 1, 9)]), chain(2, [(3, 4, 2)])], [1.0, 0.0, 2.0]),
        sealed("b", [chain(0, [(3, 4, 9)], unscored=[4]), chain(1, [(16380, 20, 9)])], [1.0, 0.0]),
        sealed("c", [chain(0, [(1, 1, 9)]), chain(1, [(2, 2, 9)]), chain(1, [(9, 1, 9)], first_turn=1)], [0.0, 1.0]),
    ]
    first, second, third = (build(group, alpha=0.5) for group in groups)
    whole = described(build(*groups, alpha=0.5))
    assert described(joined([first, second, third])) == whole
    assert described(joined([joined([first, second]), third])) == whole
    assert whole[1:] == (1, 2, ("failed",))


def described(batch):
    counts = batch.num_unscored, batch.num_stale_turns, batch.overlong_outcomes
    return tensor_digests(batch_tensors(batch)), *counts
