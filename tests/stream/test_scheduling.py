"""The scheduler's decisions, by value: groups of 3, two groups a step, a lease of 60 s."""

from collections import Counter
from itertools import count

import msgspec
import pytest

from tests.stream.stream_events import RUN, at
from trajlog.config import GroupConfig, LearnerConfig, RunConfig, SchedulerConfig, StalenessConfig
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    FinishedEpisode,
    GroupVerdict,
    Heartbeat,
    LearnerStarted,
    Producer,
    RejectedGroup,
    SchedulerStarted,
    TrainStep,
)
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.scheduling import Abandon, Assign, Scheduling

CONFIG = RunConfig(
    run_id=RUN,
    group=GroupConfig(group_size=3, min_group_size=2),
    learner=LearnerConfig(groups_per_step=2),
    scheduler=SchedulerConfig(lease_s=60, high_water_groups=3, low_water_groups=1, max_open_groups=4),
)
PRODUCER = Producer("test")


class Fold:
    """A scheduling fold, its minted ids (x1, x2, ...) and the events it has read, to feed them to another."""

    def __init__(self, config=CONFIG, tasks=("t",)):
        self.fold = Scheduling(config, [CurriculumTask(task) for task in tasks])
        self.ids = count(1)
        self.read = []
        self.control(SchedulerStarted(**PRODUCER.stamp(RUN), epoch=0), seconds=0)

    def control(self, *events, seconds=0):
        for event in events:
            self.read.append((at(seconds), event))
            self.fold.control(at(seconds), event)

    def heartbeat(self, worker, slots, *, seconds=0, running=(), finished=(), leaving=False, role="worker"):
        name, incarnation = worker.split("/")
        event = Heartbeat(
            **Producer(name, incarnation).stamp(RUN),
            role=role,
            num_slots=slots,
            running=tuple(running),
            finished=tuple(FinishedEpisode(name, outcome) for name, outcome in finished),
            leaving=leaving,
        )
        self.read.append((at(seconds), event))
        self.fold.liveness(at(seconds), event)

    def decide(self, seconds=0):
        """Decide and read back, until nothing is left."""
        made = []
        while decisions := self.fold.decide(at(seconds), lambda: f"x{next(self.ids)}"):
            made += decisions
            self.control(*[self.event(decision) for decision in decisions], seconds=seconds)
        return made

    @staticmethod
    def event(decision):
        stamp = PRODUCER.stamp(RUN, group_id=decision.group_id, episode_id=decision.episode_id)
        if isinstance(decision, Abandon):
            return EpisodeVerdict(**stamp, verdict="abandoned", task_id=decision.task_id, epoch=0)
        assert isinstance(decision, Assign)
        return EpisodeAssigned(
            **stamp,
            epoch=0,
            worker=decision.worker,
            task_id=decision.task_id,
            attempt=decision.attempt,
            group_size=decision.group_size,
            curriculum_phase=decision.curriculum_phase,
            success_estimate=decision.success_estimate,
        )


def judged(group, episode, verdict, outcome=None):
    stamp = PRODUCER.stamp(RUN, group_id=group, episode_id=episode)
    return EpisodeVerdict(**stamp, verdict=verdict, task_id="t", outcome=outcome)


def closed(group, verdict="sealed"):
    return GroupVerdict(
        **PRODUCER.stamp(RUN, group_id=group),
        verdict=verdict,
        reason="full" if verdict == "sealed" else "zero_variance",
        task_id="t",
        group_partition=0,
        logical_time=at(0),
        offsets={},
        numbers={},
    )


def trained(step, *groups, rejected=()):
    return TrainStep(
        **PRODUCER.stamp(RUN),
        epoch=0,
        step=step,
        policy_version=step,
        groups_trained=groups,
        groups_rejected=tuple(RejectedGroup(name, "stale") for name in rejected),
        metrics={},
        offsets={},
        batch_sha256="0" * 64,
        duration_s=0.1,
    )


def per_group(decisions):
    return Counter(decision.group_id for decision in decisions)


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


def test_an_engine_gets_no_episodes():
    fold = Fold()
    fold.heartbeat("e/a", 4, role="engine")
    assert fold.decide() == []


def test_a_slot_is_free_when_its_episode_is_reported_finished_or_judged():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    first, second = fold.decide()
    fold.heartbeat("w/a", 2, running=[second.episode_id], finished=[(first.episode_id, "solved")])
    assert len(fold.decide()) == 1
    fold.control(judged(second.group_id, second.episode_id, "error"))
    assert fold.decide() == []  # the worker still runs it, whatever its verdict
    fold.heartbeat("w/a", 2, finished=[(first.episode_id, "solved")])
    assert len(fold.decide()) == 1


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


def test_a_silent_workers_episodes_are_abandoned_after_the_lease_and_assigned_anew():
    fold = Fold()
    fold.heartbeat("w1/a", 2)
    lost = fold.decide()
    fold.heartbeat("w1/a", 2, running=[d.episode_id for d in lost], seconds=30)
    fold.heartbeat("w2/b", 2, seconds=89)
    assert [type(d) for d in fold.decide(89)] == [Assign, Assign]  # one completes the group, one opens another
    decisions = fold.decide(90)
    abandoned = [d for d in decisions if isinstance(d, Abandon)]
    assert [d.episode_id for d in abandoned] == [d.episode_id for d in lost]
    fold.heartbeat("w3/c", 2, seconds=91)
    assert per_group(fold.decide(91)) == {lost[0].group_id: 2}
    fold.heartbeat("w1/a", 2, running=[lost[0].episode_id], seconds=92)  # it wakes: its slot is taken, one is free
    assert [d.worker for d in fold.decide(92)] == ["w1/a"]


def test_an_episode_its_worker_never_took_is_abandoned():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    taken, ignored = fold.decide()
    for seconds in (20, 40, 59):
        fold.heartbeat("w/a", 2, running=[taken.episode_id], seconds=seconds)
    decisions = fold.decide(60)
    assert [d.episode_id for d in decisions if isinstance(d, Abandon)] == [ignored.episode_id]


def test_a_worker_that_lost_an_episode_gets_no_other_until_it_is_heard_of_again():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (lost,) = fold.decide()
    fold.heartbeat("w/a", 1, seconds=1)  # it had not read the assignment yet, and was killed then
    assert fold.decide(60) == [Abandon(lost.group_id, lost.episode_id, "w/a", "t")]
    fold.heartbeat("w/a", 1, seconds=61)
    assert [d.group_id for d in fold.decide(61)] == [lost.group_id]


def test_a_finished_episode_is_not_abandoned_however_long_its_group_stays_open():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (decision,) = fold.decide()
    fold.heartbeat("w/a", 1, finished=[(decision.episode_id, "solved")], leaving=True, seconds=1)
    assert fold.decide(10_000) == []


def test_an_episode_whose_end_cannot_be_read_is_abandoned_a_lease_after_its_group_closed():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    (decision,) = fold.decide()
    fold.heartbeat("w/a", 1, finished=[(decision.episode_id, "solved")], leaving=True, seconds=1)
    fold.control(closed(decision.group_id, "rejected"), seconds=500)
    assert fold.decide(559) == []
    assert [(type(d), d.episode_id) for d in fold.decide(560)] == [(Abandon, decision.episode_id)]


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


def test_a_worker_that_leaves_loses_what_it_did_not_finish_at_once():
    fold = Fold()
    fold.heartbeat("w/a", 2)
    done, undone = fold.decide()
    fold.heartbeat("w/a", 2, finished=[(done.episode_id, "solved")], leaving=True, seconds=1)
    assert [(type(d), d.episode_id) for d in fold.decide(1)] == [(Abandon, undone.episode_id)]


def test_a_new_scheduler_gives_every_worker_a_lease_to_be_heard():
    fold = Fold()
    fold.heartbeat("w/a", 1)
    fold.decide()
    fold.control(SchedulerStarted(**PRODUCER.stamp(RUN), epoch=1), seconds=600)  # ten minutes of downtime
    assert fold.decide(659) == []
    assert [type(d) for d in fold.decide(660)] == [Abandon]


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
