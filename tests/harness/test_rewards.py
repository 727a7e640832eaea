import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.harness.rewards import EpisodeFacts, RewardConfig, reward

CONFIG = RewardConfig()


@st.composite
def facts(draw, **fixed):
    total = draw(st.integers(1, 12))
    limit = draw(st.integers(1, 60))
    values = {
        "ending": draw(st.sampled_from(["done", "turn_cap", "context_full", "guard"])),
        "solved": draw(st.booleans()),
        "tests_total": total,
        "tests_passed": draw(st.integers(0, total)),
        "tests_passed_before": draw(st.integers(0, total)),
        "num_turns": draw(st.integers(0, limit)),
        "turn_limit": limit,
    } | {name: draw(st.booleans()) for name in ("changed_code", "inspected_before_edit", "localized", "debugger_fits")}
    return EpisodeFacts(**(values | fixed))


def value(given_facts, **changes):
    return reward(msgspec.structs.replace(given_facts, **changes), CONFIG)[0]


@given(facts())
def test_the_components_sum_to_the_reward(case):
    total, components = reward(case, CONFIG)
    assert total == math.fsum(components.values())
    assert all(math.isfinite(part) and part != 0 for part in components.values())


@given(facts(solved=True), facts(solved=False))
def test_a_solved_episode_out_scores_any_failed_one(solved, failed):
    assert value(solved) >= CONFIG.solved_floor - 1e-9
    assert value(solved) > value(failed)


@given(facts(solved=False))
def test_a_guard_exit_is_never_better_than_the_turn_cap(case):
    guarded = value(case, ending="guard")
    assert guarded <= value(case, ending="turn_cap") + 1e-12
    assert guarded <= value(case, ending="turn_cap", num_turns=case.turn_limit) + 1e-12
    assert guarded < value(case, ending="done")


@given(facts(solved=False), st.integers(0, 60))
def test_a_guard_exit_costs_the_same_however_early_it_comes(case, turns):
    early = value(case, ending="guard", num_turns=min(turns, case.turn_limit))
    assert early == value(case, ending="guard", num_turns=case.turn_limit)


@given(facts(changed_code=False))
def test_without_a_change_of_code_there_is_no_process_credit(case):
    _, components = reward(case, CONFIG)
    assert not set(components) & {"inspected_before_edit", "debugger_fits", "localized", "changed_code"}


@given(facts(solved=False))
def test_a_failure_keeps_at_most_the_capped_process_credit(case):
    ceiling = CONFIG.failing_tests + CONFIG.failed_process_cap
    assert value(case) <= ceiling + 1e-9


@given(facts(solved=False), st.integers(0, 12))
def test_more_passing_tests_never_cost(case, more):
    better = msgspec.structs.replace(case, tests_passed=min(case.tests_total, case.tests_passed + more))
    assert value(better) >= value(case) - 1e-12


@given(facts())
def test_another_turn_never_pays(case):
    if case.num_turns < case.turn_limit:
        assert value(case, num_turns=case.num_turns + 1) <= value(case) + 1e-12


def base(**changes):
    values = dict(
        ending="done",
        solved=False,
        tests_total=4,
        tests_passed=2,
        tests_passed_before=2,
        num_turns=10,
        turn_limit=10,
        changed_code=False,
        inspected_before_edit=False,
        localized=False,
        debugger_fits=False,
    )
    return EpisodeFacts(**(values | changes))


PROCESS = dict(changed_code=True, inspected_before_edit=True, localized=True, debugger_fits=True)


@pytest.mark.parametrize(
    ("case", "expected"),
    [
        (base(), -1.0 - 0.28),
        (base(num_turns=5), -1.0 - 0.14),
        (base(**PROCESS), -1.0 + 0.15 - 0.28),
        (base(changed_code=True), -1.0 + 0.05 - 0.28),
        (base(ending="turn_cap"), -1.0 - 0.5 - 0.28),
        (base(ending="context_full", num_turns=5), -1.0 - 0.5 - 0.14),
        (base(ending="guard", num_turns=2), -1.0 - 0.5 - 0.28),
        (base(ending="turn_cap", tests_passed=3), -1.0 - 0.5 + 0.125 - 0.28),
        (base(ending="turn_cap", tests_passed=1), -1.0 - 0.5 - 0.28),
        (base(solved=True, tests_passed=4, num_turns=5, **PROCESS), 1.0 + 0.5 - 0.14),
        (base(solved=True, tests_passed=4, ending="guard", num_turns=5), 0.5),
        (base(ending="guard", num_turns=2, **PROCESS), -1.0 - 0.5 - 0.28),
    ],
)
def test_rewards_computed_by_hand(case, expected):
    assert reward(case, CONFIG)[0] == pytest.approx(expected, abs=1e-12)


def test_an_infrastructure_error_has_no_reward():
    assert reward(base(ending="error"), CONFIG) == (0.0, {})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"guard_exit": -0.4}, "stalling would pay"),
        ({"progress_relief": 0.6}, "progress_relief"),
        ({"solved_floor": -0.9}, "solved_floor"),
        ({"turn_cost": 0.1}, "turn_cost is 0.1; it is a penalty"),
        ({"failing_tests": 1.0}, "failing_tests is 1.0; it is a penalty"),
        ({"localized": -0.1}, "localized is -0.1; set 0 or more"),
        ({"solved": float("nan")}, "solved is nan; set a finite number"),
    ],
)
def test_settings_that_would_pay_for_failing_are_refused(changes, said):
    with pytest.raises(ValueError, match=said):
        RewardConfig(**changes)


def test_facts_that_contradict_themselves_are_refused():
    with pytest.raises(ValueError, match="tests_passed 5"):
        base(tests_passed=5)
    with pytest.raises(ValueError, match="turn_limit 0"):
        base(turn_limit=0)
