"""Staleness at the learner's door, token by token: what the mask of an update holds, mixed-version turns included."""

from hypothesis import given
from hypothesis import strategies as st

from tests.learner.groups import chain, sealed
from tests.learner.learner_process import make_config
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import build_batch
from trajlog.learner.consumption import QueuedGroup, judge
from trajlog.stream.log import TopicPartition

TURN = st.tuples(st.integers(1, 3), st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=3))
MEMBERS = st.lists(st.lists(TURN, min_size=1, max_size=3), min_size=4, max_size=4)


@given(MEMBERS, st.integers(0, 9), st.integers(0, 5))
def test_a_token_is_trained_exactly_when_its_turn_has_none_older_than_max_off_policy_steps(members, version, limit):
    group = sealed("g", [chain(member, turns) for member, turns in enumerate(members)], [1.0, 0.0, 1.0, 0.0])
    config = make_config(max_off_policy_steps=limit)
    judged = judge(QueuedGroup(TopicPartition("groups", 0), 0, group), version, config)
    batch = build_batch([(group, judged.staleness)], ALGORITHMS[config.learner.algorithm], config.learner)
    trained = {(one.response, int(position)) for one in batch.chains for position in one.positions}
    wanted, num_fresh_members = set(), 0
    for member, turns in enumerate(members):
        position, before = 0, len(wanted)
        for context, runs in turns:
            position += context
            versions = [sampled for sampled, num_tokens in runs for _ in range(num_tokens)]
            if all(version - sampled <= limit for sampled in versions):
                wanted |= {(member, position + number) for number in range(len(versions))}
            position += len(versions)
        num_fresh_members += len(wanted) > before
    assert trained == wanted
    assert (judged.reason == "stale") == (num_fresh_members < config.group.min_group_size)


def test_long_members_are_left_out_until_too_few_are_left():
    """Chains of 250 tokens where 200 fit, at least 3 members: one long one of four is left out, two are too many."""
    for num_long, reason in ((0, None), (1, None), (2, "overlong")):
        chains = [chain(member, [(240 if member < num_long else 5, 10, 0)]) for member in range(4)]
        group, config = sealed("g", chains, [1.0, 0.0, 1.0, 0.0]), make_config()
        judged = judge(QueuedGroup(TopicPartition("groups", 0), 0, group), 0, config)
        assert judged.reason == reason
        batch = build_batch([(group, judged.staleness)], ALGORITHMS[config.learner.algorithm], config.learner)
        assert batch.overlong_outcomes == ("solved", "failed")[:num_long]
        assert batch.num_tokens.tolist() == [0] * num_long + [10] * (4 - num_long)


def test_stale_and_long_members_count_together():
    chains = [chain(0, [(240, 10, 5)]), chain(1, [(5, 10, 0)]), chain(2, [(5, 10, 5)]), chain(3, [(5, 10, 5)])]
    group, config = sealed("g", chains, [1.0, 0.0, 1.0, 0.0]), make_config()
    judged = judge(QueuedGroup(TopicPartition("groups", 0), 0, group), 5, config)
    assert (judged.staleness.excluded, judged.staleness.rejected, judged.reason) == ((1,), False, "overlong")
