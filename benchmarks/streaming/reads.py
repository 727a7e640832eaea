"""The archiver beside a consumer that only reads, and the assembler's fold."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from kafka import TopicPartition as KafkaTopicPartition

from trajlog.config import EpisodeConfig, GroupConfig, LearnerConfig, LogConfig, RunConfig
from trajlog.stream import archiver
from trajlog.stream.archive import Archive
from trajlog.stream.kafka_client import consumer
from trajlog.stream.log import Log, Reader, TopicPartition

from .rollouts import CONTEXT_LIMIT, GROUP_SIZE, RUN_ID

NOW = datetime(2026, 1, 1, tzinfo=UTC)
archiver.DRAIN_S = 600.0  # the archiver is asked to stop as soon as it has partitions: it archives what there is


def run_config(prefix: str, num_partitions: int = 4) -> RunConfig:
    return RunConfig(
        run_id=RUN_ID,
        log=LogConfig(prefix=prefix, num_partitions=num_partitions),
        group=GroupConfig(group_size=GROUP_SIZE),
        episode=EpisodeConfig(context_limit=CONTEXT_LIMIT),
        learner=LearnerConfig(max_tokens_per_microbatch=CONTEXT_LIMIT),
    )


@contextmanager
def stopping_when_assigned(log: Log, stop: threading.Event) -> Iterator[None]:
    """Set `stop` when the next group reader of `log` gets its first partitions."""
    plain = log.group_reader

    def group_reader(topics: Any, group: Any, on_assigned: Any, *rest: Any, **more: Any) -> Reader:
        def assigned(tps: frozenset[TopicPartition]) -> Any:
            if tps:
                stop.set()
            return on_assigned(tps)

        return plain(topics, group, assigned, *rest, **more)

    log.group_reader = group_reader  # type: ignore[method-assign]
    try:
        yield
    finally:
        del log.group_reader


def archive_seconds(log: Log, config: RunConfig, run_dir: Path) -> float:
    """Seconds in which one archiver takes all that the run's topics hold into a fresh archive and ends.

    Raises SystemExit when the archive lacks a record then.
    """
    started = time.perf_counter()
    with stopping_when_assigned(log, stop := threading.Event()):
        archiver.run_archiver(log, config, run_dir, stop)
    took = time.perf_counter() - started
    archive = Archive(archiver.archive_location(run_dir, config))
    for tp, end in log.end_offsets(config.topic("rollouts")).items():
        if (archive.covered(tp) if end else end - 1) != end - 1:
            raise SystemExit(f"{tp.topic}/{tp.partition} was archived up to {archive.covered(tp)} of {end - 1}")
    return took


def bare_read_seconds(log: Log, hosts: list[str], topic: str) -> float:
    """Seconds in which kafka-python with our settings polls every record of a topic and drops it."""
    ends = {KafkaTopicPartition(*tp): end for tp, end in log.end_offsets(topic).items()}
    started = time.perf_counter()
    client = consumer(hosts)
    try:
        client.assign(list(ends))
        for tp in ends:
            client.seek(tp, 0)
        done = 0
        while done < sum(ends.values()):
            done += sum(len(batch) for batch in client.poll(timeout_ms=1000, max_records=1000).values())
        return time.perf_counter() - started
    finally:
        client.close()
