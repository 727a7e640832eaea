"""Retention overtook the assembler, and a person gives up what it dropped: on both engines."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.stream.roles import WITHIN_S, events_of, role_thread, until, verdicts
from tests.stream.stream_events import RUN, episode
from trajlog.cli import app
from trajlog.config import GroupConfig, LogConfig, RunConfig
from trajlog.errors import LogError, OffsetExpired
from trajlog.schemas import EpisodeAssigned, GroupVerdict, Producer, encode
from trajlog.stream import assembler_accept_loss
from trajlog.stream.assembler import run_assembler
from trajlog.stream.assembler_accept_loss import Accepted, accept_assembler_loss
from trajlog.stream.control import start_run
from trajlog.stream.log import Log, TopicPartition, partition_of
from trajlog.stream.open import open_log


@pytest.fixture
def config(log: Log, kafka_prefix: str) -> RunConfig:
    group = GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=600)
    settings = RunConfig(run_id=RUN, log=LogConfig(prefix=kafka_prefix, num_partitions=2), group=group)
    return start_run(log, settings, Producer("test"))


def names(partition: int) -> Iterator[str]:
    """Groups of a partition of two."""
    return (f"g{n}" for n in range(100) if partition_of(f"g{n}".encode(), 2) == partition)


def assign(log: Log, config: RunConfig, *groups: str) -> None:
    producer = Producer("scheduler")
    of = [producer.stamp(RUN, group_id=group, episode_id=f"{group}-e{n}") for group in groups for n in range(3)]
    events = [EpisodeAssigned(**stamp, epoch=1, worker="w", task_id="t", attempt=0) for stamp in of]
    log.append(config.topic("control"), encode(events))


def play(log: Log, config: RunConfig, group: str, members: int = 3) -> None:
    events = [event for n in range(members) for event in episode(group, f"{group}-e{n}", reward=float(n))]
    log.append(config.topic("rollouts"), encode(events))


def assembling(log: Log, config: RunConfig):
    return role_thread(log.url, lambda own, stop: run_assembler(own, config, stop))


def test_groups_that_may_have_lost_events_are_rejected_once_and_all_others_go_on(
    log: Log, config: RunConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assembler_accept_loss, "SKEW", assembler_accept_loss.SKEW * 0)
    here = names(0)
    sealed, half, dropped, unsure, later = (next(here) for _ in range(5))
    elsewhere = next(names(1))
    assign(log, config, sealed, half, elsewhere)
    play(log, config, half, members=1)
    play(log, config, sealed)
    play(log, config, elsewhere, members=1)
    with assembling(log, config):
        until(lambda: verdicts(log, config)[1][sealed])
    assign(log, config, dropped)
    play(log, config, dropped)
    tp = TopicPartition(config.topic("rollouts"), 0)
    log.truncate(*tp, log.end_offsets(tp.topic)[tp])
    assign(log, config, unsure)
    play(log, config, unsure)  # its assignment is older than anything held
    assign(log, config, later)
    play(log, config, later)
    with pytest.raises(OffsetExpired, match="archive repair --accept-loss"):
        run_assembler(log, config, threading.Event())

    begin = log.begin_offsets(tp.topic)[tp]
    accepted = accept_assembler_loss(log, config)
    assert accepted == Accepted({tp: range(0, begin)}, (half, dropped, unsure))
    assert accept_assembler_loss(log, config) == Accepted({}, ())
    with assembling(log, config):
        play(log, config, elsewhere)
        until(lambda: {later, elsewhere} <= verdicts(log, config)[1].keys())
    episodes, groups, sealed_records = verdicts(log, config)
    assert set(episodes.values()) == set(groups.values()) == set(sealed_records.values()) == {1}
    assert groups.keys() == {sealed, half, dropped, unsure, later, elsewhere}
    assert sealed_records.keys() == {sealed, later, elsewhere}
    given_up = [e for e in events_of(log, config.topic("control"), GroupVerdict.kind) if e.group_id in accepted.groups]
    assert [(e.verdict, e.reason, e.numbers) for e in given_up if isinstance(e, GroupVerdict)] == [
        ("rejected", "expired", {"lost_offsets": float(begin)})
    ] * 3


def test_where_nothing_is_held_every_open_group_of_the_partition_is_rejected(log: Log, config: RunConfig) -> None:
    here = names(0)
    first, second = next(here), next(here)
    assign(log, config, first, second, next(names(1)))
    play(log, config, first)
    tp = TopicPartition(config.topic("rollouts"), 0)
    log.truncate(*tp, log.end_offsets(tp.topic)[tp])
    assert accept_assembler_loss(log, config).groups == (first, second)


def test_the_command_tells_what_was_given_up(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/log.db"
    with open_log(url, create=True) as log:
        config = start_run(log, RunConfig(run_id=RUN, log=LogConfig(prefix="p", num_partitions=2)), Producer("test"))
        group = next(names(0))
        assign(log, config, group)
        play(log, config, group)
        begin = log.end_offsets("p.rollouts")[TopicPartition("p.rollouts", 0)]
        log.truncate("p.rollouts", 0, begin)
    asked = ["archive", "repair", "--accept-loss", "--log", url, "--run-dir", str(tmp_path)]
    assert CliRunner().invoke(app, asked).output.splitlines() == [
        f"p.rollouts-0: the assembler goes on at {begin}, not at 0",
        f"groups rejected that may have had events there: {group}",
        f"there is no archive in {tmp_path}: its losses can be accepted once an archiver has begun it",
    ]


def test_while_an_assembler_is_alive_nothing_is_given_up(log: Log, config: RunConfig) -> None:
    group = next(names(0))
    assign(log, config, group)
    play(log, config, group)
    tp = TopicPartition(config.topic("rollouts"), 0)
    ends = log.end_offsets(tp.topic)
    log.truncate(*tp, ends[tp])
    joined = threading.Event()

    def live(own: Log, stop: threading.Event) -> None:
        assembler = f"{config.log.prefix}.assembler"
        with own.group_reader([tp.topic], assembler, lambda tps: {p: ends[p] for p in tps}) as member:
            while not stop.is_set():
                member.poll(0.2)
                if member.assignment():
                    joined.set()

    with role_thread(log.url, live):
        assert joined.wait(WITHIN_S)
        with pytest.raises(LogError, match="stop every assembler"):
            accept_assembler_loss(log, config)
    assert verdicts(log, config)[1] == {}
    assert accept_assembler_loss(log, config).groups == (group,)
