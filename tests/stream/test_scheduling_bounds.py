"""The bounds of docs/staleness.md, over random runs of workers, assembler and learner.

In these runs members fail and are replaced, groups overtake each other, assembler and learner reject groups, a step
takes its time, and the scheduler reads all of it late. The learner takes groups in the order in which they were sealed.
"""

import random
from itertools import count

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.stream.scheduling_fold import CONFIG, Fold, closed, judged, per_group, trained
from tests.stream.stream_events import at
from trajlog.config import GroupConfig, LearnerConfig, SchedulerConfig, StalenessConfig
from trajlog.schemas import EpisodeAssigned, Heartbeat
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.scheduling import Scheduling

HIGH, OPEN = 3, 4


class Run:
    """A fold and the truth about it: what is assigned, open, sealed."""

    def __init__(self, seed: int, config) -> None:
        self.random = random.Random(seed)
        self.config = config
        self.fold = Fold(config)
        self.members: dict[str, list[str]] = {}
        self.running: set[str] = set()
        self.sealed: dict[str, int] = {}
        self.training: list[str] = []
        """Groups of the step that is in progress."""
        self.step = 0
        self.num_finished = 0
        self.opened: dict[str, tuple[int, int]] = {}
        """Steps done and episodes finished when each group was opened."""
        self.ages: list[int] = []
        """Of the trained groups: steps between opening and the version trained ..."""
        self.finished_meanwhile: list[int] = []
        """... and episodes finished in that time."""
        self.unread = []

    def turn(self) -> None:
        """One thing happens; now and then the scheduler reads what happened and decides."""
        happening = self.random.choice([self.finish, self.finish, self.train, self.schedule])
        happening()

    def schedule(self) -> None:
        self.fold.control(*self.unread)
        self.unread.clear()
        self.fold.heartbeat("w/a", 40, running=sorted(self.running))
        for decision in self.fold.decide():
            assert isinstance(Fold.event(decision), EpisodeAssigned)
            self.opened.setdefault(decision.group_id, (self.step, self.num_finished))
            self.members.setdefault(decision.group_id, []).append(decision.episode_id)
            self.running.add(decision.episode_id)

    def finish(self) -> None:
        if not self.members:
            return
        group = self.random.choice(sorted(self.members))
        wanted = [e for e in self.members[group] if e in self.running]
        if wanted and self.random.random() < 0.2:  # one member fails, and gets its verdict at once
            self.running.discard(wanted[0])
            self.members[group].remove(wanted[0])
            self.unread.append(judged(group, wanted[0], "error", "error"))
            return
        self.running -= set(wanted)
        self.num_finished += len(wanted)
        if len(self.members[group]) < self.config.group.group_size:
            return
        sealed = self.random.random() < 0.8
        episodes = self.members.pop(group)
        self.unread += [judged(group, e, "sealed" if sealed else "rejected", "solved") for e in episodes]
        self.unread.append(closed(group, "sealed" if sealed else "rejected"))
        if sealed:
            self.sealed[group] = len(episodes)

    def train(self) -> None:
        """Begin a step on the oldest sealed groups, or end it; now and then reject one that waits."""
        if self.training:
            self.step += 1
            self.unread.append(trained(self.step, *self.training))
            self.training = []
            return
        if self.sealed and self.random.random() < 0.05:
            stale = self.random.choice(sorted(self.sealed))
            del self.sealed[stale]
            self.unread.append(trained(self.step, rejected=[stale]))
        ready = list(self.sealed)[: self.config.learner.groups_per_step]
        if len(ready) == self.config.learner.groups_per_step and self.random.random() < 0.5:
            for group in ready:
                step, num_finished = self.opened[group]
                self.ages.append(self.step - step)
                self.finished_meanwhile.append(self.num_finished - num_finished)
            self.training = ready
            for group in ready:
                del self.sealed[group]


@pytest.mark.parametrize("seed", range(20))
def test_sealed_and_open_groups_never_exceed_high_water_plus_max_open_minus_one(seed):
    run = Run(seed, CONFIG)
    most = 0
    for _ in range(300):
        run.turn()
        most = max(most, len(run.sealed) + len(run.members))
        assert most <= HIGH - 1 + OPEN
    assert most > OPEN  # the queue did build up
    assert run.step > 0


def test_under_drop_the_lag_is_bounded_by_queue_open_groups_episodes_played_group_size_and_step_size():
    group_size, groups_per_step = CONFIG.group.group_size, CONFIG.learner.groups_per_step
    ages = []
    for seed in range(10):
        run = Run(seed, CONFIG)
        for _ in range(300):
            run.turn()
        for age, num_finished in zip(run.ages, run.finished_meanwhile, strict=True):
            assert age <= (HIGH + OPEN - 2 + num_finished / group_size) // groups_per_step
        ages += run.ages
    assert max(ages) > (HIGH + OPEN - 2) // groups_per_step  # the queue alone does not bound it


@pytest.mark.parametrize("groups_per_step", [1, 2, 3, 4])
def test_a_paused_scheduler_leaves_the_learner_a_whole_step_at_the_least_low_water(groups_per_step):
    """So the two never wait for each other."""
    scheduler = SchedulerConfig(
        lease_s=60, high_water_groups=groups_per_step, low_water_groups=groups_per_step - 1, max_open_groups=OPEN
    )
    learner = LearnerConfig(groups_per_step=groups_per_step)
    pauses = 0
    for seed in range(5):
        run = Run(seed, msgspec.structs.replace(CONFIG, scheduler=scheduler, learner=learner))
        for _ in range(200):
            run.turn()
            run.schedule()
            if run.fold.fold.paused:
                assert len(run.sealed) + len(run.training) >= groups_per_step
                pauses += 1
    assert pauses > 0


WAITING = msgspec.structs.replace(
    CONFIG,
    staleness=StalenessConfig(max_off_policy_steps=1, off_policy_strategy="wait"),
    scheduler=SchedulerConfig(lease_s=60, high_water_groups=50, low_water_groups=2, max_open_groups=50),
)


def waiting(eta: int, groups_per_step: int):
    return msgspec.structs.replace(
        WAITING,
        staleness=StalenessConfig(max_off_policy_steps=eta, off_policy_strategy="wait"),
        learner=LearnerConfig(groups_per_step=groups_per_step),
    )


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32), eta=st.integers(0, 3), groups_per_step=st.integers(1, 3))
def test_under_wait_no_group_is_trained_more_than_eta_steps_after_it_was_opened(seed, eta, groups_per_step):
    run = Run(seed, waiting(eta, groups_per_step))
    for _ in range(300):
        run.turn()
        assert max(run.ages, default=0) <= eta
        assert len(run.members) + len(run.sealed) + len(run.training) <= (eta + 1) * groups_per_step
    assert run.step > 0


@pytest.mark.parametrize(("eta", "groups_per_step"), [(0, 2), (1, 2), (2, 3)])
def test_under_wait_that_bound_is_reached_and_so_no_tighter_than_it_must_be(eta, groups_per_step):
    ages = [age for seed in range(3) for age in aged(seed, waiting(eta, groups_per_step))]
    assert max(ages) == eta


def test_under_drop_an_overtaken_group_has_no_such_bound():
    config = msgspec.structs.replace(WAITING, staleness=StalenessConfig(max_off_policy_steps=1))
    assert max(age for seed in range(5) for age in aged(seed, config)) > 1


def aged(seed, config):
    run = Run(seed, config)
    for _ in range(600):
        run.turn()
    return run.ages


def test_under_wait_a_group_that_does_not_end_lets_only_so_many_pass_and_a_rejected_one_does_not_count():
    """Two steps of two groups: three others beside the slow one, whatever becomes of those that are trained."""
    fold = Fold(WAITING)
    fold.heartbeat("w/a", 100)
    decisions = fold.decide()
    slow, *others = list(per_group(decisions))
    assert len(others) == 3
    fold.control(*[judged(d.group_id, d.episode_id, "sealed", "solved") for d in decisions if d.group_id != slow])
    for number, name in enumerate(others):
        fold.control(closed(name, "rejected" if number == 0 else "sealed"))
    fold.heartbeat("w/a", 100)
    (late,) = per_group(fold.decide())  # in the place of the rejected one
    fold.control(trained(1, others[1], others[2]))
    fold.heartbeat("w/a", 100)
    assert fold.decide() == []
    fold.control(closed(slow))
    fold.heartbeat("w/a", 100)
    assert fold.decide() == []  # a step was trained since the late one was opened, another may be
    fold.control(closed(late, "rejected"))
    fold.heartbeat("w/a", 100)
    assert fold.decide()


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("strategy", ["drop", "wait"])
def test_a_restart_at_any_moment_decides_as_the_fold_that_lived_through_it(seed, strategy):
    tasks = [CurriculumTask(f"{label}{d}", "c", d, label) for label in ("recommended", "avoid") for d in (1, 2)]
    staleness = StalenessConfig(max_off_policy_steps=1, off_policy_strategy=strategy)
    config = msgspec.structs.replace(
        CONFIG, staleness=staleness, group=GroupConfig(group_size=4, min_group_size=2, hardware="cpu")
    )
    run = Run(seed, config)
    run.fold.fold = Scheduling(config, tasks)
    for _ in range(100):
        run.turn()
        run.fold.control(*run.unread)
        run.unread.clear()
    again = Scheduling(config, tasks)
    for heartbeats in (False, True):  # as a restart reads them: .control to its end, then .liveness
        for append_time, event in run.fold.read:
            if isinstance(event, Heartbeat) == heartbeats:
                (again.liveness if heartbeats else again.control)(append_time, event)
    lived = run.fold.fold
    assert lived.num_assigned > 20
    for task in tasks:
        assert again.curriculum.success(task.task_id) == lived.curriculum.success(task.task_id)
        assert again.curriculum.cost(task.task_id) == lived.curriculum.cost(task.task_id)
    assert (again.curriculum.phase, again.curriculum.levels) == (lived.curriculum.phase, lived.curriculum.levels)
    for seconds in (0, 59, 61):
        assert decided(again, seconds) == decided(lived, seconds)


def decided(scheduling, seconds):
    ids = count()
    return scheduling.decide(at(seconds), lambda: f"n{next(ids)}")
