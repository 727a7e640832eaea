"""Small ways to fill and read a log, used by the tests of both engines."""

import time

from tests.stream.roles import WITHIN_S
from trajlog.schemas.record import NewRecord
from trajlog.stream.log import Log, LogRecord, Reader, Start, TopicPartition


def numbered(key: str, number: int, size: int = 0) -> NewRecord:
    """A record whose value is `number`, padded to `size` bytes."""
    headers = (("kind", "test"), ("schema_version", "1"), ("num_events", "1"), ("run_id", "r"))
    return NewRecord(key=key.encode(), headers=headers, value=str(number).encode().ljust(size, b"."))


def number_of(record: LogRecord) -> int:
    return int(record.value.rstrip(b"."))


def poll_until(reader: Reader, count: int, timeout_s: float = WITHIN_S) -> list[LogRecord]:
    """Poll until `count` records came; fails the test when they do not come in time."""
    records: list[LogRecord] = []
    deadline = time.monotonic() + timeout_s
    while len(records) < count:
        assert time.monotonic() < deadline, f"{len(records)} of {count} records after {timeout_s} s"
        records += reader.poll(0.2)
    return records


def read_all(log: Log, topic: str, start: Start = "beginning", timeout_s: float = WITHIN_S) -> list[LogRecord]:
    """Everything from `start` to the end offsets of now, in the order it came."""
    ends = log.end_offsets(topic)
    records: list[LogRecord] = []
    deadline = time.monotonic() + timeout_s
    with log.reader([topic], start) as reader:
        while any(reader.position(tp) < end for tp, end in ends.items()):
            assert time.monotonic() < deadline, f"stuck at {[reader.position(tp) for tp in ends]} of {ends}"
            records += reader.poll(0.2)
    return records


def by_partition(records: list[LogRecord]) -> dict[TopicPartition, list[LogRecord]]:
    parts: dict[TopicPartition, list[LogRecord]] = {}
    for record in records:
        parts.setdefault(TopicPartition(record.topic, record.partition), []).append(record)
    return parts


def settled_ends(log: Log, topic: str, expected: int, timeout_s: float = WITHIN_S) -> list[LogRecord]:
    """All records of a topic once there are `expected`: the broker ends what a killed process left open."""
    deadline = time.monotonic() + timeout_s
    while True:
        records = read_all(log, topic)
        if len(records) >= expected or time.monotonic() > deadline:
            return records
        time.sleep(0.2)
