"""Reading `.control`: which run a log holds, its settings, and the events that count.

Every role begins here. `wait_for_run` gives the settings that `run_started` carries; `ControlFollower` gives the
events of `.control` in order, without those of a zombie (`EpochFilter`).
"""

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from typing import Literal, NamedTuple, Protocol

import msgspec

from trajlog import __version__
from trajlog.config import RunConfig, config_from_json, config_to_json
from trajlog.errors import ConfigError, LogUnavailable
from trajlog.schemas import (
    KINDS,
    Event,
    LearnerStarted,
    Producer,
    RunStarted,
    SchedulerStarted,
    SchemaRegistered,
    arrow_schema,
    encode,
)
from trajlog.stream.decoding import Decoder
from trajlog.stream.epochs import EPOCH_KINDS, EpochFilter
from trajlog.stream.log import Log, LogRecord, Reader, Start, TopicPartition, check_identity

CATCH_UP_S = 120.0
"""Longest that reading up to a known end may take without any progress before it is an error."""


class Stop(Protocol):
    """What ends a long-running role: threading.Event is one."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float | None = None) -> bool: ...


class Followed(NamedTuple):
    record: LogRecord
    """Its offset and append time; the value is the encoded event."""
    event: Event


class ControlFollower:
    """A cursor over `.control` (or `.liveness`) that yields the events that count, in offset order.

    `kinds` limits what is decoded; epochs are watched in any case. Begin at the beginning, or before the assignments of
    all episodes that matter: a newer epoch than an assignment's begins behind it, so no zombie's word on those counts.
    Not thread-safe. Worked example::

        with ControlFollower(log, config.topic("control"), {"policy_published"}) as follower:
            while not stop.is_set():
                for record, event in follower.poll(0.5):
                    ...
    """

    def __init__(
        self,
        log: Log,
        topic: str,
        kinds: Iterable[str] | None = None,
        start: Start = "beginning",
        reader: Reader | None = None,
        run_id: str | None = None,
    ) -> None:
        """`reader` replaces the plain reader, for example by a group reader whose membership guards a role. With a
        `run_id`, events of another run do not count."""
        self._log = log
        self._reader = reader or log.reader([topic], start)
        self._kinds = None if kinds is None else frozenset(kinds) | EPOCH_KINDS
        self.topic = topic
        self.epochs = EpochFilter()
        self.decoder = Decoder(run_id)
        self._awaited: set[str] = set()

    def poll(self, timeout_s: float) -> list[Followed]:
        """Next events; [] when none came within `timeout_s`."""
        found = []
        for record in self._reader.poll(timeout_s):
            if self._kinds is not None and record.header("kind") not in self._kinds:
                continue
            for event in self.decoder.events(record):
                self._awaited.discard(event.event_id)
                if self.epochs.admits(event):
                    found.append(Followed(record, event))
        return found

    def catch_up(self, *, open_too: bool = False) -> Generator[Followed, None, None]:
        """Events up to the end of the topic as it is now. `open_too`: the end behind transactions that are open now; it
        is reached when they are over. Raises LogUnavailable when reading makes no progress."""
        ends = self._log.end_offsets(self.topic, committed=not open_too)
        yield from self._poll_while(lambda: any(self._reader.position(tp) < end for tp, end in ends.items()))

    def read_back(self, appended: Iterable[Event]) -> Generator[Followed, None, None]:
        """Events up to and including those just appended, of kinds that are followed.

        `catch_up` may end before them: on Kafka the readable end stays behind an older transaction that is still
        open. Once they are read, so is everything that was written before them.
        """
        self._awaited = {event.event_id for event in appended}
        yield from self._poll_while(lambda: bool(self._awaited))

    def _poll_while(self, lacking: Callable[[], bool]) -> Generator[Followed, None, None]:
        seen = None
        deadline = time.monotonic() + CATCH_UP_S
        while lacking():
            yield from self.poll(0.2)
            position = self.positions()
            if position != seen:
                seen, deadline = position, time.monotonic() + CATCH_UP_S
            elif time.monotonic() > deadline:
                raise LogUnavailable(
                    f"reading {self.topic} of {self._log.url} stands at {position} for {CATCH_UP_S:.0f} s before its "
                    f"end. Check the broker's health, then start this role again."
                )

    def positions(self) -> dict[TopicPartition, int]:
        """Next offset to read, per partition."""
        return {tp: self._reader.position(tp) for tp in sorted(self._reader.assignment())}

    def close(self) -> None:
        self._reader.close()

    def __enter__(self) -> "ControlFollower":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def find_prefix(log: Log, prefix: str | None = None) -> str | None:
    """Topic prefix of the run: `prefix` when its `.control` exists, else the log's only run; None when not there yet.

    Raises ConfigError when the log holds several runs and none was named.
    """
    found = sorted(topic.removesuffix(".control") for topic in log.topics() if topic.endswith(".control"))
    if prefix is not None:
        return prefix if prefix in found else None
    if len(found) > 1:
        raise ConfigError(f"{log.url} holds {len(found)} runs: choose one with --prefix: {', '.join(found)}")
    return found[0] if found else None


def find_run(log: Log, prefix: str | None = None) -> RunStarted | None:
    """The run_started event that counts (the first), or None when the log has none yet."""
    name = find_prefix(log, prefix)
    if name is None:
        return None
    with ControlFollower(log, f"{name}.control", {RunStarted.kind}) as follower, closing(follower.catch_up()) as events:
        return next((event for _, event in events if isinstance(event, RunStarted)), None)


def wait_for_run(
    log: Log,
    prefix: str | None = None,
    timeout_s: float = 120.0,
    on_wait: Callable[[str], None] = lambda message: None,
    stop: Stop | None = None,
) -> RunConfig:
    """Settings of the run, from its run_started event; waits for it, telling `on_wait` once what is waited for.

    Raises ConfigError when it does not come in time (or `stop` is set), when the log holds several runs and
    `prefix` names none, or when the topics' partition count is not the one the run was started with;
    LogIdentityMismatch when one of its topics was recreated since.
    """
    deadline = time.monotonic() + timeout_s
    told = False
    while True:
        started = find_run(log, prefix)
        if started is not None:
            return _checked(log, started)
        if not told:
            told = True
            on_wait(f"waiting for a run in {log.url} (started by `trajlog up` or `trajlog scheduler --config`)")
        left_s = deadline - time.monotonic()
        if left_s <= 0 or (stop is not None and stop.is_set()):
            name = f" with prefix {prefix}" if prefix else ""
            others = sorted(topic.removesuffix(".control") for topic in log.topics() if topic.endswith(".control"))
            known = f" The log has: {', '.join(others)}." if others else ""
            raise ConfigError(
                f"{log.url} has no run{name}.{known} Start one with "
                f"`trajlog scheduler --log {log.url} --config demo.toml` or `trajlog up`, then start this role again."
            )
        pause_s = min(0.25, left_s)
        if stop is not None:
            stop.wait(pause_s)
        else:
            time.sleep(pause_s)


def start_run(log: Log, config: RunConfig, producer: Producer) -> RunConfig:
    """Make the log hold this run: its topics, its schemas, one run_started. Safe to repeat and to race.

    Returns the settings in the log. Raises ConfigError when the log holds this prefix with other settings.
    """
    log.create_topics(config.topics())
    control = config.topic("control")
    with ControlFollower(log, control, {RunStarted.kind, SchemaRegistered.kind}) as follower:
        events = [event for _, event in follower.catch_up()]
        known = {(e.registered_kind, e.registered_version) for e in events if isinstance(e, SchemaRegistered)}
        news: list[Event] = [
            SchemaRegistered(
                **producer.stamp(config.run_id),
                registered_kind=cls.kind,
                registered_version=cls.version,
                schema_ipc=arrow_schema(cls).serialize().to_pybytes(),
            )
            for cls in KINDS.values()
            if (cls.kind, cls.version) not in known
        ]
        if not any(isinstance(event, RunStarted) for event in events):
            news.append(
                RunStarted(
                    **producer.stamp(config.run_id),
                    config=config_to_json(config),
                    num_partitions=config.log.num_partitions,
                    log_identity=run_identity(log, config),
                    trajlog_version=__version__,
                )
            )
        log.append(control, encode(news))
        events += [event for _, event in follower.read_back(news)]
    started = next(event for event in events if isinstance(event, RunStarted))
    found = _checked(log, started)
    if found != config:
        raise ConfigError(
            f"{log.url} already holds run {found.run_id} (prefix {found.log.prefix}) with other settings: "
            f"{'; '.join(_differences(config, found))}. A run's settings never change: "
            f"use the old ones, or start a new run with another prefix or another log."
        )
    return found


def _checked(log: Log, started: RunStarted) -> RunConfig:
    config = config_from_json(started.config)
    count = log.num_partitions(config.topic("rollouts"))
    if count != started.num_partitions:
        raise ConfigError(
            f"{config.topic('rollouts')} has {count} partitions, run {started.run_id} was started with "
            f"{started.num_partitions}: the topic was changed. Start a new run with another prefix."
        )
    check_identity(log, started.log_identity, f"run_started of run {started.run_id}")
    return config


def run_identity(log: Log, config: RunConfig) -> str:
    """The log's identity as far as this run's lasting topics go: on Kafka it names every topic of the cluster."""
    storage, *entries = log.identity.split(";")
    lasting = {config.topic(name) for name in ("rollouts", "groups", "control")}
    return ";".join([storage, *(entry for entry in entries if entry.split("=", 1)[0] in lasting)])


def _differences(asked: RunConfig, found: RunConfig) -> list[str]:
    """`section.field: asked, the run has found`, for every setting that differs."""
    differences = []
    for name in RunConfig.__struct_fields__:
        ours, theirs = getattr(asked, name), getattr(found, name)
        if ours == theirs:
            continue
        if isinstance(ours, msgspec.Struct):
            differences += [
                f"{name}.{field}: {getattr(ours, field)!r}, the run has {getattr(theirs, field)!r}"
                for field in ours.__struct_fields__
                if getattr(ours, field) != getattr(theirs, field)
            ]
        else:
            differences.append(f"{name}: {ours!r}, the run has {theirs!r}")
    return differences


def claim_epoch(
    log: Log,
    follower: ControlFollower,
    role: Literal["scheduler", "learner"],
    make: Callable[[int], SchedulerStarted | LearnerStarted],
    seen: Callable[[Followed], None],
) -> int:
    """Begin a new epoch of a role: append `make(highest + 1)`, again with a higher one until the claim counts.

    Two processes that claim one epoch are told apart by offset: the later one claims again, so the last to start
    wins, and the other finds a higher epoch in the log and must end. Events read meanwhile go to `seen`. Returns
    the epoch; everything written before it has been seen then.
    """
    while True:
        for followed in follower.catch_up():
            seen(followed)
        claim = make(follower.epochs.highest(role) + 1)
        log.append(follower.topic, encode([claim]))
        won = False
        for followed in follower.read_back([claim]):
            won = won or followed.event.event_id == claim.event_id
            seen(followed)
        if won:
            return claim.epoch
