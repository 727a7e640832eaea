"""Copying a run's records into another log, exactly once: same topics, partitions, order, keys, headers and bytes.

Durable steps, all in one transaction of the destination: 1 a batch of records; 2 the source's next offset of every
partition, committed for the group of this replay; 3 how many records were written so far and how many of them went to
another partition, committed for `.liveness` and `.engines`; 4 notes of the records that could not be made again
(replay_notes.py). Before the first batch a note says where the replay begins: what its words mean may move.
So the destination alone says where to go on: a replay that is killed anywhere starts again and repeats nothing.

Two things are not as they were: append times, which are the destination's, and `run_started.log_identity`, which names
the log it stands in (without that no role would take the new log for the run's).
"""

import hashlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import groupby

import msgspec

from trajlog.config import config_from_json
from trajlog.errors import ConfigError, DecodeError, LogUnavailable, RoleBusy
from trajlog.schemas import NewRecord, RunStarted, decode, encode
from trajlog.stream.archive_read import read_until
from trajlog.stream.control import run_identity
from trajlog.stream.log import Log, LogRecord, Reader, TopicPartition, partition_of
from trajlog.stream.recorded import Recorded, partition_name, recorded_start, topics_of
from trajlog.stream.replay_notes import RecordLeftOut, ReplayBegun, notes_topic, read_notes, to_records
from trajlog.stream.replay_starts import starts_of

BATCH_RECORDS = 1000
BATCH_BYTES = 8 * 1024 * 1024
JOIN_S = 60.0
"""Longest that the destination may take to give this replay its partitions: a killed one is forgotten after 10 s."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """What a replay did. All but `copied` counts earlier calls that it went on from."""

    copied: dict[str, int]
    """Records written now, per topic."""
    present: int
    """Records in the destination's topics now."""
    moved: int
    """Records (only undecodable ones can be) that stood in another partition than their key's, where they are now."""
    left_out: tuple[RecordLeftOut, ...]
    """Records that could not be made again."""
    starts: dict[TopicPartition, int]
    """Where it began."""


def replay_events(
    recorded: Recorded,
    destination: Log,
    words: Sequence[str] = (),
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Replayed:
    """Copy everything from where `words` say (replay_starts.py); go on where an earlier call with the same was ended.

    What the words meant to the first call holds for those that go on. run_started comes along wherever `.control`
    begins. `on_progress` gets offsets passed and their number. Raises ConfigError when the words mean nothing or the
    destination holds anything else or is another run's, RoleBusy when another replay into it is alive.
    """
    first, started = recorded_start(recorded)
    config = config_from_json(started.config)
    spans = recorded.spans()
    prefix, topics = config.log.prefix, config.topics()
    copied_topics = topics_of(prefix)
    name = _digest(recorded, copied_topics, words)
    group = f"{prefix}.replay-{name}"
    _refuse_other_runs(destination, prefix)
    there = [topic for topic in copied_topics if topic in destination.topics()]
    if not destination.committed(group, there):
        _refuse_any(destination, prefix, there)
    destination.create_topics({**topics, notes_topic(prefix): 1})
    written, elsewhere = (TopicPartition(config.topic(topic), 0) for topic in ("liveness", "engines"))
    with _guard(destination, copied_topics, group) as guard:
        numbers = _numbers(destination, group, [written, elsewhere])
        with destination.transaction(guard) as transaction:  # ends what a killed replay left open
            transaction.commit_offsets(group, numbers)
        numbers = _numbers(destination, group, [written, elsewhere])
        committed = destination.committed(group, copied_topics)
        _refuse_foreign(destination, prefix, copied_topics, numbers[written])
        notes = [note for note in read_notes(destination, prefix) if note.replay == name]
        left_out = [note for note in notes if isinstance(note, RecordLeftOut)]
        begun = next((note for note in notes if isinstance(note, ReplayBegun)), None)
        if begun is None:
            begun = _begin(name, recorded, words)
            with destination.transaction(guard) as transaction:
                transaction.append(notes_topic(prefix), to_records([begun]))
        starts = {tp: begun.starts[partition_name(tp)] for tp in spans}
        position = {tp: committed.get(tp, starts[tp]) for tp in spans}
        total = _size(starts, spans)
        opening = [first] if first.offset < starts[_of(first)] and _of(first) not in committed else []
        copied: Counter[str] = Counter()
        with closing(recorded.records(position)) as records:
            for batch in _batches([*opening], records):
                ends = {_of(record): record.offset + 1 for record in batch}
                position |= {tp: max(end, position[tp]) for tp, end in ends.items()}
                moved = sum(partition_of(record.key, topics[record.topic]) != record.partition for record in batch)
                numbers = {written: numbers[written] + len(batch), elsewhere: numbers[elsewhere] + moved}
                news = _left_out(name, recorded, starts, position, left_out)
                with destination.transaction(guard) as transaction:
                    for topic, run in groupby(batch, key=lambda record: record.topic):
                        transaction.append(topic, [_new(record, destination, started) for record in run])
                    transaction.append(notes_topic(prefix), to_records(news))
                    transaction.commit_offsets(group, {**{tp: position[tp] for tp in ends}, **numbers})
                left_out += news
                copied.update(record.topic for record in batch)
                on_progress(total - _size(position, spans), total)
                _keep(guard, destination, copied_topics)
        ends = {tp: span.stop for tp, span in spans.items()}
        news = _left_out(name, recorded, starts, ends, left_out)
        with destination.transaction(guard) as transaction:
            transaction.append(notes_topic(prefix), to_records(news))
            transaction.commit_offsets(group, ends)
    _refuse_foreign(destination, prefix, copied_topics, numbers[written])
    return Replayed(
        copied={topic: copied[topic] for topic in copied_topics},
        present=numbers[written],
        moved=numbers[elsewhere],
        left_out=tuple(left_out + news),
        starts=starts,
    )


def _digest(recorded: Recorded, topics: Iterable[str], words: Sequence[str]) -> str:
    """Tells this replay from others into the same destination."""
    storage, *entries = recorded.identity.split(";")
    ours = [entry for entry in entries if entry.split("=", 1)[0] in set(topics)]
    return hashlib.sha256("\n".join([storage, *ours, *sorted(words)]).encode()).hexdigest()[:16]


def _begin(name: str, recorded: Recorded, words: Sequence[str]) -> ReplayBegun:
    starts = {partition_name(tp): offset for tp, offset in starts_of(recorded, words).items()}
    return ReplayBegun(replay=name, source=recorded.name, words=tuple(words), starts=starts)


def _numbers(destination: Log, group: str, markers: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
    committed = destination.committed(group, [marker.topic for marker in markers])
    return {marker: committed.get(marker, 0) for marker in markers}


def _left_out(
    name: str,
    recorded: Recorded,
    starts: Mapping[TopicPartition, int],
    position: Mapping[TopicPartition, int],
    noted: Iterable[RecordLeftOut],
) -> list[RecordLeftOut]:
    """Notes of what was left out between `starts` and `position` and has none."""
    known = {(note.partition, note.offset) for note in noted}
    found = {}
    for tp, offset, group_id, why in recorded.left_out:
        place = partition_name(tp), offset
        if starts[tp] <= offset < position[tp] and place not in known:
            found[place] = RecordLeftOut(replay=name, partition=place[0], offset=offset, group_id=group_id, why=why)
    return list(found.values())


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


def _refuse_other_runs(destination: Log, prefix: str) -> None:
    """Raise ConfigError when an embedded log is another run's; a broker is there for many."""
    others = sorted(
        topic for topic in destination.topics() if topic.endswith(".control") and topic != f"{prefix}.control"
    )
    if others and destination.url.startswith("sqlite:"):
        raise ConfigError(
            f"{destination.url} is no place for this replay: it is the log of another run (it has the topic "
            f"{others[0]}). Name a fresh log with --to."
        )


def _refuse_any(destination: Log, prefix: str, topics: Iterable[str]) -> None:
    """Raise ConfigError when the destination holds records although this replay has written none."""
    for topic in topics:
        begins = destination.begin_offsets(topic)
        for tp, end in destination.end_offsets(topic).items():
            if end > begins[tp] and _holds_records(destination, tp, end):
                why = f"{partition_name(tp)} has records that this replay did not write"
                raise ConfigError(_foreign(destination, prefix, why))


def _refuse_foreign(destination: Log, prefix: str, topics: Iterable[str], count: int) -> None:
    """Raise ConfigError when the destination holds other than the `count` records that this replay wrote."""
    if (present := _count(destination, topics)) != count:
        why = f"it holds {present} records, this replay wrote {count}"
        raise ConfigError(_foreign(destination, prefix, why))


def _foreign(destination: Log, prefix: str, why: str) -> str:
    begun = [str(note) for note in read_notes(destination, prefix) if isinstance(note, ReplayBegun)]
    there = f"; there is {', '.join(dict.fromkeys(begun))}" if begun else ""
    return (
        f"{destination.url} is no place for this replay: {why}{there}. Name a fresh log with --to (or go on with the "
        f"very --from, log and run directory of the replay that is there, and start no role before it has ended)."
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
