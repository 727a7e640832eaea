"""Poison of every kind in every topic of a run that goes on, in real processes, on both logs."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaProducer

from tests.chaos.faulty_run import FaultyRun
from tests.chaos.poison import flipped, poisoned, ruined_row
from tests.schemas.events import example
from tests.stream.archive_events import archived
from tests.stream.roles import InstantWorker
from tests.stream.stream_events import RUN, episode, finished, generation, started
from trajlog.analytics.tail import tail_events
from trajlog.schemas import KINDS, Event, FinishedEpisode, encode
from trajlog.schemas.record import NewRecord
from trajlog.stream.log import Log

URLS = ["sqlite", pytest.param("kafka", marks=pytest.mark.kafka)]


@pytest.fixture
def run(request: pytest.FixtureRequest, tmp_path: Path, kafka_prefix: str) -> Iterator[FaultyRun]:
    url = str(request.getfixturevalue("kafka_broker").url) if request.param == "kafka" else None
    with FaultyRun(tmp_path, url, prefix=kafka_prefix) as run:
        yield run


class ShuffledWorker(InstantWorker):
    """Sends the events of an episode one by one, out of order, and some of them twice."""

    rng = random.Random(5)

    def play(self, assignment: Any) -> None:
        append = self._log.append
        ids = (assignment.group_id, assignment.episode_id)
        events = episode(*ids, reward=self.rng.random(), task=assignment.task_id, versions=(0, 0))
        records = [record for event in [*events, *self.rng.sample(events, 3)] for record in encode([event])]
        self.rng.shuffle(records)
        for record in records:
            append(self._config.topic("rollouts"), [record])
        self.finished.append(FinishedEpisode(assignment.episode_id, "solved"))


def bad_records(topic: str) -> Iterator[NewRecord]:
    """Every ruin of every kind of a topic, as of this run."""
    rng = random.Random(7)
    for kind, cls in KINDS.items():
        if cls.topic != topic:
            continue
        (record,) = encode([example(kind)])
        yield from (bad for _, bad in poisoned(record))
        yield from (flipped(record, rng) for _ in range(10))
        yield ruined_row(example(kind), {"event_id": "none"})
        yield ruined_row(example(kind), {"run_id": None})


def senseless() -> Iterator[Event]:
    """Valid events of this run that fit nowhere."""
    yield from (started("odd", "far"), generation("odd", "far", 1, 0, [], [1], [2], chain=9), finished("odd", "far", 2))
    yield from (started("odd", "cut"), generation("odd", "cut", 1, 0, [7, 7], [1], [2]), finished("odd", "cut", 2))
    yield from (started("odd", "twice"), started("odd", "twice"), finished("odd", "twice", 1))


@pytest.mark.slow
@pytest.mark.parametrize("run", URLS, indirect=True)
def test_poison_of_every_kind_in_every_topic_leaves_a_run_as_it_was_and_is_kept_by_its_bytes(run: FaultyRun) -> None:
    run.start("scheduler", "assembler", "archiver", "player")
    run.until_verdicts(2)
    log, topic = run.log, run.config.topic
    kept: dict[str, list[NewRecord]] = {}
    for name in ("rollouts", "groups", "control", "liveness", "engines"):
        kept[name] = list(bad_records(name))
        log.append(topic(name), kept[name])
        foreign = [record for kind, cls in KINDS.items() if cls.topic == name for record in encode([example(kind)])]
        log.append(topic(name), foreign)  # of run `demo`, valid: a scheduler and a learner of it begin high epochs
    for event in senseless():
        log.append(topic("rollouts"), encode([event]))
    again(log, topic("rollouts"), {"episode_started", "generation", "episode_finished"})
    again(log, topic("control"), {"episode_assigned", "scheduler_started", "run_started", "schema_registered"})
    with InstantWorker(log, run.config, 0) as worker, ShuffledWorker(log, run.config, 8, name="w2") as shuffled:
        worker.heartbeat("an episode that nobody knows")
        shuffled.heartbeat()

        def played() -> bool:
            for assignment in shuffled.take():
                shuffled.play(assignment)
                shuffled.heartbeat()
            return len(shuffled.finished) >= 6

        run.until(played)
        shuffled.heartbeat(leaving=True)
        worker.heartbeat(leaving=True)
        run.until_verdicts(3)
        report = run.finish(abandoned=8)
    assert report.groups_sealed >= 4
    said = run.said("assembler")
    assert "skipped a record" in said
    assert "it is of run demo, not r" in said
    rows = archived(
        run.folder / "archive",
        "SELECT topic, quarantine_key, quarantine_value, quarantine_headers, quarantine_reason FROM a "
        "WHERE kind = 'quarantine'",
    )
    for name in ("rollouts", "groups", "control"):
        found = {
            (key, value, tuple((h["name"], h["value"]) for h in headers))
            for t, key, value, headers, _ in rows
            if t == topic(name)
        }
        assert {(r.key, r.value, r.headers) for r in kept[name]} <= found
        assert len(found) == len({(r.key, r.value, r.headers) for r in kept[name]}), name
    assert all(reason for *_, reason in rows)
    lines = list(tail_events(log, run.config.log.prefix, threading.Event(), follow=False, last=10**6, as_json=True))
    assert {json.loads(line)["run_id"] for line in lines} == {RUN, "demo"}


def again(log: Log, topic: str, kinds: set[str]) -> None:
    """Append every record of these kinds once more."""
    with log.reader([topic], "beginning") as reader:
        ends = log.end_offsets(topic)
        records = []
        while any(reader.position(tp) < end for tp, end in ends.items()):
            records += [r for r in reader.poll(1.0) if r.header("kind") in kinds and r.header("run_id") == RUN]
    log.append(topic, [NewRecord(record.key, record.headers, record.value) for record in records])


@pytest.mark.kafka
@pytest.mark.parametrize("run", ["kafka"], indirect=True)
def test_records_that_only_another_kafka_client_can_write_stop_no_role(run: FaultyRun) -> None:
    run.start("scheduler", "assembler", "archiver", "player")
    run.until_verdicts(1)
    (good,) = encode([example("episode_verdict")])
    bytes_of = [(name, value.encode()) for name, value in good.headers]
    odd: list[dict[str, Any]] = [
        {"key": None, "value": good.value, "headers": bytes_of},
        {"key": b"k", "value": None, "headers": bytes_of},
        {"key": b"\xff\x00", "value": b"", "headers": [("kind", b""), ("schema_version", b"\xff\xfe")]},
        {"key": b"k", "value": b"x", "headers": [("", b""), ("kind", b"generation\x00")]},
        {"key": b"k", "value": b"x" * 3_000_000, "headers": [*bytes_of, *bytes_of]},
    ]
    producer = KafkaProducer(bootstrap_servers=run.url.removeprefix("kafka://"), max_request_size=2**24)
    for name in ("rollouts", "groups", "control", "liveness", "engines"):
        for fields in odd:
            producer.send(run.config.topic(name), partition=0, **fields).get(20)
    producer.close()
    run.until_verdicts(2)
    run.finish()
    counted = archived(run.folder / "archive", "SELECT topic, count(*) FROM a WHERE kind = 'quarantine' GROUP BY 1")
    # The one without a key is a sound event of run `demo`, and archived as that.
    assert dict(counted) == {run.config.topic(name): len(odd) - 1 for name in ("rollouts", "groups", "control")}
