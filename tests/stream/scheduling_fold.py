"""A scheduling fold for tests, and its events: groups of 3, two groups a step, a lease of 60 s."""

from collections import Counter
from itertools import count

from tests.stream.stream_events import RUN, at
from trajlog.config import GroupConfig, LearnerConfig, RunConfig, SchedulerConfig
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    FinishedEpisode,
    GroupVerdict,
    Heartbeat,
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
