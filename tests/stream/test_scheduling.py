"""The scheduler's decisions, by value: groups of 3, two groups a step."""

from collections import Counter
from itertools import count

import msgspec
import pytest

from tests.stream.scheduling_fold import CONFIG, PRODUCER, Fold, closed, judged, per_group, trained
from tests.stream.stream_events import RUN
from trajlog.config import GroupConfig, SchedulerConfig, StalenessConfig
from trajlog.schemas import (
    EpisodeAssigned,
    Heartbeat,
    LearnerStarted,
)
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.scheduling import Assign, Scheduling


def test_free_slots_are_filled_group_by_group():
    fold = Fold()
    fold.heartbeat("w1/a", 2)
    fold.heartbeat("w2/b", 3)
    decisions = fold.decide()
    assert list(per_group(decisions).values()) == [3, 2]
    assert Counter(d.worker for d in decisions) == {"w1/a": 2, "w2/b": 3}
    assert [d.attempt for d in decisions] == [0, 1, 2, 0, 1]
    assert fold.decide() == []
    fold.heartbeat("w2/b", 4)
    (third,) = fold.decide()
    assert (third.group_id, third.attempt) == (decisions[-1].group_id, 2)


def test_the_group_that_lacks_fewest_gets_the_next_slot():
    fold = Fold()
    fold.heartbeat("w/a", 6)
    decisions = fold.decide()
    first, second = per_group(decisions)
    lost = [decisions[0], decisions[1], decisions[3]]  # two of the first group, one of the second
    fold.control(*[judged(d.group_id, d.episode_id, "error") for d in lost])
    fold.heartbeat("w/a", 4, running=[d.episode_id for d in decisions if d not in lost])
    assert [(d.group_id, d.attempt) for d in fold.decide()] == [(second, 3)]
    fold.heartbeat("w/a", 7, running=[d.episode_id for d in decisions if d not in lost])
    assert [d.group_id for d in fold.decide()][:2] == [first, first]


@pytest.mark.parametrize("how", ["error", "overlong", "reported"])
def test_an_episode_that_cannot_be_a_member_is_replaced_while_its_group_is_open(how):
    fold = Fold()
    fold.heartbeat("w/a", 3)
    decisions = fold.decide()
    bad, *others = decisions
    running = [d.episode_id for d in others]
    fold.heartbeat("w/a", 3, running=running, finished=[(bad.episode_id, "error" if how == "reported" else "solved")])
    if how == "reported":  # and then the assembler's verdict, which must not count twice
        fold.control(judged(bad.group_id, bad.episode_id, "error", "error"))
    else:
        fold.control(judged(bad.group_id, bad.episode_id, how))
    assert [(d.group_id, d.attempt) for d in fold.decide()] == [(bad.group_id, 3)]


def test_a_closed_group_is_not_filled_though_its_verdict_crossed_an_assignment():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    first = fold.decide()[0]
    fold.control(closed(first.group_id))
    fold.control(Fold.event(Assign(first.group_id, "crossed", "w/a", "t", 2, 3, 1, 0.5)))
    fold.heartbeat("w/a", 10, running=["crossed"])
    assert first.group_id not in per_group(fold.decide())


def test_a_group_whose_every_episode_fails_is_given_up():
    fold = Fold(msgspec.structs.replace(CONFIG, scheduler=SchedulerConfig(lease_s=60, max_open_groups=1)))
    attempts = 0
    fold.heartbeat("w/a", 1)
    while decisions := fold.decide():
        (decision,) = decisions
        attempts += 1
        fold.control(judged(decision.group_id, decision.episode_id, "error", "error"))
    assert attempts == 9  # three per wanted member


def test_an_assignment_that_is_in_the_log_twice_counts_once():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (decision,) = fold.decide()
    assigned = [event for _, event in fold.read if isinstance(event, EpisodeAssigned)]
    before = fold.fold.num_assigned
    fold.control(*assigned)
    fold.control(judged(decision.group_id, decision.episode_id, "sealed", "solved"))
    fold.control(*assigned, seconds=1)
    assert fold.fold.num_assigned == before
    assert fold.decide(1000) == []  # no lease of it can end


def test_ids_of_assignments_are_kept_for_an_hour_or_two_and_not_for_the_whole_run():
    fold, made = Fold(), []
    for minute in range(600):
        seconds = 60 * minute
        fold.heartbeat("w/a", 1, seconds=seconds)
        (decision,) = fold.decide(seconds)
        made.append(fold.read[-1][1])
        fold.control(judged(decision.group_id, decision.episode_id, "sealed", "solved"), seconds=seconds)
        fold.control(closed(decision.group_id, "rejected"), *made[-60:], seconds=seconds)
        assert fold.fold.num_assigned == minute + 1
    assert len(fold.fold._assigned_ids) + len(fold.fold._assigned_before) <= 125


def test_no_group_is_opened_between_high_and_low_water_but_open_ones_are_completed():
    fold = Fold()
    fold.heartbeat("w/a", 9)
    decisions = fold.decide()
    groups = list(per_group(decisions))
    fold.heartbeat("w/a", 1, finished=[(d.episode_id, "solved") for d in decisions])
    (extra,) = fold.decide()  # a fourth group, one member
    fold.control(*[closed(name) for name in groups])
    assert fold.fold.paused
    fold.heartbeat("w/a", 9, running=[extra.episode_id])
    assert per_group(fold.decide()) == {extra.group_id: 2}
    fold.control(trained(1, groups[0]))
    assert fold.fold.paused
    assert fold.decide() == []
    fold.control(trained(2, rejected=[groups[1]]))
    assert not fold.fold.paused
    assert len(fold.decide()) == 6


def test_groups_of_a_step_that_a_restored_learner_lost_wait_again():
    fold = Fold()
    names = ["g1", "g2", "g3"]
    fold.control(*[closed(name) for name in names])
    fold.control(trained(1, "g1"), trained(2, "g2"))
    assert not fold.fold.paused
    fold.control(LearnerStarted(**PRODUCER.stamp(RUN), epoch=1, step=0))
    assert fold.fold.paused
    fold.control(trained(1, "g1", "g2"))
    assert not fold.fold.paused


def test_max_open_groups_and_max_episodes_bound_what_is_opened():
    fold = Fold()
    fold.heartbeat("w/a", 100)
    assert len(per_group(fold.decide())) == 4
    limited = msgspec.structs.replace(CONFIG, scheduler=SchedulerConfig(lease_s=60, max_episodes=4))
    fold = Fold(limited)
    fold.heartbeat("w/a", 100)
    assert list(per_group(fold.decide()).values()) == [3, 3]  # the group that the fourth episode opened is completed


def test_the_last_assignment_of_max_episodes_opens_no_group_beside_it():
    fold = Fold(msgspec.structs.replace(CONFIG, scheduler=SchedulerConfig(lease_s=60, max_episodes=3)))
    fold.heartbeat("w/a", 2)
    assert len(fold.decide()) == 2
    fold.heartbeat("w/a", 4)
    assert len(fold.decide()) == 1


def test_wait_opens_no_more_groups_than_max_off_policy_steps_allows_and_completes_those():
    """A step trains two groups; with max_off_policy_steps 1 no more than four may be open or wait."""
    waiting = msgspec.structs.replace(
        CONFIG,
        staleness=StalenessConfig(max_off_policy_steps=1, off_policy_strategy="wait"),
        scheduler=SchedulerConfig(lease_s=60, high_water_groups=50, low_water_groups=1, max_open_groups=50),
    )
    fold = Fold(waiting)
    fold.heartbeat("w/a", 100)
    decisions = fold.decide()
    assert list(per_group(decisions).values()) == [3, 3, 3, 3]
    first, second = list(per_group(decisions))[:2]
    fold.control(*[judged(d.group_id, d.episode_id, "sealed", "solved") for d in decisions[:6]])
    fold.control(closed(first), closed(second))
    fold.heartbeat("w/a", 100, running=[d.episode_id for d in decisions[6:]])
    assert fold.decide() == []  # a fifth group would wait for two steps
    fold.control(judged(decisions[6].group_id, decisions[6].episode_id, "error", "error"))
    fold.heartbeat("w/a", 100, running=[d.episode_id for d in decisions[7:]])
    assert per_group(fold.decide()) == {decisions[6].group_id: 1}


def ranged(**changes):
    return msgspec.structs.replace(CONFIG, group=GroupConfig(group_size=4, min_group_size=2, hardware="cpu"), **changes)


def test_a_group_gets_as_many_members_as_its_tasks_estimate_asks_for_and_keeps_its_size():
    fold = Fold(ranged())
    fold.heartbeat("w/a", 2)
    assert [(d.group_size, d.success_estimate, d.curriculum_phase) for d in fold.decide()] == [(4, 0.5, 1)] * 2
    fold.heartbeat("w/a", 5)
    sizes = [(d.group_size, d.attempt) for d in fold.decide()]
    assert sizes == [(4, 2), (4, 3), (4, 0)]


def test_a_group_is_filled_to_the_size_in_the_log_whatever_the_estimate_says_now():
    fold = Fold(ranged())
    fold.control(Fold.event(Assign("g", "e", "w/a", "t", 0, 2, 1, 0.5)))
    fold.heartbeat("w/a", 6, running=["e"])
    assert per_group(fold.decide())["g"] == 1
    old = Fold()  # written before groups had sizes of their own: group_size of the settings
    old.control(msgspec.structs.replace(Fold.event(Assign("g", "e", "w/a", "t", 0, 2, 1, 0.5)), group_size=None))
    old.heartbeat("w/a", 6, running=["e"])
    assert per_group(old.decide())["g"] == 2


def test_the_curriculum_learns_from_verdicts_and_advances_by_debugger_use():
    tasks = [CurriculumTask("r", debugger="recommended"), CurriculumTask("a", debugger="avoid")]
    fold = Fold()
    fold.fold = Scheduling(CONFIG, tasks)
    for number in range(240):
        event = judged("g", f"e{number}", "sealed", "solved")
        fold.control(Fold.event(Assign("g", f"e{number}", "w/a", "r", number, 300, 1, 0.5)))
        fold.control(msgspec.structs.replace(event, task_id="r", debugger_fits=number % 2 == 0))
        assert fold.fold.curriculum.phase == (1 if number < 239 else 2)
    assert fold.fold.curriculum.success("r") == 49 / 50


def test_a_restart_that_reads_the_same_log_decides_the_same():
    fold = Fold(tasks=("t", "u", "v"))
    for number in range(30):  # estimates, level and the places of tasks come back, too
        fold.control(Fold.event(Assign("g", f"e{number}", "w/a", "u", number, 30, 1, 0.5)))
        fold.control(msgspec.structs.replace(judged("g", f"e{number}", "sealed", "solved"), task_id="u"))
    fold.control(closed("g"))
    assert fold.fold.curriculum.success("u") == 31 / 32
    fold.heartbeat("w/a", 5)
    first = fold.decide()
    fold.control(judged(first[0].group_id, first[0].episode_id, "error", "error"))
    fold.control(closed(first[0].group_id))
    fold.heartbeat("w/a", 9, running=[d.episode_id for d in first[3:]], seconds=5)
    again = Fold(tasks=("t", "u", "v"))
    for kinds in (False, True):  # .control first, then .liveness
        for append_time, event in fold.read[1:]:
            if isinstance(event, Heartbeat) == kinds:
                (again.fold.liveness if kinds else again.fold.control)(append_time, event)
    again.ids, fold.ids = count(100), count(100)
    decisions = fold.decide(6)
    assert decisions
    assert again.decide(6) == decisions
    assert again.fold.curriculum.success("u") == 31 / 32
    assert again.fold.paused == fold.fold.paused
