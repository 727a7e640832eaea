"""What an episode's events make of it, and its verdict, by value."""

import math
from array import array

import pyarrow as pa
import pytest

from tests.stream.assembly_fold import PRODUCER, Fold, ints, verdicts
from tests.stream.stream_events import RUN, at, batches, episode, finished, generation, started
from trajlog.errors import DecodeError
from trajlog.schemas import EpisodeVerdict, EventBatch


def test_members_are_taken_in_the_order_of_their_last_events():
    fold = Fold()
    slow, quick = episode("g", "slow", reward=0.1), episode("g", "quick", reward=0.2)
    fold.read(*slow[:-1], *quick, *episode("g", "third", reward=0.3), slow[-1])
    assert [member.episode_id for member in fold.group().members] == ["quick", "third", "slow"]


def test_an_episode_that_finishes_after_its_group_was_full_is_surplus():
    fold = Fold()
    late = episode("g", "d")
    fold.read(*late[:2], *[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)])
    fold.decide()
    fold.read(*late[2:])
    (decision,) = fold.decide()
    assert (decision.episode_id, decision.verdict, decision.outcome) == ("d", "surplus", "solved")


@pytest.mark.parametrize("reason", ["timeout", "too_few"])
def test_an_episode_that_finishes_after_a_group_was_closed_in_another_way_is_late(reason):
    fold = Fold()
    fold.read(*episode("g", "a", reward=0.0))
    if reason == "timeout":
        fold.read(*episode("g", "b"))
    assert fold.group(at(10_000)).reason == reason
    fold.read(*episode("g", "d"))
    (decision,) = fold.decide(at(10_000))
    assert (decision.episode_id, decision.verdict) == ("d", "late")


def test_duplicates_change_nothing():
    fold = Fold()
    events = [e for i, name in enumerate("abc") for e in episode("g", name, reward=i)]
    fold.read(*[e for event in events for e in (event, event)])
    decision = fold.group()
    assert [len(member.chains[0]) for member in decision.members] == [5, 5, 5]
    fold.read(*events)
    assert fold.decide() == []
    assert fold.assembly.low_water() is None


def test_events_out_of_order_are_put_in_order():
    fold = Fold()
    a = episode("g", "a", versions=(0, 0), reward=0.0)
    fold.read(*reversed(a[1:]))
    fold.read(*episode("g", "b"), *episode("g", "c"))
    assert fold.decide() == []  # the first event of "a" is missing
    fold.read(a[0])
    decision = fold.group()
    assert [member.episode_id for member in decision.members] == ["b", "c", "a"]
    (chain,) = decision.members[2].chains
    expected = [t for e in a if e.kind == "generation" for t in (*e.prompt_token_ids, *e.token_ids)]
    assert ints(chain.packed(0).token_ids) == expected


def test_a_gap_keeps_an_episode_out_and_it_gets_its_verdict_with_the_group():
    fold = Fold()
    gap = episode("g", "gap")
    fold.read(*gap[:1], *gap[2:], *[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)])
    assert verdicts(fold.group()) == {"a": "sealed", "b": "sealed", "c": "sealed", "gap": "surplus"}


def test_the_sealed_chain_is_what_was_sampled():
    fold = Fold()
    events = [
        started("g", "a"),
        generation("g", "a", 1, 0, [], [1, 2], [3, 4], logprobs=[-0.25, None]),
        generation("g", "a", 2, 1, [1, 2, 3, 4], [5], [6], version=1),
        generation("g", "a", 3, 2, [], [1, 7], [8, 9], chain=1, version=1),
        finished("g", "a", 4, reward=0.0, turns=3),
    ]
    fold.read(*events, *episode("g", "b"), *episode("g", "c"))
    member = fold.group().members[0]
    first, second = (chain.packed(0) for chain in member.chains)
    assert ints(first.token_ids) == [1, 2, 3, 4, 5, 6]
    assert list(first.loss_mask) == [0, 0, 1, 1, 0, 1]
    logprobs = array("f", first.rollout_logprobs)
    assert [None if math.isnan(value) else value for value in logprobs] == [None, None, -0.25, None, None, -0.5]
    assert [(span.turn, span.start, span.stop) for span in first.turns] == [(0, 2, 4), (1, 5, 6)]
    assert ints(second.token_ids) == [1, 7, 8, 9]
    assert list(second.loss_mask) == [0, 0, 1, 1]
    assert member.num_generated_tokens == 5
    assert member.oldest_versions() == {0: 0, 1: 1, 2: 1}


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (generation("g", "a", 2, 1, [1, 2], [5], [6]), "continues 2 tokens of chain 0, which has 4"),
        (generation("g", "a", 2, 1, [1, 2, 3, 5], [5], [6]), "prefix_sha256 differs"),
        (generation("g", "a", 2, 1, [], [5], [6], chain=2), "begins chain 2 after 1 chains"),
        (started("g", "a"), None),
    ],
)
def test_a_chain_that_does_not_continue_is_an_error_with_its_reason(bad, reason):
    fold = Fold()
    fold.read(started("g", "a"), generation("g", "a", 1, 0, [], [1, 2], [3, 4]), bad)
    decisions = fold.decide()
    if reason is None:  # a repeated episode_started is a duplicate
        assert decisions == []
    else:
        assert [d.verdict for d in decisions] == ["error"]
        assert reason in decisions[0].reason


def test_error_and_overlong_episodes_leave_their_group_open():
    fold = Fold()
    long = [started("g", "long"), generation("g", "long", 1, 0, [], list(range(20)), [1])]
    fold.read(*episode("g", "e", outcome="error"), *long, *episode("g", "a", reward=0.0), *episode("g", "b"))
    judged = {d.episode_id: (d.verdict, d.outcome, d.reward) for d in fold.decide()}
    assert judged == {"e": ("error", "error", None), "long": ("overlong", None, None)}
    fold.read(*episode("g", "c"))
    assert verdicts(fold.group()) == {"a": "sealed", "b": "sealed", "c": "sealed"}


def test_an_episode_without_a_generated_token_is_not_a_member():
    fold = Fold()
    fold.read(
        *episode("g", "a", versions=(), outcome="context_full"), *episode("g", "b", versions=(), outcome="failed")
    )
    assert {d.episode_id: d.verdict for d in fold.decide()} == {"a": "overlong", "b": "error"}


@pytest.mark.parametrize(
    ("kind", "column", "value"),
    [
        ("generation", "chain", -1),
        ("generation", "turn", None),
        ("episode_started", "group_size", 0),
        ("episode_started", "task_id", ""),
        ("episode_finished", "reward", math.nan),
        ("episode_finished", "reward", None),
        ("episode_finished", "outcome", "won"),
        ("episode_finished", "reward", 1e10),
        ("episode_finished", "episode_id", "e" * 513),
        ("episode_finished", "episode_id", ""),
        ("generation", "group_id", ""),
    ],
)
def test_a_row_that_breaks_its_kinds_rules_is_refused_before_anything_is_made_of_it(kind, column, value):
    (batch,) = [batch for batch in batches(episode("g", "a", size=3)) if batch.kind == kind]
    index = batch.batch.schema.get_field_index(column)
    field = batch.batch.schema.field(index)
    broken = batch.batch.set_column(index, field, pa.array([value], field.type))
    fold = Fold()
    with pytest.raises(DecodeError):
        fold.assembly.read(0, at(0), EventBatch(kind, broken))
    assert fold.assembly.low_water() is None


def test_an_abandoned_episode_is_no_member_though_it_finishes():
    fold = Fold()
    woken = episode("g", "woken")
    fold.read(*woken[:2])
    stamp = PRODUCER.stamp(RUN, group_id="g", episode_id="woken")
    fold.learn(EpisodeVerdict(**stamp, verdict="abandoned", task_id="t", epoch=0))
    fold.read(*woken[2:], *[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)])
    assert verdicts(fold.group()) == {"a": "sealed", "b": "sealed", "c": "sealed"}


def test_the_end_that_completes_an_episode_is_the_one_that_counts():
    fold = Fold()
    *before, end = episode("g", "a", reward=1.0)
    fold.read(end, finished("g", "a", end.seq + 2, reward=0.0), *before, *episode("g", "b", reward=0.0))
    fold.read(*episode("g", "c", reward=0.0))
    assert [(e.episode_id, e.reward) for e in fold.group().episodes] == [("a", 1.0), ("b", 0.0), ("c", 0.0)]
