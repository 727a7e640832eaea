"""The archiver on Kafka: offsets that hold no record, and members that share the partitions."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from kafka import KafkaProducer
from kafka.admin import KafkaAdminClient
from plumbing.kafka_broker import KafkaBroker

from tests.stream.archive_events import append, archived, episode, run_config, wait_until
from trajlog.config import RunConfig
from trajlog.schemas import encode
from trajlog.stream.archiver import archive_location, run_archiver
from trajlog.stream.log import Log
from trajlog.stream.open import open_log
from trajlog.stream.verify import Report, verify

pytestmark = pytest.mark.kafka


@pytest.fixture
def config(kafka_prefix: str) -> RunConfig:
    return run_config(kafka_prefix)


def archive_all(log: Log, config: RunConfig, run_dir: Path) -> Report:
    """Archive until archive and log agree on everything."""
    stop = threading.Event()
    thread = threading.Thread(target=run_archiver, args=(log, config, run_dir, stop))
    thread.start()
    try:
        wait_until(lambda: (archive_location(run_dir) / "_delta_log").is_dir() and verify(log, config, run_dir).ok)
    finally:
        stop.set()
        thread.join()
    return verify(log, config, run_dir)


def test_a_foreign_record_with_broken_headers_is_quarantined_and_the_stream_goes_on(
    kafka_broker: KafkaBroker, config: RunConfig, tmp_path: Path
) -> None:
    with open_log(kafka_broker.url) as log:
        log.create_topics(config.topics())
        append(log, config.topic("rollouts"), episode("g1", "e1"))
        with KafkaProducer(bootstrap_servers=kafka_broker.bootstrap) as foreign:
            headers = [("kind", b"\xff\xfe")]
            foreign.send(config.topic("rollouts"), b"not ours", b"key", headers, partition=0).get(30)
        append(log, config.topic("rollouts"), episode("g2", "e2"))
        report = archive_all(log, config, tmp_path)
    assert sum(p.num_quarantined for p in report.partitions) == 1
    assert report.ok


def stable_members(broker: KafkaBroker, group: str) -> int | None:
    """Members of a group that is not rebalancing; None while it is, or before it exists."""
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    try:
        found = admin.describe_groups([group])[group]
    finally:
        admin.close()
    return len(found["members"]) if found["group_state"] == "Stable" else None


def test_transaction_markers_and_aborted_records_are_gaps_and_not_losses(
    kafka_broker: KafkaBroker, config: RunConfig, tmp_path: Path
) -> None:
    topic = config.topic("rollouts")
    with open_log(kafka_broker.url) as log:
        log.create_topics(config.topics())
        append(log, topic, episode("g", "e1"))
        with log.transaction() as transaction:
            transaction.append(topic, encode(episode("g", "e2")))
        producer = KafkaProducer(bootstrap_servers=kafka_broker.bootstrap, transactional_id=f"{topic}-aborted")
        try:
            producer.init_transactions()
            producer.begin_transaction()
            (partition,) = [tp.partition for tp, end in log.end_offsets(topic).items() if end]
            producer.send(topic, value=b"never", partition=partition).get(timeout=30)
            producer.abort_transaction()
        finally:
            producer.close()
        append(log, topic, episode("g", "e3"))
        with log.transaction() as transaction:
            transaction.append(topic, encode(episode("g", "e4")))
        report = archive_all(log, config, tmp_path)
    assert report.ok, str(report)
    assert sum(p.num_gaps for p in report.partitions) == 4
    assert report.archived_rows - sum(p.num_gaps for p in report.partitions) <= report.log_records == 32
    assert archived(archive_location(tmp_path), "SELECT count(*) FROM a WHERE kind = 'episode_finished'") == [(4,)]


def test_members_that_join_and_leave_share_the_partitions_and_store_each_offset_once(
    kafka_broker: KafkaBroker, config: RunConfig, tmp_path: Path
) -> None:
    failures: list[BaseException] = []
    topic = config.topic("rollouts")

    def member(stop: threading.Event) -> None:
        try:
            with open_log(kafka_broker.url) as log:
                run_archiver(log, config, tmp_path, stop)
        except BaseException as error:
            failures.append(error)

    with open_log(kafka_broker.url) as log:
        log.create_topics(config.topics())
        stops = [threading.Event() for _ in range(2)]
        threads = [threading.Thread(target=member, args=(stop,)) for stop in stops]
        appending = iter(range(1000))

        def append_until(num_members: int) -> None:
            """Append episodes until the group is stable with so many members, and one more then."""
            while True:
                settled = stable_members(kafka_broker, f"{config.log.prefix}.archiver") == num_members
                number = next(appending)
                append(log, topic, episode(f"g{number}", f"e{number}", num_turns=1))
                if settled:
                    return

        threads[0].start()
        append_until(1)
        threads[1].start()
        append_until(2)
        stops[0].set()
        append_until(1)
        threads[0].join()
        stops[1].set()
        threads[1].join()
        assert failures == []
        report = archive_all(log, config, tmp_path)
    assert report.ok, str(report)
    counts = archived(
        archive_location(tmp_path), "SELECT count(*), count(DISTINCT event_id) FROM a WHERE kind <> 'gap'"
    )
    assert counts == [(5 * next(appending),) * 2]


def test_an_archiver_stopped_while_it_joins_still_archives_all(
    kafka_broker: KafkaBroker, config: RunConfig, tmp_path: Path
) -> None:
    stop = threading.Event()
    stop.set()
    with open_log(kafka_broker.url) as log:
        log.create_topics(config.topics())
        append(log, config.topic("rollouts"), episode("g", "e"))
        run_archiver(log, config, tmp_path, stop)
        report = verify(log, config, tmp_path)
    assert report.log_records > 0
    assert report.ok, str(report)


@pytest.mark.slow
def test_a_member_that_is_killed_leaves_its_partitions_to_the_next(
    kafka_broker: KafkaBroker, config: RunConfig, tmp_path: Path
) -> None:
    topic = config.topic("rollouts")
    command = [
        *(sys.executable, "-m", "tests.stream.archiver_process"),
        *(kafka_broker.url, str(tmp_path), config.log.prefix),
    ]
    with open_log(kafka_broker.url) as log:
        log.create_topics(config.topics())
        for number in range(10):
            append(log, topic, episode(f"g{number}", f"e{number}"))
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        log_dir = archive_location(tmp_path) / "_delta_log"
        wait_until(lambda: process.poll() is not None or len(list(log_dir.glob("*.json"))) > 1)
        process.send_signal(signal.SIGKILL)
        _, stderr = process.communicate()
        assert process.returncode == -signal.SIGKILL, stderr
        for number in range(10, 20):
            append(log, topic, episode(f"g{number}", f"e{number}"))
        report = archive_all(log, config, tmp_path)
    assert report.ok, str(report)
    counts = archived(
        archive_location(tmp_path), "SELECT count(*), count(DISTINCT event_id) FROM a WHERE kind <> 'gap'"
    )
    assert counts == [(160, 160)]
