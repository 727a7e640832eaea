"""What the reward promises, over random episodes of real events."""

import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.harness.episodes import episodes, made
from trajlog.harness.rewards import COMPONENTS, RewardConfig
from trajlog.producers.facts import FactsMissing, call_records, episode_facts, episode_reward, tool_usage
from trajlog.schemas import EpisodeFinished, decode, encode

CONFIG = RewardConfig()
PROCESS = ("inspected_before_edit", "debugger_fits", "localized", "changed_code")
READ = {"name": "read_file", "arguments": {"path": "a.py"}}
EDIT = {"name": "edit_file", "changed_code": True}
TEST = {"name": "run_tests", "content": "1 failed"}


@st.composite
def weights(draw):
    """Any weights that are accepted."""
    credit = st.floats(0, 3)
    penalty = st.floats(-3, 0)
    turn_cap, failing, cap = draw(penalty), draw(penalty), draw(credit)
    return RewardConfig(
        solved=draw(credit),
        failing_tests=failing,
        turn_cap=turn_cap,
        guard_exit=turn_cap + draw(penalty),
        progress_relief=draw(st.floats(0, 0.5)),
        turn_cost=draw(penalty),
        max_cost=draw(credit),
        failed_process_cap=cap,
        solved_floor=failing + cap + draw(st.floats(0.01, 3)),
        **{name: draw(credit) for name in PROCESS},
    )


def value(events, config=CONFIG):
    return episode_reward(events, config)[0]


@given(episodes(), weights())
def test_the_components_sum_to_the_reward_and_have_known_names(events, config):
    total, components = episode_reward(events, config)
    assert total == math.fsum(components.values())
    assert set(components) <= set(COMPONENTS)
    assert all(components.values())


@given(st.data(), weights())
def test_a_guards_stop_never_out_scores_the_turn_cap_with_as_much_progress(data, config):
    stopped = data.draw(episodes(ending="guard", solved=False))
    facts = episode_facts(stopped)
    same_task = dict(total=facts.tests_total, before=facts.tests_passed_before, limit=facts.turn_limit)
    passed = data.draw(st.integers(facts.tests_passed, facts.tests_total - 1))
    other = data.draw(episodes([TEST], ending="turn_cap", solved=False, passed=passed, **same_task))
    assert episode_facts(other).progress >= facts.progress
    assert tool_usage(other)["run_tests"] >= 1
    assert value(stopped, config) <= value(other, config) + 1e-12


@given(episodes(solved=False), weights())
def test_process_credit_on_failures_stays_under_its_cap(events, config):
    _, components = episode_reward(events, config)
    kept = math.fsum(components.get(name, 0.0) for name in (*PROCESS, "process_cap"))
    ceiling = 0.0 if episode_facts(events).ending == "guard" else config.failed_process_cap
    assert -1e-12 <= kept <= ceiling + 1e-12


@given(episodes(changed=False), weights())
def test_an_edit_that_changes_nothing_earns_nothing(events, config):
    _, components = episode_reward(events, config)
    assert not set(components) & {*PROCESS, "process_cap"}


@given(episodes(solved=True), episodes(solved=False), weights())
def test_a_solved_episode_reaches_its_floor_and_no_failure_does(solved, failed, config):
    assert value(solved, config) >= config.solved_floor - 1e-9
    assert value(failed, config) < config.solved_floor


@given(episodes(), weights(), st.integers(0, 40))
def test_turns_never_pay(events, config, more):
    *others, finished = events
    turns = min(episode_facts(events).turn_limit, finished.num_turns + more)
    longer = [*others, msgspec.structs.replace(finished, num_turns=turns)]
    assert value(longer, config) <= value(events, config) + 1e-12


@given(episodes(), weights())
def test_events_read_back_from_the_log_give_the_same_reward(events, config):
    stored = [event for record in encode(events) for event in decode(record.headers, record.value).events()]
    assert episode_reward(stored, config) == episode_reward(events, config)


def test_a_guarded_failure_keeps_no_process_credit():
    worked = dict(calls=[READ, EDIT, TEST], changed=True, localized=True)
    total, components = episode_reward(made(**worked, ending="guard"), CONFIG)
    assert total == pytest.approx(-1.0 - 0.5 - 0.28)
    assert components["process_cap"] == pytest.approx(-0.5)
    assert value(made(ending="turn_cap", calls=[TEST])) == pytest.approx(-1.0 - 0.5 - 0.28)


def test_a_failure_that_looked_first_and_edited_the_right_file():
    events = made([READ, EDIT, TEST], changed=True, localized=True, limit=10)
    total, components = episode_reward(events, CONFIG)
    assert components == pytest.approx(
        {
            "tests": -1.0,
            "inspected_before_edit": 0.2,
            "debugger_fits": 0.15,
            "localized": 0.1,
            "changed_code": 0.05,
            "process_cap": -0.35,
            "turn_cost": -0.2 * 1.4 * 0.3,
        }
    )
    assert total == pytest.approx(-1.0 + 0.15 - 0.084)


def test_a_call_that_was_not_run_is_no_inspection():
    skipped = READ | {"changed_code": None, "is_error": True}
    assert not episode_facts(made([skipped, EDIT], changed=True)).inspected_before_edit
    assert episode_facts(made([READ, EDIT], changed=True)).inspected_before_edit
    refused = READ | {"format_error": True, "is_error": True}
    assert not episode_facts(made([refused, EDIT], changed=True)).inspected_before_edit


def test_no_credit_for_the_debugger_where_none_was_offered():
    for label in ("recommended", "optional", "avoid"):
        facts = episode_facts(made([EDIT], changed=True, label=label, arm="withheld"))
        assert not facts.debugger_fits
    assert episode_facts(made([EDIT], changed=True, label="avoid", arm="offered")).debugger_fits


@pytest.mark.parametrize(
    ("label", "unused", "started", "looked"),
    [("recommended", False, False, True), ("optional", True, False, True), ("avoid", True, False, False)],
)
def test_the_debugger_fits_by_the_label_of_the_task(label, unused, started, looked):
    start = {"name": "start_debugger", "debugger_state": "ready"}
    stop = {"name": "continue_execution", "debugger_state": "stopped"}
    for calls, fits in (([READ], unused), ([start], started), ([start, stop], looked)):
        assert episode_facts(made(calls, label=label)).debugger_fits == fits


def test_an_inspection_must_come_before_the_edit():
    look = {"name": "examine_locals", "debugger_state": "stopped"}
    for calls, expected in (
        ([READ, EDIT], True),
        ([EDIT, READ], False),
        ([READ], False),
        ([look, EDIT], True),
        ([TEST, EDIT], False),
        ([{"name": "bash"}, EDIT], True),
        ([{"name": "bash", "changed_code": True}], False),
    ):
        assert episode_facts(made(calls)).inspected_before_edit == expected, calls


def test_usage_counts_calls_that_ran():
    refused = READ | {"format_error": True}
    skipped = TEST | {"changed_code": None}
    assert tool_usage(made([READ, READ, refused, EDIT, skipped])) == {"read_file": 2, "edit_file": 1}
    assert [call.name for call in call_records(made([READ, skipped]))] == ["read_file"]


def replaced(events, **changes):
    return [*events[:-1], msgspec.structs.replace(events[-1], **changes)]


def test_episodes_without_the_facts_are_named_by_what_they_lack():
    events = made([READ])
    for given_events, why in (
        (events[:-1], "unfinished"),
        (events[1:], "unfinished"),
        (replaced(events, ending=None), "old_schema"),
        (replaced(events, tests_passed_before=None), "old_schema"),
        (replaced(events, outcome="error", reward=None), "error"),
    ):
        with pytest.raises(FactsMissing, match=why):
            episode_facts(given_events)
    assert isinstance(events[-1], EpisodeFinished)
