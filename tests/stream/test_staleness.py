import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.schemas.generation import VersionRun
from trajlog.stream.staleness import judge_staleness, oldest_version


def judge(members, version=9, limit=4, least=2):
    return judge_staleness(members, version, max_off_policy_steps=limit, min_group_size=least)


def test_a_turn_is_as_old_as_its_oldest_token():
    assert oldest_version([VersionRun(7, 3), VersionRun(5, 1), VersionRun(8, 2)]) == 5
    assert oldest_version([VersionRun(7, 3), VersionRun(1, 0)]) == 7


def test_turns_past_the_limit_are_masked_and_the_limit_itself_is_not():
    verdict = judge([{0: 4, 1: 5}, {0: 9}])
    assert verdict.masked == {(0, 0)}
    assert verdict.excluded == ()
    assert not verdict.rejected
    assert verdict.off_policy_steps == ((4,), (0,))


def test_a_member_without_an_unmasked_turn_is_excluded():
    verdict = judge([{0: 9}, {0: 8}, {0: 1, 1: 2}, {}])
    assert verdict.excluded == (2, 3)
    assert not verdict.rejected


def test_a_group_with_too_few_members_left_is_rejected():
    assert judge([{0: 9}, {0: 1}, {0: 2}]).rejected
    assert not judge([{0: 9}, {0: 9}, {0: 2}]).rejected


def test_queue_time_counts():
    group = [{0: 5}, {0: 5}]
    assert not judge(group, version=9).rejected
    assert judge(group, version=10).rejected


@given(
    st.lists(st.dictionaries(st.integers(0, 5), st.integers(0, 20)), min_size=1, max_size=6),
    st.integers(0, 20),
    st.integers(0, 6),
)
def test_waiting_never_freshens(members, version, limit):
    now, later = judge(members, version, limit), judge(members, version + 1, limit)
    assert now.masked <= later.masked
    assert set(now.excluded) <= set(later.excluded)
    assert later.rejected or not now.rejected
    turns = sum(len(turns) for turns in members)
    kept = [steps for member in now.off_policy_steps for steps in member]
    assert len(now.masked) + len(kept) == turns
    assert all(steps <= limit for steps in kept)


def test_a_turn_without_tokens_has_no_version():
    with pytest.raises(ValueError, match="empty"):
        oldest_version([])
