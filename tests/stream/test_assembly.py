"""When a group is closed and what becomes of it, by value."""

import msgspec

from tests.stream.assembly_fold import CONFIG, Fold, published, verdicts
from tests.stream.stream_events import at, episode
from trajlog.config import GroupConfig
from trajlog.schemas import VersionRun


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


def test_min_group_size_counts_members_not_events():
    config = msgspec.structs.replace(CONFIG, group=GroupConfig(group_size=2, min_group_size=1, seal_timeout_s=1))
    fold = Fold(config)
    fold.read(*episode("g", "a"))
    decision = fold.group(at(1000))
    assert (decision.reason, decision.sealed) == ("zero_variance", False)  # one member has no spread
