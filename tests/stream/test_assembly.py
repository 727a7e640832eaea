"""The assembler's decisions, by value. Groups have 3 members, at least 2; 600 s to a partial group."""

import math
from array import array

import msgspec
import pyarrow as pa
import pytest

from tests.stream.stream_events import RUN, at, batches, episode, finished, generation, started
from trajlog.config import EpisodeConfig, GroupConfig, RunConfig, StalenessConfig
from trajlog.errors import DecodeError
from trajlog.schemas import EpisodeVerdict, EventBatch, GroupVerdict, PolicyPublished, Producer, VersionRun
from trajlog.stream.assembly import Assembly, EpisodeDecision, GroupDecision, Ledger
from trajlog.stream.clock import FoldClock
from trajlog.stream.trajectory import FACT_BYTES, TRAJECTORY_BYTES

CONFIG = RunConfig(
    run_id=RUN,
    group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=600),
    staleness=StalenessConfig(max_off_policy_steps=1),
    episode=EpisodeConfig(context_limit=20),
)
PRODUCER = Producer("test")


def verdict_events(decisions):
    """A decision as the events that the assembler writes."""
    events = []
    for decision in decisions:
        for judged in [decision] if isinstance(decision, EpisodeDecision) else decision.episodes:
            stamp = PRODUCER.stamp(RUN, group_id=judged.group_id, episode_id=judged.episode_id)
            events.append(EpisodeVerdict(**stamp, verdict=judged.verdict, task_id=judged.task_id))
        if isinstance(decision, GroupDecision):
            events.append(
                GroupVerdict(
                    **PRODUCER.stamp(RUN, group_id=decision.group_id),
                    verdict="sealed" if decision.sealed else "rejected",
                    reason=decision.reason,
                    task_id=decision.task_id,
                    group_partition=0,
                    logical_time=at(0),
                    offsets={},
                    numbers=decision.numbers,
                )
            )
    return events


class Fold:
    """One partition, driven by hand: every event takes one offset and one second of append time."""

    def __init__(self, config=CONFIG):
        self.ledger = Ledger()
        self.assembly = Assembly(config, self.ledger)
        self.offset = 0

    def read(self, *events, append_time=None):
        for event in events:
            for batch in batches([event]):
                self.assembly.read(self.offset, append_time or at(self.offset), batch)
                self.offset += 1

    def learn(self, *events):
        for event in events:
            self.ledger.learn(event)
        self.assembly.settle()

    def decide(self, now=None):
        decisions = list(self.assembly.decide(now))
        self.learn(*verdict_events(decisions))
        assert list(self.assembly.decide(now)) == [], "a decision that was learned is not made again"
        return decisions

    def group(self, now=None):
        """The one group decision that holds."""
        (decision,) = [d for d in self.decide(now) if isinstance(d, GroupDecision)]
        return decision


def ints(buffer):
    return list(array("i", buffer))


def verdicts(decision):
    return {judged.episode_id: judged.verdict for judged in decision.episodes}


def published(version):
    return PolicyPublished(
        **PRODUCER.stamp(RUN), epoch=0, policy_version=version, step=version, uri="/a", sha256="0" * 64, link="file"
    )


def test_a_full_group_is_sealed_at_once_with_the_first_to_finish():
    fold = Fold()
    fold.read(*episode("g", "a", reward=1.0), *episode("g", "b", reward=0.0, outcome="failed"))
    assert fold.decide() == []
    fold.read(*episode("g", "c", reward=0.5, outcome="failed"), *episode("g", "d"))
    decision = fold.group()
    assert decision.reason == "full"
    assert [member.episode_id for member in decision.members] == ["a", "b", "c"]
    assert verdicts(decision) == {"a": "sealed", "b": "sealed", "c": "sealed", "d": "surplus"}
    assert decision.numbers["reward_mean"] == 0.5
    assert decision.numbers["finished"] == 4
    assert decision.numbers["members"] == 3
    assert decision.task_id == "t"


def test_a_group_is_full_at_the_size_that_its_episodes_say():
    fold = Fold()  # the settings say 3
    fold.read(*episode("g", "a", reward=1.0, size=2, fits=True))
    assert fold.decide() == []
    fold.read(*episode("g", "b", reward=0.0, size=2, fits=False), *episode("g", "c", size=2))
    decision = fold.group()
    assert (decision.reason, decision.numbers["group_size"]) == ("full", 2)
    assert verdicts(decision) == {"a": "sealed", "b": "sealed", "c": "surplus"}
    assert [judged.debugger_fits for judged in decision.episodes] == [True, False, None]


def test_members_are_taken_in_the_order_of_their_last_events():
    fold = Fold()
    slow, quick = episode("g", "slow", reward=0.1), episode("g", "quick", reward=0.2)
    fold.read(*slow[:-1], *quick, *episode("g", "third", reward=0.3), slow[-1])
    assert [member.episode_id for member in fold.group().members] == ["quick", "third", "slow"]


def test_a_partial_group_is_sealed_after_the_timeout():
    fold = Fold()
    first = episode("g", "a", reward=0.0)
    fold.read(*first, *episode("g", "b"))
    finish_time = len(first) - 1
    assert fold.decide(at(finish_time + 599)) == []
    decision = fold.group(at(finish_time + 600))
    assert decision.reason == "timeout"
    assert decision.numbers["members"] == 2
    assert verdicts(decision) == {"a": "sealed", "b": "sealed"}


def test_too_few_at_the_timeout_are_rejected():
    fold = Fold()
    fold.read(*episode("g", "a"), *episode("g", "b")[:-1])
    decision = fold.group(at(10_000))
    assert (decision.reason, decision.sealed) == ("too_few", False)
    assert verdicts(decision) == {"a": "rejected"}


def test_a_silent_group_without_any_finished_episode_expires():
    fold = Fold()
    fold.read(*episode("g", "a")[:-1])
    last = fold.offset - 1
    assert fold.decide(at(last + 599)) == []
    decision = fold.group(at(last + 600))
    assert (decision.reason, decision.episodes) == ("expired", ())


def test_no_group_is_open_for_longer_than_the_limit_though_its_episodes_go_on():
    """A restart never has to read further back."""
    config = msgspec.structs.replace(
        CONFIG, group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=600, open_limit_s=1800)
    )
    fold = Fold(config)
    slow = episode("g", "a", versions=(0,) * 4)
    for index, event in enumerate(slow[:-1]):
        fold.read(event, append_time=at(300 * index))
        assert fold.decide(at(min(300 * index, 1799))) == []
    decision = fold.group(at(1800))
    assert (decision.reason, decision.sealed) == ("expired", False)
    assert fold.assembly.low_water() is None
    assert fold.assembly.num_bytes == 0


def test_the_limit_seals_what_is_there():
    config = msgspec.structs.replace(
        CONFIG, group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=600, open_limit_s=700)
    )
    fold = Fold(config)
    fold.read(*episode("g", "x")[:1], append_time=at(0))
    fold.read(*episode("g", "a", reward=0.0), *episode("g", "b"), append_time=at(500))
    assert fold.decide(at(699)) == []
    assert fold.group(at(700)).reason == "timeout"


def test_stray_events_of_a_group_whose_verdict_is_forgotten_get_none():
    fold = Fold()
    events = [e for i, name in enumerate("abc") for e in episode("g", name, reward=i)]
    late = episode("g", "late")
    fold.read(*late[:1], *events)
    for event in verdict_events(fold.decide()):
        fold.ledger.learn(event, at(0))
    again = Fold()
    for event in verdict_events([EpisodeDecision("g", "a", "sealed", "t", None, None)]):
        again.ledger.learn(event, at(0))
    again.ledger.forget(at(1))
    assert again.ledger.forgot
    assert again.ledger.episodes == set()
    again.read(*late[1:], append_time=at(5))
    assert again.decide(at(100_000)) == []
    again.assembly.abandon(at(600))
    assert again.assembly.low_water() == 0
    again.assembly.abandon(at(605))
    assert again.assembly.low_water() is None
    assert again.assembly.num_bytes == 0


def test_the_ledger_forgets_in_the_order_of_append_times():
    ledger = Ledger()
    groups = [GroupDecision(f"g{n}", "t", "expired", (), (), {}) for n in range(4)]
    for second, event in enumerate(verdict_events(groups)):
        ledger.learn(event, at(second))
    ledger.forget(at(2))
    assert list(ledger.closed) == ["g2", "g3"]


def test_what_is_held_is_counted_until_it_is_let_go():
    fold = Fold()
    a, b, c = (episode("g", name, reward=i, versions=(0, 0)) for i, name in enumerate("abc"))
    turn = FACT_BYTES + 4 * (3 + 2 + 2)  # prompt, tokens, logprobs
    fold.read(*a[:2])
    assert fold.assembly.num_bytes == TRAJECTORY_BYTES + turn
    fold.read(c[4])  # a turn that waits for those before it
    assert fold.assembly.num_bytes == 2 * (TRAJECTORY_BYTES + turn)
    fold.read(*a[2:], *b, *c[:4])
    assert fold.assembly.num_bytes == 3 * (TRAJECTORY_BYTES + 2 * turn)
    fold.read(generation("g", "d", 1, 0, [1], [2], [3]), started("g", "d"))
    assert fold.assembly.num_bytes == 4 * TRAJECTORY_BYTES + 6 * turn  # broken: nothing of it is kept
    fold.decide()
    assert fold.assembly.num_bytes == 3 * (TRAJECTORY_BYTES + 2 * turn)
    fold.read(*c[5:])
    assert fold.group().sealed
    assert fold.assembly.num_bytes == 0


def test_equal_rewards_are_rejected_as_zero_variance():
    fold = Fold()
    fold.read(*[e for name in "abc" for e in episode("g", name, reward=-1.0, outcome="failed")])
    decision = fold.group()
    assert (decision.reason, decision.sealed) == ("zero_variance", False)
    assert set(verdicts(decision).values()) == {"rejected"}
    assert decision.numbers["reward_std"] == 0.0


def test_a_member_whose_every_turn_is_stale_is_excluded():
    fold = Fold()
    fold.learn(published(4))
    fold.read(
        *episode("g", "old", versions=(2, 2), reward=0.0),
        *episode("g", "mixed", versions=(2, 3), reward=1.0),
        *episode("g", "new", versions=(4,), reward=0.5),
    )
    decision = fold.group()
    assert decision.reason == "full"
    assert verdicts(decision) == {"old": "stale", "mixed": "sealed", "new": "sealed"}
    assert [member.episode_id for member in decision.members] == ["mixed", "new"]
    assert decision.numbers["num_masked_turns"] == 3  # of them one in "mixed", which the learner masks
    assert decision.numbers["reward_mean"] == 0.75  # over the sealed members
    assert decision.numbers["oldest_version"] == 2


def test_a_generation_that_several_versions_sampled_is_as_old_as_its_oldest_token():
    fold = Fold()
    fold.learn(published(4))
    for name, runs in (("old", ((4, 1), (2, 1))), ("fresh", ((3, 1), (4, 1))), ("new", ((4, 2),))):
        events = episode("g", name, reward=float(name == "new"))
        runs = tuple(VersionRun(version, num_tokens) for version, num_tokens in runs)
        fold.read(events[0], msgspec.structs.replace(events[1], policy_versions=runs), *events[2:])
    decision = fold.group()
    assert verdicts(decision) == {"old": "stale", "fresh": "sealed", "new": "sealed"}
    (chain,) = decision.members[0].chains
    assert chain.packed(0).turns[0].policy_versions == (VersionRun(3, 1), VersionRun(4, 1))  # what the learner sees


def test_too_few_fresh_members_reject_the_group_as_stale():
    fold = Fold()
    fold.learn(published(2))
    fold.read(*[e for name, v in [("a", 0), ("b", 0), ("c", 1)] for e in episode("g", name, versions=(v,))])
    decision = fold.group()
    assert (decision.reason, decision.sealed) == ("stale", False)
    assert verdicts(decision) == {"a": "stale", "b": "stale", "c": "rejected"}


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


def test_a_group_of_which_only_abandoned_episodes_are_read_again_expires_like_any_other():
    fold = Fold()
    stamp = PRODUCER.stamp(RUN, group_id="g", episode_id="e")
    fold.learn(EpisodeVerdict(**stamp, verdict="abandoned", task_id="t", epoch=0))
    fold.read(*episode("g", "e", size=2)[:-1])
    decision = fold.group(at(3600))
    assert decision.numbers["group_size"] == 2
    assert (decision.group_id, decision.task_id, decision.reason, decision.episodes) == ("g", "t", "expired", ())


def test_an_abandoned_episode_is_no_member_though_it_finishes():
    fold = Fold()
    woken = episode("g", "woken")
    fold.read(*woken[:2])
    stamp = PRODUCER.stamp(RUN, group_id="g", episode_id="woken")
    fold.learn(EpisodeVerdict(**stamp, verdict="abandoned", task_id="t", epoch=0))
    fold.read(*woken[2:], *[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)])
    assert verdicts(fold.group()) == {"a": "sealed", "b": "sealed", "c": "sealed"}


def test_nothing_times_out_while_records_wait_unread():
    """An assembler that was down while members kept finishing reads them all before time runs."""
    fold, clock = Fold(), FoldClock()
    for index, name in enumerate("abc"):  # a member every ten minutes: each would have timed out the one before
        events = episode("g", name, reward=index)
        fold.read(*events, append_time=at(600 * index))
        clock.read(at(600 * index), monotonic_s=1.0)
        assert clock.now(monotonic_s=5000.0) is None
        if index < 2:
            assert fold.decide(clock.now(monotonic_s=5000.0)) == []
    assert fold.group(clock.now(monotonic_s=5000.0)).reason == "full"


def test_downtime_does_not_count_after_catching_up():
    """Ten minutes after the newest record, a group that had waited five minutes still has its other five."""
    fold, clock = Fold(), FoldClock()
    fold.read(*episode("g", "a"), append_time=at(0))
    fold.read(*episode("h", "x")[:2], append_time=at(300))
    for seconds in (0, 300):
        clock.read(at(seconds), monotonic_s=0.0)
    clock.caught_up(monotonic_s=50.0)
    assert clock.now(monotonic_s=50.0) == at(300)
    assert fold.decide(clock.now(monotonic_s=50.0 + 299)) == []
    assert fold.group(clock.now(monotonic_s=50.0 + 300)).group_id == "g"


def test_a_restart_makes_no_verdict_twice():
    fold = Fold()
    open_group = episode("h", "x")
    events = [*open_group[:2], *[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)]]
    late = episode("g", "d")
    fold.read(*events, *late[:1])
    done = verdict_events(fold.decide())
    assert fold.assembly.low_water() == 0  # of the open group "h"
    fold.read(*late[1:])
    done += verdict_events(fold.decide())
    again = Fold()
    again.learn(*done)
    again.read(*events, *late)
    assert again.decide() == []
    again.read(*open_group[2:])
    assert again.decide() == []
    assert again.group(at(10_000)).group_id == "h"


def test_low_water_is_the_first_offset_of_the_oldest_open_group():
    fold = Fold()
    assert fold.assembly.low_water() is None
    fold.read(*[e for i, name in enumerate("abc") for e in episode("g", name, reward=i)])
    fold.read(*episode("h", "x")[:1])
    assert fold.assembly.low_water() == 0
    assert fold.assembly.low_water(closing={"g"}) == fold.offset - 1
    fold.decide()
    assert fold.assembly.low_water() == fold.offset - 1


def test_the_clock_never_goes_back():
    clock = FoldClock()
    clock.caught_up(monotonic_s=0.0)
    assert clock.now(monotonic_s=9.0) is None  # nothing read: nothing to time
    clock.read(at(10), monotonic_s=1.0)
    clock.caught_up(monotonic_s=1.0)
    assert clock.now(monotonic_s=5.0) == at(14)
    clock.read(at(12), monotonic_s=5.0)
    assert clock.now(monotonic_s=5.0) == at(14)
    clock.read(at(20), monotonic_s=6.0)
    assert clock.now(monotonic_s=7.0) == at(21)
    assert clock.newest == at(20)


def test_min_group_size_counts_members_not_events():
    config = msgspec.structs.replace(CONFIG, group=GroupConfig(group_size=2, min_group_size=1, seal_timeout_s=1))
    fold = Fold(config)
    fold.read(*episode("g", "a"))
    decision = fold.group(at(1000))
    assert (decision.reason, decision.sealed) == ("zero_variance", False)  # one member has no spread


def test_the_end_that_completes_an_episode_is_the_one_that_counts():
    fold = Fold()
    *before, end = episode("g", "a", reward=1.0)
    fold.read(end, finished("g", "a", end.seq + 2, reward=0.0), *before, *episode("g", "b", reward=0.0))
    fold.read(*episode("g", "c", reward=0.0))
    assert [(e.episode_id, e.reward) for e in fold.group().episodes] == [("a", 1.0), ("b", 0.0), ("c", 0.0)]
