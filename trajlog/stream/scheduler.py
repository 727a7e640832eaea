"""The scheduler role: reads `.control` and `.liveness`, writes episode_assigned and abandoned verdicts.

One at a time: membership in a consumer group of one partition makes the leader (SQLite refuses a second member with
RoleBusy; on Kafka a second one stands by), and its epoch, begun before anything else, makes every fold ignore what a
woken predecessor still writes. All state is a fold of the log, built anew by whoever leads.

Durable steps: 1 scheduler_started; 2 per decision one append to `.control`, read back before the next is made. Killed
between any two, nothing is lost: an assignment either is in the log or never was.
"""

import logging
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime, timedelta

from trajlog.config import RunConfig
from trajlog.errors import ConfigError, RoleBusy
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    GroupVerdict,
    LearnerStarted,
    Producer,
    SchedulerStarted,
    TrainStep,
    encode,
    new_id,
)
from trajlog.stream.clock import FoldClock
from trajlog.stream.control import ControlFollower, Followed, Stop, claim_epoch
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.log import Log, Reader
from trajlog.stream.scheduling import Abandon, Assign, Scheduling

POLL_S = 0.1
KEEP_LIVENESS = timedelta(hours=1)
"""Heartbeats older than this, and than any lease and group can wait, are dropped from `.liveness` and `.engines`."""

HELD_UP_PER_LEASE = 4
"""Leases begin anew after a pause longer than this part of them: workers could not be heard meanwhile, and would lose
theirs before the heartbeats that waited are appended."""

_KINDS = frozenset(
    kind.kind for kind in (EpisodeAssigned, EpisodeVerdict, GroupVerdict, TrainStep, LearnerStarted, SchedulerStarted)
)
_logger = logging.getLogger(__name__)


def run_scheduler(log: Log, config: RunConfig, tasks: Sequence[CurriculumTask], stop: Stop) -> None:
    """Schedule until `stop` is set. The run must be in the log (control.start_run).

    Raises ConfigError when there is no task, RoleBusy when another scheduler leads or took over, LogError.
    """
    if not tasks:
        raise ConfigError("there are no tasks to schedule: check episode.tasks, task_ids and split in the settings")
    control, liveness = config.topic("control"), config.topic("liveness")
    with log.group_reader([control], f"{config.log.prefix}.scheduler") as membership:
        while not stop.is_set():
            if not _leads(membership):
                continue
            with (
                ControlFollower(log, control, _KINDS, run_id=config.run_id) as events,
                ControlFollower(log, liveness, run_id=config.run_id) as heartbeats,
            ):
                leader = _Leader(log, config, tasks, events, heartbeats)
                while not stop.is_set() and _leads(membership):
                    leader.step()


def _leads(membership: Reader) -> bool:
    """Keep the membership alive; whether it has the partition. Its records are not read through it."""
    membership.poll(0.0 if membership.assignment() else POLL_S)
    membership.pause(membership.assignment())
    return bool(membership.assignment())


class _Leader:
    """One epoch of the scheduler; making it begins the epoch."""

    def __init__(
        self,
        log: Log,
        config: RunConfig,
        tasks: Sequence[CurriculumTask],
        control: ControlFollower,
        liveness: ControlFollower,
    ) -> None:
        self._log = log
        self._config = config
        self._control = control
        self._liveness = liveness
        self._producer = Producer("scheduler")
        self._fold = Scheduling(config, tasks)
        self._clock = FoldClock()
        waits = timedelta(seconds=2 * (config.group.seal_timeout_s + config.scheduler.lease_s))
        self._keep = max(KEEP_LIVENESS, waits)
        self._kept: deque[tuple[datetime, int]] = deque()
        self._answered_s = time.monotonic()
        self.epoch = claim_epoch(log, control, "scheduler", self._started, self._see)
        _logger.info("scheduler epoch %d begins", self.epoch)

    def step(self) -> None:
        """Wait a little for news, then decide until nothing is left to decide."""
        for heartbeat in self._liveness.poll(POLL_S):
            self._hear(heartbeat)
        while (now := self._caught_up()) is not None:
            decisions = self._fold.decide(now, new_id)
            if not decisions:
                return
            events = [self._event(decision) for decision in decisions]
            self._log.append(self._control.topic, encode(events))
            for followed in self._control.read_back(events):
                self._see(followed)

    def _caught_up(self) -> datetime | None:
        """Logical time after reading `.control` to its end; None while heartbeats wait unread."""
        for followed in self._control.catch_up():
            self._see(followed)
        if self._control.epochs.scheduler_epoch > self.epoch:
            raise RoleBusy(
                f"another scheduler has begun epoch {self._control.epochs.scheduler_epoch} of {self._log.url}; this "
                f"one (epoch {self.epoch}) ends. Run one scheduler per run."
            )
        ends = self._log.end_offsets(self._liveness.topic)
        if any(position < ends[tp] for tp, position in self._liveness.positions().items()):
            return None
        now_s = time.monotonic()
        self._clock.caught_up(now_s)
        now = self._clock.now(now_s)
        if now is not None and now_s - self._answered_s > self._config.scheduler.lease_s / HELD_UP_PER_LEASE:
            _logger.warning("nothing could be read for %.0f s: every lease begins anew", now_s - self._answered_s)
            self._fold.begin_leases(now)
        self._answered_s = now_s
        return now

    def _see(self, followed: Followed) -> None:
        self._clock.read(followed.record.append_time, time.monotonic())
        self._fold.control(followed.record.append_time, followed.event)

    def _hear(self, followed: Followed) -> None:
        append_time, offset = followed.record.append_time, followed.record.offset
        self._clock.read(append_time, time.monotonic())
        self._fold.liveness(append_time, followed.event)
        if not self._kept or append_time - self._kept[-1][0] > self._keep / 10:
            self._kept.append((append_time, offset))  # a mark every tenth of what is kept
        if append_time - self._kept[0][0] > 1.1 * self._keep:
            self._kept.popleft()
            self._log.truncate(self._liveness.topic, followed.record.partition, self._kept[0][1])
            with self._log.reader([self._config.topic("engines")], self._kept[0][0]) as engines:
                for tp in engines.assignment():
                    self._log.truncate(*tp, engines.position(tp))

    def _started(self, epoch: int) -> SchedulerStarted:
        return SchedulerStarted(**self._producer.stamp(self._config.run_id), epoch=epoch)

    def _event(self, decision: Assign | Abandon) -> Event:
        stamp = self._producer.stamp(self._config.run_id, group_id=decision.group_id, episode_id=decision.episode_id)
        if isinstance(decision, Abandon):
            said = (decision.episode_id, decision.task_id, decision.worker)
            _logger.warning("episode %s of %s is abandoned: nothing heard of it from %s", *said)
            return EpisodeVerdict(**stamp, verdict="abandoned", task_id=decision.task_id, epoch=self.epoch)
        return EpisodeAssigned(
            **stamp,
            epoch=self.epoch,
            worker=decision.worker,
            task_id=decision.task_id,
            attempt=decision.attempt,
            group_size=decision.group_size,
            curriculum_phase=decision.curriculum_phase,
            success_estimate=decision.success_estimate,
        )
