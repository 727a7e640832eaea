"""Writing beside polling: a store that is slow, members that come while it is, and deaths between any two steps."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from plumbing.kafka_broker import KafkaBroker

from tests.stream.archive_events import append, episode, new_log, run_config, wait_until
from tests.stream.roles import WITHIN_S
from trajlog.config import RunConfig
from trajlog.stream import archive as archive_module
from trajlog.stream import archiver as archiver_module
from trajlog.stream import kafka_client
from trajlog.stream.archive import Archive
from trajlog.stream.archiver import Archiver, archive_location, archived_topics, run_archiver
from trajlog.stream.log import Log, Reader, TopicPartition
from trajlog.stream.open import open_log
from trajlog.stream.verify import verify


class SlowStore:
    """Holds the first file step back until `open` is set, those of others go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.open = threading.Event()
        self.entered = threading.Event()
        write_rows = archive_module.write_rows

        def slow(*arguments: Any, **named: Any) -> Any:
            if not self.entered.is_set():
                self.entered.set()
                assert self.open.wait(WITHIN_S)
            return write_rows(*arguments, **named)

        monkeypatch.setattr(archive_module, "write_rows", slow)


@contextmanager
def member(log: Log, config: RunConfig, run_dir: Path, group: str = "t.archiver") -> Iterator[tuple[Archiver, Reader]]:
    topics = archived_topics(config)
    archiver = Archiver(log, Archive.create(archive_location(run_dir, config), log, topics), config.archive)
    with archiver, log.group_reader(topics, group, archiver.assigned, archiver.revoked, cooperative=True) as reader:
        yield archiver, reader


def check(log: Log, config: RunConfig, run_dir: Path) -> None:
    report = verify(log, config, run_dir)
    assert report.ok, str(report)


def read_up_to(reader: Reader, ends: dict[TopicPartition, int]) -> bool:
    return all(reader.position(tp) == end for tp, end in ends.items())


def test_while_a_flush_is_written_the_next_one_is_collected_and_then_polls_go_on_without_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiver_module, "MAX_RECORDS", 16)
    config = run_config(flush_s=3600.0)
    store = SlowStore(monkeypatch)
    with new_log(tmp_path, config) as log, member(log, config, tmp_path) as (archiver, reader):
        for number in range(2):
            append(log, "t.rollouts", episode("g", f"e{number}"))
        wait_until(lambda: archiver.step(reader, 0.0) or store.entered.is_set())
        for number in range(2, 5):
            append(log, "t.rollouts", episode("g", f"e{number}"))
            archiver.step(reader, 0.0)
        ends = log.end_offsets("t.rollouts")
        for _ in range(5):
            archiver.step(reader, 0.0)
        (tp,) = [tp for tp, end in ends.items() if end]
        assert reader.position(tp) == 32
        assert ends[tp] == 40
        assert Archive(archive_location(tmp_path)).covered(tp) is None
        store.open.set()
        wait_until(lambda: archiver.step(reader, 0.01) or read_up_to(reader, ends))
        archiver.flush()
        assert Archive(archive_location(tmp_path)).covered(tp) == 39
        check(log, config, tmp_path)


def test_what_was_collected_behind_a_flush_that_a_rival_forestalled_is_read_again_and_not_doubled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = run_config(flush_s=0.001)
    with new_log(tmp_path, config) as log, member(log, config, tmp_path) as (archiver, reader):
        archiver.step(reader, 0.0)
        store = SlowStore(monkeypatch)
        append(log, "t.rollouts", episode("g", "e1"))
        wait_until(lambda: archiver.step(reader, 0.0) or store.entered.is_set())
        append(log, "t.rollouts", episode("g", "e2"))
        archiver.step(reader, 0.0)
        with member(log, config, tmp_path, "rival") as (rival, rivals):
            append(log, "t.rollouts", episode("g", "e3"))
            wait_until(lambda: rival.step(rivals, 0.0) or read_up_to(rivals, log.end_offsets("t.rollouts")))
            rival.flush()
        append(log, "t.rollouts", episode("g", "e4"))
        store.open.set()
        wait_until(lambda: archiver.step(reader, 0.01) or read_up_to(reader, log.end_offsets("t.rollouts")))
        archiver.flush()
        wait_until(lambda: archiver.step(reader, 0.01) or read_up_to(reader, log.end_offsets("t.rollouts")))
        archiver.flush()
        check(log, config, tmp_path)


STEPS = ("taken", "files written", "committed", "hinted", "collected behind a flush")


@pytest.mark.slow
def test_killed_between_any_two_steps_it_archives_every_offset_once(tmp_path: Path) -> None:
    config = run_config()
    with new_log(tmp_path, config) as log:
        for number, step in enumerate(STEPS):
            append(log, "t.rollouts", episode("g", f"e{number}"))
            command = [sys.executable, "-m", "tests.stream.archiver_dies", log.url, str(tmp_path), step]
            died = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
            assert died.returncode == -signal.SIGKILL, died.stderr
            assert f"dies: {step}" in died.stdout
        run_archiver(log, config, tmp_path, stopped())
        check(log, config, tmp_path)


def stopped() -> threading.Event:
    stop = threading.Event()
    stop.set()
    return stop


class Polling:
    """An archiver in a thread, until it is left; what it raises comes out there."""

    def __init__(self, url: str, config: RunConfig, run_dir: Path) -> None:
        self.reader: Reader | None = None
        self.events: list[tuple[str, frozenset[TopicPartition], float]] = []
        self.failure: BaseException | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(url, config, run_dir))

    def _run(self, url: str, config: RunConfig, run_dir: Path) -> None:
        try:
            with open_log(url) as log:
                topics = archived_topics(config)
                archiver = Archiver(log, Archive.create(archive_location(run_dir), log, topics), config.archive)

                def assigned(tps: frozenset[TopicPartition]) -> Any:
                    self.events.append(("assigned", tps, 0.0))
                    return archiver.assigned(tps)

                def revoked(tps: frozenset[TopicPartition]) -> None:
                    started = time.monotonic()
                    archiver.revoked(tps)
                    self.events.append(("revoked", tps, time.monotonic() - started))

                group = f"{config.log.prefix}.archiver"
                with archiver, log.group_reader(topics, group, assigned, revoked, cooperative=True) as self.reader:
                    while not self._stop.is_set():
                        archiver.step(self.reader)
                    archiver._drain(self.reader)
        except BaseException as error:
            self.failure = error

    def held(self) -> frozenset[TopicPartition]:
        return frozenset() if self.reader is None else self.reader.assignment()

    def __enter__(self) -> Polling:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join()
        if self.failure is not None and exc[0] is None:
            raise self.failure


@pytest.mark.kafka
@pytest.mark.slow
def test_a_second_archiver_takes_only_what_moves_and_a_slow_store_costs_neither_membership_nor_more_than_the_bound(
    kafka_broker: KafkaBroker, kafka_prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_client, "POLL_INTERVAL_S", 5.0)
    monkeypatch.setattr(archiver_module, "REVOKE_S", 1.0)
    monkeypatch.setattr(archiver_module, "MAX_RECORDS", 16)
    config = run_config(kafka_prefix)
    topic = config.topic("rollouts")
    with open_log(kafka_broker.url) as log:
        log.create_topics(config.topics())
        store = SlowStore(monkeypatch)
        numbers = iter(range(1000))

        def append_some() -> None:
            for number in (next(numbers) for _ in range(8)):
                append(log, topic, episode(f"g{number}", f"e{number}"))

        append_some()
        with Polling(kafka_broker.url, config, tmp_path) as first:
            wait_until(lambda: store.entered.is_set() or first.failure is not None)
            everything = first.held()
            assert len(everything) == 5
            append_some()
            slept_until = time.monotonic() + kafka_client.POLL_INTERVAL_S + 1.0
            wait_until(lambda: time.monotonic() > slept_until)
            assert (first.failure, [event[0] for event in first.events]) == (None, ["assigned"])
            with Polling(kafka_broker.url, config, tmp_path) as second:
                wait_until(lambda: bool(second.held()) and first.held() | second.held() == everything)
                moved = second.held()
                (_, all_at_first, _), (_, left, took_s) = first.events
                assert (all_at_first, left, first.held()) == (everything, moved, everything - moved)
                assert 0 < len(moved) < 5
                assert 0.9 < took_s < 3.0  # a thread beside others; 60 s is what the store would have taken
                append_some()
                ends = log.end_offsets(topic)

                def archived(tps: frozenset[TopicPartition]) -> bool:
                    newest = Archive(archive_location(tmp_path))
                    return all((newest.covered(tp) or -1) + 1 == ends[tp] for tp in tps & ends.keys() if ends[tp])

                wait_until(lambda: archived(moved))
                store.open.set()
                wait_until(lambda: archived(everything))
        check(log, config, tmp_path)
