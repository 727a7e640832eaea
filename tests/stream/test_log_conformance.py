"""What both engines of the log promise. Every test here runs against SQLite and against a real Kafka broker."""

import contextlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.stream.conformance.reading import (
    by_partition,
    number_of,
    numbered,
    poll_until,
    read_all,
    settled_ends,
)
from tests.stream.conformance.spawned import spawned
from trajlog.errors import ConfigError, LogError, LogIdentityMismatch, OffsetExpired
from trajlog.schemas.record import NewRecord
from trajlog.stream.log import (
    MAX_RECORD_BYTES,
    Log,
    Reader,
    TopicPartition,
    check_identity,
    partition_of,
    same_log,
)
from trajlog.stream.open import open_log

KILLED = -9


@pytest.fixture(params=["sqlite", pytest.param("kafka", marks=pytest.mark.kafka)])
def log_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/folder/log.db"
    return str(request.getfixturevalue("kafka_broker").url)


@pytest.fixture
def log(log_url: str) -> Iterator[Log]:
    with open_log(log_url, create=True) as log:
        yield log


@pytest.fixture
def topic(log: Log, kafka_prefix: str) -> str:
    """A topic of three partitions."""
    name = f"{kafka_prefix}.events"
    log.create_topics({name: 3})
    return name


def key_for(partition: int, count: int = 3) -> str:
    return next(f"k{n}" for n in range(100) if partition_of(f"k{n}".encode(), count) == partition)


def test_a_record_comes_back_as_it_was_appended(log: Log, topic: str) -> None:
    headers = (("kind", "génération"), ("num_events", "1"), ("kind", "twice"), ("empty", ""))
    records = [
        NewRecord(key=b"\x00\xff", headers=headers, value=bytes(range(256))),
        NewRecord(key=b"", headers=(), value=b""),
    ]
    before = datetime.now(UTC)
    log.append(topic, records)
    came = {record.key: record for record in read_all(log, topic)}
    assert {key: (record.headers, record.value) for key, record in came.items()} == {
        record.key: (record.headers, record.value) for record in records
    }
    assert came[b"\x00\xff"].header("kind") == "twice"
    assert came[b""].header("kind") is None
    for key, record in came.items():
        assert (record.topic, record.partition) == (topic, partition_of(key, 3))
        assert abs(record.append_time - before) < timedelta(seconds=10)
        assert record.append_time.tzinfo is UTC


def test_the_largest_record_is_taken_and_a_larger_one_refused_whole(log: Log, topic: str) -> None:
    large = NewRecord(key=b"k", headers=(), value=b"x" * (MAX_RECORD_BYTES - 1))
    log.append(topic, [large])
    with pytest.raises(LogError, match="over the limit of 33554432 bytes"):
        log.append(topic, [numbered("k", 1), NewRecord(key=b"kk", headers=(), value=large.value)])
    (record,) = read_all(log, topic)
    assert record.value == large.value


def test_partitions_keep_order_and_times_never_fall(log: Log, topic: str) -> None:
    for start in range(0, 60, 20):
        log.append(topic, [numbered(f"key-{n % 7}", n) for n in range(start, start + 20)])
    parts = by_partition(read_all(log, topic))
    assert sum(len(part) for part in parts.values()) == 60
    for part in parts.values():
        assert [number_of(record) for record in part] == sorted(number_of(record) for record in part)
        assert [record.offset for record in part] == list(range(len(part)))
        assert [record.append_time for record in part] == sorted(record.append_time for record in part)
    assert log.end_offsets(topic) == {
        TopicPartition(topic, n): len(parts.get(TopicPartition(topic, n), [])) for n in range(3)
    }


def test_a_reader_from_the_end_gets_only_what_comes_later(log: Log, topic: str) -> None:
    log.append(topic, [numbered("a", 1)])
    with log.reader([topic], "end") as reader:
        assert reader.poll(0.3) == []
        log.append(topic, [numbered("a", 2), numbered("b", 3)])
        assert sorted(number_of(record) for record in poll_until(reader, 2)) == [2, 3]


def test_a_waiting_reader_gets_a_record_at_once(log: Log, topic: str) -> None:
    with log.reader([topic], "end") as reader:
        reader.poll(0.5)
        log.append(topic, [numbered("a", 1)])
        started = time.monotonic()
        assert len(poll_until(reader, 1)) == 1
        assert time.monotonic() - started < 2.0


def test_poll_returns_no_more_than_asked_for_and_goes_on_where_it_stopped(log: Log, topic: str) -> None:
    log.append(topic, [numbered(f"k{n}", n) for n in range(30)])
    seen: list[int] = []
    with log.reader([topic], "beginning") as reader:
        while len(seen) < 30:
            records = reader.poll(5.0, max_records=7)
            assert 1 <= len(records) <= 7
            seen += [number_of(record) for record in records]
    assert sorted(seen) == list(range(30))


def test_replay_from_an_offset(log: Log, topic: str) -> None:
    log.append(topic, [numbered(key_for(1), n) for n in range(10)] + [numbered(key_for(2), 99)])
    records = read_all(log, topic, {TopicPartition(topic, 1): 6})
    assert [number_of(r) for r in records if r.partition == 1] == [6, 7, 8, 9]
    assert [number_of(r) for r in records if r.partition == 2] == [99]


def test_replay_from_a_time(log: Log, topic: str) -> None:
    for number in range(6):
        log.append(topic, [numbered("a", number)])
        time.sleep(0.005)  # Kafka's append times have milliseconds
    times = {number_of(record): record.append_time for record in read_all(log, topic)}
    assert [number_of(r) for r in read_all(log, topic, times[3])] == [3, 4, 5]
    assert read_all(log, topic, times[5] + timedelta(seconds=1)) == []
    assert len(read_all(log, topic, times[0] - timedelta(days=1))) == 6


def test_seek_pause_and_resume(log: Log, topic: str) -> None:
    log.append(topic, [numbered(key_for(p), 10 * p + n) for p in (0, 1) for n in range(3)])
    zero, one = TopicPartition(topic, 0), TopicPartition(topic, 1)
    with log.reader([topic], "beginning") as reader:
        assert reader.assignment() == {TopicPartition(topic, n) for n in range(3)}
        reader.pause([zero])
        assert [number_of(record) for record in poll_until(reader, 3)] == [10, 11, 12]
        assert reader.poll(0.3) == []
        assert (reader.position(zero), reader.position(one)) == (0, 3)
        reader.seek(one, 2)
        reader.resume([zero])
        assert sorted(number_of(record) for record in poll_until(reader, 4)) == [0, 1, 2, 12]
        with pytest.raises(LogError, match="not assigned"):
            reader.seek(TopicPartition(topic, 7), 0)
        with pytest.raises(LogError, match="without a group"):
            reader.commit({zero: 1})


def test_topics_keep_their_partition_count(log: Log, topic: str, log_url: str, kafka_prefix: str) -> None:
    log.create_topics({topic: 3, f"{kafka_prefix}.control": 1})
    assert log.num_partitions(topic) == 3
    assert {name: log.topics()[name] for name in (topic, f"{kafka_prefix}.control")} == {
        topic: 3,
        f"{kafka_prefix}.control": 1,
    }
    with pytest.raises(ConfigError, match="has 3 partitions, not 4"):
        log.create_topics({topic: 4})
    for call in (
        lambda: log.append("missing", [numbered("a", 1)]),
        lambda: log.reader(["missing"], "end"),
        lambda: log.group_reader(["missing"], "g"),
        lambda: log.end_offsets("missing"),
    ):
        with pytest.raises(LogError, match="no topic missing"):
            call()


def test_a_group_starts_at_the_first_offset_and_goes_on_after_its_last_commit(
    log: Log, topic: str, log_url: str
) -> None:
    log.append(topic, [numbered(f"k{n}", n) for n in range(20)])
    assert log.committed("g", [topic]) == {}
    with log.group_reader([topic], f"{topic}-g") as reader:
        assert reader.assignment() == frozenset()
        first = poll_until(reader, 20)
        halves = {tp: records[: len(records) // 2] for tp, records in by_partition(first).items()}
        offsets = {tp: records[-1].offset + 1 for tp, records in halves.items() if records}
        reader.commit(offsets)
    assert log.committed(f"{topic}-g", [topic]) == offsets
    with open_log(log_url) as again, again.group_reader([topic], f"{topic}-g") as reader:
        done = {number_of(record) for records in halves.values() for record in records}
        rest = poll_until(reader, 20 - len(done))
        assert sorted(number_of(record) for record in rest) == sorted(set(range(20)) - done)


def test_callbacks_place_and_flush_a_group_reader(log: Log, topic: str) -> None:
    group = f"{topic}-g"
    log.append(topic, [numbered(key_for(0), n) for n in range(5)])
    assigned: list[frozenset[TopicPartition]] = []
    every = frozenset(TopicPartition(topic, n) for n in range(3))

    def on_assigned(partitions: frozenset[TopicPartition]) -> dict[TopicPartition, int]:
        assigned.append(partitions)
        return {TopicPartition(topic, 0): 3}

    def on_revoked(partitions: frozenset[TopicPartition]) -> None:
        assert partitions == every
        with log.transaction(reader) as transaction:
            transaction.append(topic, [numbered(key_for(1), 100)])
            transaction.commit_offsets(group, {TopicPartition(topic, 0): 4})

    with log.group_reader([topic], group, on_assigned, on_revoked) as reader:
        assert [number_of(record) for record in poll_until(reader, 2)] == [3, 4]
    assert assigned == [every]
    assert log.committed(group, [topic]) == {TopicPartition(topic, 0): 4}
    assert 100 in [number_of(record) for record in read_all(log, topic)]


def test_an_exception_skips_on_revoked_and_a_failing_callback_comes_out(log: Log, topic: str) -> None:
    def refuse(partitions: frozenset[TopicPartition]) -> None:
        raise ArithmeticError("not written")

    def be_a_member(then_raise: Exception | None) -> None:
        with log.group_reader([topic], f"{topic}-g", on_revoked=refuse) as reader:
            while not reader.assignment():
                reader.poll(0.5)
            if then_raise is not None:
                raise then_raise

    with pytest.raises(RuntimeError, match="broke"):
        be_a_member(RuntimeError("broke"))
    with pytest.raises(ArithmeticError, match="not written"):
        be_a_member(None)


def test_a_transaction_writes_records_and_offsets_together(log: Log, topic: str, kafka_prefix: str) -> None:
    group, target = f"{topic}-g", f"{kafka_prefix}.target"
    log.create_topics({target: 2})
    log.append(topic, [numbered("a", 1)])
    with log.group_reader([topic], group) as reader:
        (record,) = poll_until(reader, 1)
        tp = TopicPartition(topic, record.partition)
        for number in range(3):
            with log.transaction(reader) as transaction:
                transaction.append(target, [numbered("x", 10 * number + n) for n in range(3)])
                assert len(read_all(log, target)) == 3 * number
                transaction.commit_offsets(group, {tp: number + 1})
            assert log.committed(group, [topic]) == {tp: number + 1}
    assert [number_of(r) for r in read_all(log, target)] == [0, 1, 2, 10, 11, 12, 20, 21, 22]
    assert [r.append_time for r in read_all(log, target)] == sorted(r.append_time for r in read_all(log, target))


def test_a_transaction_left_by_an_exception_writes_nothing(log: Log, topic: str) -> None:
    ends = log.end_offsets(topic)

    def change_my_mind() -> None:
        with log.transaction() as transaction:
            transaction.append(topic, [numbered("a", 1)])
            transaction.commit_offsets(f"{topic}-g", {TopicPartition(topic, 0): 5})
            raise RuntimeError("changed my mind")

    def name_a_missing_topic() -> None:
        with log.transaction() as transaction:
            transaction.append(topic, [numbered("a", 2)])
            transaction.append("missing", [numbered("a", 2)])

    with pytest.raises(RuntimeError, match="changed my mind"):
        change_my_mind()
    with pytest.raises(LogError, match="no topic missing"):
        name_a_missing_topic()
    with log.transaction():
        pass
    assert log.end_offsets(topic) == ends
    assert log.committed(f"{topic}-g", [topic]) == {}


def test_a_transaction_without_a_reader_commits_for_a_group_that_nobody_reads(log: Log, topic: str) -> None:
    for number in (1, 2):
        with log.transaction() as transaction:
            transaction.append(topic, [numbered("a", number)])
            transaction.commit_offsets(f"{topic}-g", {TopicPartition(topic, 0): number})
    assert [number_of(record) for record in read_all(log, topic)] == [1, 2]
    assert log.committed(f"{topic}-g", [topic]) == {TopicPartition(topic, 0): 2}


def test_a_guarded_transaction_commits_for_its_own_group_only(log: Log, topic: str) -> None:
    def commit_for_another(guard: Reader) -> None:
        with log.transaction(guard) as transaction:
            transaction.append(topic, [numbered("a", 1)])
            transaction.commit_offsets("other", {TopicPartition(topic, 0): 1})

    with log.group_reader([topic], f"{topic}-g") as member, log.reader([topic], "end") as plain:
        while not member.assignment():
            member.poll(0.5)
        with pytest.raises(LogError, match="cannot commit offsets for group other"):
            commit_for_another(member)
        with pytest.raises(LogError, match="takes a group reader"):
            commit_for_another(plain)
    assert read_all(log, topic) == []


@pytest.mark.slow
def test_kill_9_at_any_point_of_a_transaction_leaves_nothing_of_it(log: Log, log_url: str, kafka_prefix: str) -> None:
    points = ["in the block", "records written", "offsets written"]
    sources = {point: f"{kafka_prefix}.source{n}" for n, point in enumerate(points)}
    targets = {point: f"{kafka_prefix}.target{n}" for n, point in enumerate(points)}
    log.create_topics(dict.fromkeys([*sources.values(), *targets.values()], 2))
    with contextlib.ExitStack() as stack:
        programs = {}
        for point in points:
            log.append(sources[point], [numbered(f"k{n}", n) for n in range(8)])
            arguments = ["chain", sources[point], targets[point], f"{kafka_prefix}-{point}", point]
            programs[point] = stack.enter_context(spawned(log_url, *arguments))
        for program in programs.values():
            assert program.wait() == KILLED
        for point in points:
            assert read_all(log, targets[point]) == []
            assert log.committed(f"{kafka_prefix}-{point}", [sources[point]]) == {}
        for point in points:  # the next member starts from the same place, and does it once
            arguments = ["chain", sources[point], targets[point], f"{kafka_prefix}-{point}"]
            programs[point] = stack.enter_context(spawned(log_url, *arguments))
        for point in points:
            records = settled_ends(log, targets[point], 8)
            assert sorted(number_of(record) for record in records) == list(range(8)), point


@pytest.mark.slow
def test_kill_9_at_random_times_copies_every_record_once(log: Log, log_url: str, kafka_prefix: str) -> None:
    source, target, total = f"{kafka_prefix}.source", f"{kafka_prefix}.target", 3000
    log.create_topics({source: 1, target: 1})
    log.append(source, [numbered("k", n) for n in range(total)])
    for _ in range(2):
        with spawned(log_url, "chain", source, target, f"{kafka_prefix}-g") as program:
            program.wait_for("started")
            program.line(60.0)  # its first transaction; then it is killed somewhere in the next ones
            time.sleep(0.05)
    with spawned(log_url, "chain", source, target, f"{kafka_prefix}-g"):
        records = settled_ends(log, target, total)
    assert [number_of(record) for record in records] == list(range(total))


def test_kill_9_of_a_writer_loses_nothing_acknowledged_and_tears_nothing(log: Log, log_url: str, topic: str) -> None:
    with spawned(log_url, "append", topic, "w", "1000000") as program:
        program.wait_for("20")
        program.kill()
        acknowledged = max([20, *(int(line) for line in program.lines_left())])
    numbers = [number_of(record) for record in read_all(log, topic)]
    assert numbers == list(range(len(numbers)))
    assert acknowledged + 1 <= len(numbers) <= acknowledged + 2
    log.append(topic, [numbered("w", 7)])
    assert number_of(read_all(log, topic)[-1]) == 7


def test_several_writer_processes_at_once(log: Log, log_url: str, topic: str) -> None:
    names = ["w0", "w1", "w2"]
    with contextlib.ExitStack() as stack:
        programs = [stack.enter_context(spawned(log_url, "append", topic, name, "50")) for name in names]
        for program in programs:
            assert program.wait() == 0
    records = read_all(log, topic)
    for name in names:
        assert [number_of(record) for record in records if record.key == name.encode()] == list(range(50))
    for part in by_partition(records).values():
        assert [record.offset for record in part] == list(range(len(part)))
        assert [record.append_time for record in part] == sorted(record.append_time for record in part)


def test_a_group_that_never_read_does_not_pass_over_what_retention_dropped(log: Log, topic: str) -> None:
    log.append(topic, [numbered(key_for(0), n) for n in range(10)])
    log.truncate(topic, 0, 6)
    with (
        log.group_reader([topic], f"{topic}-g") as member,
        pytest.raises(OffsetExpired, match=r"offset 0 of .* the first one held is 6\. 6 offsets are lost"),
    ):
        poll_until(member, 1)


def test_retention_stops_a_reader_that_it_overtook(log: Log, topic: str) -> None:
    log.append(topic, [numbered(key_for(0), n) for n in range(10)])
    tp = TopicPartition(topic, 0)
    with log.reader([topic], {tp: 2}) as reader, log.group_reader([topic], f"{topic}-g") as member:
        while not member.assignment():
            member.poll(0.5)
        member.commit({tp: 1})
        log.truncate(topic, 0, 6)
        assert log.begin_offsets(topic)[tp] == 6
        assert log.end_offsets(topic)[tp] == 10
        with pytest.raises(OffsetExpired, match=r"offset 2 of .*events/0 .* the first one held is 6"):
            poll_until(reader, 1)
    with (
        log.group_reader([topic], f"{topic}-g") as member,
        pytest.raises(OffsetExpired, match=r"offset 1 of .* 5 offsets are lost"),
    ):
        poll_until(member, 1)
    assert [number_of(record) for record in read_all(log, topic)] == [6, 7, 8, 9]
    log.truncate(topic, 0, 3)
    assert log.begin_offsets(topic)[tp] == 6
    with pytest.raises(LogError, match="it ends at 10"):
        log.truncate(topic, 0, 11)
    log.truncate(topic, 0, 10)
    log.append(topic, [numbered(key_for(0), 10)])
    assert [(number_of(record), record.offset) for record in read_all(log, topic)] == [(10, 10)]


def test_a_position_beyond_the_end_is_of_another_log(log: Log, topic: str) -> None:
    with (
        log.reader([topic], {TopicPartition(topic, 0): 5}) as reader,
        pytest.raises(LogIdentityMismatch, match=r"offset 5 of .*events/0 .* beyond its end 0"),
    ):
        poll_until(reader, 1)


def test_the_identity_outlives_a_reopening_and_new_topics(log: Log, log_url: str, topic: str) -> None:
    remembered = log.identity
    check_identity(log, remembered, "a checkpoint")
    log.create_topics({f"{topic}.later": 1})
    with open_log(log_url) as again:
        check_identity(again, remembered, "a checkpoint")
    with pytest.raises(LogIdentityMismatch, match="a checkpoint remembers offsets of log another"):
        check_identity(log, "another", "a checkpoint")


IDS = st.dictionaries(st.sampled_from(["a", "b", "c"]), st.sampled_from(["1", "2"]))


@given(IDS, IDS, st.sets(st.sampled_from(["a", "b", "c"])))
def test_identities_differ_where_a_topic_has_two_ids(old: dict[str, str], new: dict[str, str], named: set[str]) -> None:
    def text(ids: dict[str, str], cluster: str = "kafka:x") -> str:
        return ";".join([cluster, *(f"{topic}={number}" for topic, number in ids.items())])

    clash = {topic for topic in old.keys() & new.keys() if old[topic] != new[topic]}
    assert same_log(text(old), text(new)) == (not clash)
    assert same_log(text(old), text(new), named) == (not clash & named)
    assert not same_log(text(old), text(new, "kafka:y"), named)


def test_the_partition_of_a_key_never_changes() -> None:
    assert [partition_of(key, 7) for key in (b"", b"g1", b"group-2", "größe".encode())] == [0, 6, 4, 3]
