"""Why no group comes, from the log's own facts.

`causes` is pure: it answers from the fold in supply.py. `Watchdog` is the edge: it reads the topics, and only once
nothing has come for `learner.watchdog_s`, so that a learner that trains pays nothing for it.
"""

import logging
from datetime import datetime, timedelta
from typing import Literal

import msgspec

from trajlog.config import RunConfig
from trajlog.learner.supply import KINDS, Heard, Supply
from trajlog.stream.control import ControlFollower
from trajlog.stream.log import Log

_logger = logging.getLogger(__name__)

CauseName = Literal[
    "unread",
    "paused",
    "no_engine",
    "not_loaded",
    "no_worker",
    "no_scheduler",
    "spent",
    "rejected",
    "failing",
    "assembler_silent",
    "playing",
]


class Cause(msgspec.Struct, frozen=True):
    """One reason, and what to do about it."""

    name: CauseName
    text: str


def causes(supply: Supply, config: RunConfig, now: datetime, num_queued: int) -> list[Cause]:
    """Why the learner gets no group, most telling first; never empty.

    `now` is the log's time (append times); `num_queued` groups have reached the learner and wait for others.
    """
    found = [
        cause
        for cause in (
            _unread(supply, config, num_queued),
            _paused(supply, config),
            _no_engine(supply, config, now),
            _not_loaded(supply, config, now),
            _no_worker(supply, config, now),
            _no_scheduler(supply, config, now),
            _spent(supply, config),
            _rejected(supply),
            _failing(supply),
            _assembler_silent(supply, config, now),
        )
        if cause is not None
    ]
    return found or [_playing(supply, now)]


def _unread(supply: Supply, config: RunConfig, num_queued: int) -> Cause | None:
    sealed = supply.scheduling.num_sealed
    if sealed <= num_queued:
        return None
    return Cause(
        "unread",
        f"{sealed} sealed groups wait in the log, {num_queued} have reached this learner: another member may hold "
        f"partitions of {config.topic('groups')}, or the broker does not deliver them",
    )


def _paused(supply: Supply, config: RunConfig) -> Cause | None:
    if not supply.scheduling.paused:
        return None
    return Cause(
        "paused",
        f"the scheduler is paused: {supply.scheduling.num_sealed} sealed groups wait, high water is "
        f"{config.scheduler.high_water_groups}, it goes on at {config.scheduler.low_water_groups}",
    )


def _no_engine(supply: Supply, config: RunConfig, now: datetime) -> Cause | None:
    living, told = _living(supply.engines, config, now)
    if supply.acknowledged < 0:
        return Cause("no_engine", f"no engine has loaded any policy version ({told}): start one, or read its log")
    if not living:
        return Cause("no_engine", f"no engine lives ({told}): start one with `trajlog engine`")
    return None


def _not_loaded(supply: Supply, config: RunConfig, now: datetime) -> Cause | None:
    lease = timedelta(seconds=config.scheduler.lease_s)
    if supply.published is None or supply.acknowledged < 0:
        return None
    version, since = supply.published
    if supply.acknowledged >= version or now < since + lease:
        return None
    return Cause(
        "not_loaded",
        f"policy {version}, published {_ago(since, now)} ago, is loaded by no engine; the newest loaded is "
        f"{supply.acknowledged}: read the engines' logs",
    )


def _no_worker(supply: Supply, config: RunConfig, now: datetime) -> Cause | None:
    living, told = _living(supply.workers, config, now)
    return None if living else Cause("no_worker", f"no worker lives ({told}): start one with `trajlog worker`")


def _no_scheduler(supply: Supply, config: RunConfig, now: datetime) -> Cause | None:
    if not supply.scheduler_began:
        return Cause("no_scheduler", "no scheduler has begun: start one with `trajlog scheduler`")
    lease = timedelta(seconds=config.scheduler.lease_s)
    living, _ = _living(supply.workers, config, now)
    free = sum(heard.num_slots - heard.num_running for heard in living.values())
    idle = supply.last_assigned is None or now >= supply.last_assigned + lease
    if free <= 0 or not idle or supply.scheduling.paused or supply.groups or _spent(supply, config) is not None:
        return None
    since = "never" if supply.last_assigned is None else f"{_ago(supply.last_assigned, now)} ago"
    return Cause(
        "no_scheduler",
        f"{free} slots are free, no group is open and none is being opened (last assignment: {since}): the scheduler "
        "is dead or held up, read its log",
    )


def _spent(supply: Supply, config: RunConfig) -> Cause | None:
    most = config.scheduler.max_episodes
    if not 0 < most <= supply.scheduling.num_assigned or supply.groups:
        return None
    return Cause("spent", f"all {most} episodes of scheduler.max_episodes are assigned and no group is open any more")


def _rejected(supply: Supply) -> Cause | None:
    if not supply.rejected:
        return None
    reasons = ", ".join(f"{reason} {count}" for reason, count in supply.rejected.most_common())
    advice = {
        "stale": "the workers are too slow for this learner: more slots, or a higher staleness.max_off_policy_steps",
        "zero_variance": "tasks are solved always or never: other tasks, or a better start (demonstrations)",
        "too_few": "episodes fail or take too long: see their verdicts, or a longer group.seal_timeout_s",
        "non_finite": "the loss is not finite: a lower learner.learning_rate",
    }.get(supply.rejected.most_common(1)[0][0], "see group_verdict and train_step events")
    return Cause(
        "rejected", f"{supply.rejected.total()} groups were rejected since the last step ({reasons}): {advice}"
    )


def _failing(supply: Supply) -> Cause | None:
    if not supply.failed:
        return None
    reasons = ", ".join(f"{verdict} {count}" for verdict, count in supply.failed.most_common())
    last = f"; the last: {supply.last_failure}" if supply.last_failure else ""
    return Cause("failing", f"episodes failed since the last step ({reasons}){last}")


def _assembler_silent(supply: Supply, config: RunConfig, now: datetime) -> Cause | None:
    """A full group gets its verdict at once: one that is full for a lease has no assembler."""
    lease = timedelta(seconds=config.scheduler.lease_s)
    full = [group for group in supply.groups.values() if len(group.finished) >= group.size]
    waiting = [group for group in full if now >= max(group.finished.values()) + lease]
    if not waiting:
        return None
    oldest = min(max(group.finished.values()) for group in waiting)
    return Cause(
        "assembler_silent",
        f"{len(waiting)} groups have all their episodes and no verdict, for up to {_ago(oldest, now)}: the assembler "
        "is dead or behind, start one with `trajlog assembler` or read its log",
    )


def _playing(supply: Supply, now: datetime) -> Cause:
    playing = sum(len(group.playing) for group in supply.groups.values())
    finished = sum(len(group.finished) for group in supply.groups.values())
    if not supply.groups:
        return Cause("playing", "no group is open yet; everything else is in order")
    oldest = min(group.opened for group in supply.groups.values())
    return Cause(
        "playing",
        f"nothing is wrong: {len(supply.groups)} groups are open, the oldest for {_ago(oldest, now)}; {playing} "
        f"episodes are played, {finished} are finished and wait for the rest of their group",
    )


def _living(heard: dict[str, Heard], config: RunConfig, now: datetime) -> tuple[dict[str, Heard], str]:
    """Those within their lease; and in words how it stands with all."""
    lease = timedelta(seconds=config.scheduler.lease_s)
    living = {name: one for name, one in heard.items() if not one.leaving and now < one.seen + lease}
    if not heard:
        return living, "none was heard of"
    newest = max(heard.values(), key=lambda one: one.seen)
    left = sum(one.leaving for one in heard.values())
    return living, f"{len(heard)} known, {left} left in order, last heard of {_ago(newest.seen, now)} ago"


def _ago(then: datetime, now: datetime) -> str:
    return f"{max((now - then).total_seconds(), 0.0):.0f} s"


class Watchdog:
    """Tells on the learner's log why nothing comes, once per `learner.watchdog_s` of silence. A context manager."""

    def __init__(self, log: Log, config: RunConfig, began_s: float) -> None:
        """`began_s`: time.monotonic() now."""
        self._log = log
        self._config = config
        self._supply = Supply(config)
        self._follower: ControlFollower | None = None
        self._since_s = self._told_s = began_s

    def fed(self, now_s: float) -> None:
        """A group came, or a step was made."""
        self._since_s = self._told_s = now_s

    def look(self, now_s: float, now: datetime | None, num_queued: int) -> list[Cause]:
        """Read and tell, if it is time; what was told. `now`: the log's time (stream/clock.py)."""
        if now is None or now_s - self._told_s < self._config.learner.watchdog_s:
            return []
        self._told_s = now_s
        self._read()
        found = causes(self._supply, self._config, now, num_queued)
        wanted = self._config.learner.groups_per_step
        told = "; ".join(f"{cause.name}: {cause.text}" for cause in found)
        silence = f"no group for {now_s - self._since_s:.0f} s, {num_queued} of {wanted} wait here"
        _logger.warning("%s. %s", silence, told)
        return found

    def _read(self) -> None:
        """News of `.control`, then all heartbeats that are held: retention may have passed those read last time."""
        if self._follower is None:
            topic = self._config.topic("control")
            self._follower = ControlFollower(self._log, topic, KINDS, run_id=self._config.run_id)
        for followed in self._follower.catch_up():
            self._supply.control(followed.record.append_time, followed.event)
        for name in ("liveness", "engines"):
            self._hear(self._config.topic(name))

    def _hear(self, topic: str) -> None:
        with ControlFollower(self._log, topic, run_id=self._config.run_id) as heartbeats:
            for followed in heartbeats.catch_up():
                self._supply.liveness(followed.record.append_time, followed.event)

    def close(self) -> None:
        if self._follower is not None:
            self._follower.close()

    def __enter__(self) -> "Watchdog":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
