"""Copying a run's records into another log, exactly once: same topics, partitions, order, keys, headers and bytes.

Durable steps, all in one transaction of the destination: 1 a batch of records; 2 the source's next offset of every
partition, committed for the group of this replay; 3 how many records were written so far, committed for `.liveness`.
So the destination alone says where to go on: a replay that is killed anywhere starts again and repeats nothing.

Two things are not as they were: append times, which are the destination's, and `run_started.log_identity`, which names
the log it stands in (without that no role would take the new log for the run's).
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from itertools import groupby

import msgspec

from trajlog.config import config_from_json
from trajlog.errors import ConfigError, DecodeError, LogUnavailable, RoleBusy
from trajlog.schemas import NewRecord, RunStarted, decode, encode
from trajlog.stream.archive_read import read_until
from trajlog.stream.control import run_identity
from trajlog.stream.log import Log, LogRecord, Reader, TopicPartition, partition_of
from trajlog.stream.recorded import Recorded, recorded_start, topics_of

BATCH_RECORDS = 1000
BATCH_BYTES = 8 * 1024 * 1024
JOIN_S = 60.0
"""Longest that the destination may take to give this replay its partitions: a killed one is forgotten after 10 s."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay did."""

    copied: dict[str, int]
    """Records written now, per topic."""
    present: int
    """Records in the destination's topics now, those of earlier starts of this replay included."""
    moved: int
    """Records (only undecodable ones can be) that stood in another partition than their key's, where they are now."""


def replay_events(
    recorded: Recorded,
    destination: Log,
    starts: Mapping[TopicPartition, int],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Replayed:
    """Copy everything from `starts` on; go on where an earlier call with the same arguments was ended.

    run_started comes along wherever `.control` begins. `on_progress` gets offsets passed and their number. Raises
    ConfigError when the destination holds anything else, RoleBusy when another replay into it is alive.
    """
    first, started = recorded_start(recorded)
    config = config_from_json(started.config)
    spans = recorded.spans()
    topics = config.topics()
    copied_topics = topics_of(config.log.prefix)
    group = f"{config.log.prefix}.replay-{_digest(recorded, copied_topics, starts)}"
    destination.create_topics(topics)
    if not destination.committed(group, copied_topics):
        _refuse_any(destination, copied_topics)
    marker = TopicPartition(config.topic("liveness"), 0)
    with _guard(destination, copied_topics, group) as guard:
        count = destination.committed(group, [marker.topic]).get(marker, 0)
        with destination.transaction(guard) as transaction:  # ends what a killed replay left open
            transaction.commit_offsets(group, {marker: count})
        committed = destination.committed(group, [*copied_topics, marker.topic])
        count = committed.pop(marker)
        _refuse_foreign(destination, copied_topics, count)
        position = {tp: committed.get(tp, starts[tp]) for tp in spans}
        total = _size(starts, spans)
        opening = [first] if first.offset < starts[_of(first)] and _of(first) not in committed else []
        copied: Counter[str] = Counter()
        moved = 0
        with closing(recorded.records(position)) as records:
            for batch in _batches([*opening], records):
                ends = {_of(record): record.offset + 1 for record in batch}
                position |= {tp: max(end, position[tp]) for tp, end in ends.items()}
                count += len(batch)
                with destination.transaction(guard) as transaction:
                    for topic, run in groupby(batch, key=lambda record: record.topic):
                        news = [_new(record, destination, started) for record in run]
                        transaction.append(topic, news)
                    transaction.commit_offsets(group, {**{tp: position[tp] for tp in ends}, marker: count})
                copied.update(record.topic for record in batch)
                moved += sum(partition_of(record.key, topics[record.topic]) != record.partition for record in batch)
                on_progress(total - _size(position, spans), total)
                _keep(guard, destination, copied_topics)
        with destination.transaction(guard) as transaction:
            transaction.commit_offsets(group, {tp: span.stop for tp, span in spans.items()})
    _refuse_foreign(destination, copied_topics, count)
    return Replayed(copied={topic: copied[topic] for topic in copied_topics}, present=count, moved=moved)


def _digest(recorded: Recorded, topics: Iterable[str], starts: Mapping[TopicPartition, int]) -> str:
    """Tells this replay from others into the same destination."""
    storage, *entries = recorded.identity.split(";")
    ours = [entry for entry in entries if entry.split("=", 1)[0] in set(topics)]
    told = [storage, *ours, *(f"{tp}={start}" for tp, start in sorted(starts.items()))]
    return hashlib.sha256("\n".join(told).encode()).hexdigest()[:16]


def _of(record: LogRecord) -> TopicPartition:
    return TopicPartition(record.topic, record.partition)


def _size(position: Mapping[TopicPartition, int], spans: Mapping[TopicPartition, range]) -> int:
    return sum(max(0, span.stop - position[tp]) for tp, span in spans.items())


def _guard(destination: Log, topics: list[str], group: str) -> Reader:
    """A member of the replay's group that holds every partition: whoever has it is the only one that writes."""

    def at_the_end(partitions: frozenset[TopicPartition]) -> Mapping[TopicPartition, int]:
        ends = {tp: end for topic in topics for tp, end in destination.end_offsets(topic).items()}
        return {tp: ends[tp] for tp in partitions}

    guard = destination.group_reader(topics, group, at_the_end)
    try:
        deadline = time.monotonic() + JOIN_S
        while not guard.assignment():
            guard.poll(0.2)
            if time.monotonic() > deadline:
                raise LogUnavailable(
                    f"{destination.url} gave this replay no partition within {JOIN_S:.0f} s: try again"
                )
        _keep(guard, destination, topics)
    except BaseException:
        guard.close()
        raise
    return guard


def _keep(guard: Reader, destination: Log, topics: Iterable[str]) -> None:
    """Stay a member, alone; nothing is read."""
    guard.pause(guard.assignment())
    guard.poll(0.0)
    wanted = {TopicPartition(topic, p) for topic in topics for p in range(destination.num_partitions(topic))}
    if guard.assignment() != wanted:
        raise RoleBusy(f"another replay into {destination.url} is alive: stop one of them and start the other again")


def _refuse_any(destination: Log, topics: Iterable[str]) -> None:
    """Raise ConfigError when the destination holds records although this replay has written none."""
    for topic in topics:
        begins = destination.begin_offsets(topic)
        for tp, end in destination.end_offsets(topic).items():
            if end > begins[tp] and _holds_records(destination, tp, end):
                why = f"{tp.topic}-{tp.partition} has records that this replay did not write"
                raise ConfigError(_foreign(destination, why))


def _refuse_foreign(destination: Log, topics: Iterable[str], count: int) -> None:
    """Raise ConfigError when the destination holds other than the `count` records that this replay wrote."""
    if (present := _count(destination, topics)) != count:
        raise ConfigError(_foreign(destination, f"it holds {present} records, this replay wrote {count}"))


def _foreign(destination: Log, why: str) -> str:
    return (
        f"{destination.url} is no place for this replay: {why}. Name a fresh log with --to (or go on with the very "
        f"--from, log and run directory of the replay that is there, and start no role before it has ended)."
    )


def _holds_records(log: Log, tp: TopicPartition, end: int) -> bool:
    """Whether there is any record: on Kafka, offsets may be aborted ones."""
    elsewhere = {other: at for other, at in log.end_offsets(tp.topic).items() if other != tp}
    with log.reader([tp.topic], {**log.begin_offsets(tp.topic), **elsewhere}) as reader:
        reader.pause(elsewhere)
        return next(read_until(reader, {tp: end}), None) is not None


def _count(log: Log, topics: Iterable[str]) -> int:
    count = 0
    for topic in topics:
        ends = log.end_offsets(topic)
        with log.reader([topic], "beginning") as reader:
            for records in read_until(reader, ends):
                count += sum(record.offset < ends[_of(record)] for record in records)
    return count


def _batches(opening: list[LogRecord], records: Iterable[LogRecord]) -> Iterator[list[LogRecord]]:
    """Records to be written together; those of one offset (parts) are never in two."""
    batch = opening
    num_bytes = 0
    for record in records:
        full = len(batch) >= BATCH_RECORDS or num_bytes >= BATCH_BYTES
        if full and (_of(record), record.offset) != (_of(batch[-1]), batch[-1].offset):
            yield batch
            batch, num_bytes = [], 0
        batch.append(record)
        num_bytes += len(record.key) + len(record.value)
    if batch:
        yield batch


def _new(record: LogRecord, destination: Log, started: RunStarted) -> NewRecord:
    """The record as it is appended."""
    same = NewRecord(record.key, record.headers, record.value)
    if record.header("kind") != RunStarted.kind:
        return same
    try:
        events = decode(record.headers, record.value).events()
    except DecodeError:
        return same
    identity = run_identity(destination, config_from_json(started.config))
    (own,) = encode(
        msgspec.structs.replace(event, log_identity=identity) if isinstance(event, RunStarted) else event
        for event in events
    )
    return own
