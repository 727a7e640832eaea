"""What only the Kafka log has: rebalances, members removed by the broker, a broker that goes away and comes back."""

import threading
import time
from collections.abc import Iterator

import pytest
from kafka import KafkaAdminClient
from kafka import errors as kafka_errors
from kafka.admin import ConfigResource, ConfigResourceType
from plumbing.kafka_broker import KafkaBroker

from tests.stream.conformance.reading import number_of, numbered, poll_until, read_all, settled_ends
from tests.stream.conformance.spawned import Spawned, spawned
from tests.stream.roles import WITHIN_S
from trajlog.errors import ConfigError, LogError, LogIdentityMismatch, LogUnavailable, MemberReplaced
from trajlog.stream import kafka_client, kafka_reader, kafka_transaction
from trajlog.stream.kafka import KafkaLog
from trajlog.stream.log import Reader, TopicPartition, check_identity, partition_of
from trajlog.stream.open import open_log

pytestmark = pytest.mark.kafka


@pytest.fixture
def log(kafka_broker: KafkaBroker) -> Iterator[KafkaLog]:
    with KafkaLog(kafka_broker.url, [kafka_broker.bootstrap]) as log:
        yield log


@pytest.fixture
def topic(log: KafkaLog, kafka_prefix: str) -> str:
    name = f"{kafka_prefix}.events"
    log.create_topics({name: 4})
    return name


@pytest.fixture
def admin(kafka_broker: KafkaBroker) -> Iterator[KafkaAdminClient]:
    with KafkaAdminClient(bootstrap_servers=kafka_broker.bootstrap) as admin:
        yield admin


LOSES_SOCKETS = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def test_an_absent_broker_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_client, "CONNECT_S", 0.1)
    with pytest.raises(LogUnavailable, match=r"no Kafka broker answers at 127.0.0.1:1, localhost:2 .* Start it"):
        open_log("kafka://127.0.0.1:1,localhost:2")
    for host in ("host:port", ":9092", "[::1"):
        with pytest.raises(ConfigError, match="not a broker address"):
            open_log(f"kafka://{host}")


def test_topics_are_made_with_the_settings_that_the_log_needs(
    log: KafkaLog, topic: str, admin: KafkaAdminClient
) -> None:
    settings = str(admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)]))
    for name, value in kafka_client.TOPIC_CONFIGS.items():
        assert name in settings
        assert value in settings
    with pytest.raises(ConfigError, match="letters, digits"):
        log.create_topics({"no spaces": 1})


def test_a_topic_with_writers_times_is_refused(log: KafkaLog, kafka_prefix: str, admin: KafkaAdminClient) -> None:
    name = f"{kafka_prefix}.foreign"
    admin.create_topics({name: {"num_partitions": 1, "configs": {"message.timestamp.type": "CreateTime"}}})
    admin.wait_for_topics([name])
    log.append(name, [numbered("a", 1)])
    with (
        log.reader([name], "beginning") as reader,
        pytest.raises(ConfigError, match=r"Set message\.timestamp\.type=LogAppendTime"),
    ):
        poll_until(reader, 1)


def make_anew(log: KafkaLog, topic: str, admin: KafkaAdminClient) -> None:
    admin.delete_topics([topic])
    deadline = time.monotonic() + WITHIN_S
    while topic in log.topics():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    log.create_topics({topic: 4})


def test_a_topic_made_anew_is_another_log(log: KafkaLog, topic: str, admin: KafkaAdminClient) -> None:
    remembered = log.identity
    make_anew(log, topic, admin)
    with pytest.raises(LogIdentityMismatch, match="the archive remembers offsets"):
        check_identity(log, remembered, "the archive", [topic])
    check_identity(log, remembered, "the archive", [f"{topic}.other"])


def test_a_log_that_was_seen_once_is_not_read_on_from_topics_made_anew_by_readers_that_begin_later(
    log: KafkaLog, topic: str, admin: KafkaAdminClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kafka_reader, "_PROBE_S", 0.1)
    make_anew(log, topic, admin)  # as between a role's look at its run and its first poll
    for reader in (log.group_reader([topic], f"{topic}-g"), log.reader([topic], "beginning")):
        with reader, pytest.raises(LogIdentityMismatch, match="it was recreated"):
            poll_until(reader, 1)


def remove_members(admin: KafkaAdminClient, group: str) -> None:
    """What the broker does to a member that it has not heard of for too long."""
    from kafka.admin import MemberToRemove

    (described,) = admin.describe_groups([group]).values()
    admin.remove_group_members(group, [MemberToRemove(m["member_id"]) for m in described["members"]])


def test_a_group_member_takes_no_partition_of_a_topic_that_was_made_anew(
    log: KafkaLog, topic: str, admin: KafkaAdminClient
) -> None:
    taken: list[frozenset[TopicPartition]] = []
    with log.group_reader([topic], f"{topic}-g", lambda tps: taken.append(tps) or {}) as reader:
        log.append(topic, [numbered("a", 1)])
        poll_until(reader, 1)
        make_anew(log, topic, admin)
        remove_members(admin, f"{topic}-g")  # it joins again
        with pytest.raises(LogIdentityMismatch, match=r"remembers offsets|lacks records that this reader"):
            poll_until(reader, 1)
    assert len(taken) == 1


def test_a_removed_member_writes_nothing_and_is_told_what_it_holds_when_it_polls_again(
    log: KafkaLog, topic: str, admin: KafkaAdminClient
) -> None:
    group = f"{topic}-g"
    assigned: list[frozenset[TopicPartition]] = []
    revoked: list[frozenset[TopicPartition]] = []

    def transact() -> None:
        with log.transaction(reader) as transaction:
            transaction.append(topic, [numbered("a", 1)])
            transaction.commit_offsets(group, {TopicPartition(topic, 0): 0})

    with log.group_reader([topic], group, lambda tps: assigned.append(tps) or {}, revoked.append) as reader:
        while not reader.assignment():
            reader.poll(0.5)
        transact()
        ends = log.end_offsets(topic)
        remove_members(admin, group)
        with pytest.raises(LogError, match="was replaced"):
            transact()
        with pytest.raises(LogError, match="was replaced"):
            reader.commit({TopicPartition(topic, 0): 7})
        assert len(read_all(log, topic)) == 1
        assert log.committed(group, [topic]) == {TopicPartition(topic, 0): 0}
        deadline = time.monotonic() + 30
        while len(assigned) < 2:
            assert time.monotonic() < deadline
            reader.poll(0.5)
        transact()
        assert len(read_all(log, topic)) == 2
        assert all(log.end_offsets(topic)[tp] >= end for tp, end in ends.items())
        assert revoked == []
    every = frozenset(TopicPartition(topic, n) for n in range(4))
    assert assigned == [every, every]
    assert revoked == [every]


def partitions_in(line: str) -> set[int]:
    return {int(number) for number in line.split()[1:]}


def next_assignment(program: Spawned, timeout_s: float = 40.0) -> tuple[set[int], list[str]]:
    """Partitions of the next non-empty assignment, and the words that came before it."""
    words: list[str] = []
    while True:
        line = program.line(timeout_s)
        if line.startswith("assigned ") and partitions_in(line):
            return partitions_in(line), words
        words.append(line.split()[0])


@pytest.mark.slow
def test_members_share_partitions_and_take_over_those_of_a_killed_one(log: KafkaLog, topic: str) -> None:
    group = f"{topic}-g"
    with spawned(log.url, "hold", topic, group) as first:
        assert next_assignment(first)[0] == {0, 1, 2, 3}
        with spawned(log.url, "hold", topic, group) as second:
            left, words = next_assignment(first)
            assert "revoked" in words
            right, _ = next_assignment(second)
            assert (left | right, left & right) == ({0, 1, 2, 3}, set())
            assert len(left) == len(right) == 2
            log.append(topic, [numbered(f"k{n}", n) for n in range(20)])
        assert next_assignment(first)[0] == {0, 1, 2, 3}
        read = set()
        while len(read) < 20:  # nothing was committed, so all of it comes again to the one that is left
            line = first.line()
            if line.startswith("read "):
                read.add(line)


def test_a_revoked_member_may_still_write_before_the_next_one_reads(log: KafkaLog, topic: str) -> None:
    group = f"{topic}-g"
    log.append(topic, [numbered(f"k{n}", n) for n in range(12)])

    def flush(partitions: frozenset[TopicPartition]) -> None:
        with log.transaction(reader) as transaction:
            transaction.append(topic, [numbered("flushed", 100)])
            transaction.commit_offsets(group, {tp: reader.position(tp) for tp in partitions})

    with log.group_reader([topic], group, on_revoked=flush) as reader:
        poll_until(reader, 12)
        with spawned(log.url, "hold", topic, group) as second:
            second.wait_for("started")
            deadline = time.monotonic() + 30
            while len(reader.assignment()) != 2:
                assert time.monotonic() < deadline
                reader.poll(0.2)
            assert len(next_assignment(second)[0]) == 2
        flushed = [record for record in read_all(log, topic) if number_of(record) == 100]
        assert len(flushed) == 1
        ends = log.end_offsets(topic)
        committed = log.committed(group, [topic])
        own = TopicPartition(topic, partition_of(b"flushed", 4))
        assert {tp: end for tp, end in ends.items() if tp != own} == {
            tp: offset for tp, offset in committed.items() if tp != own
        }


@pytest.mark.slow
@pytest.mark.usefixtures("lost_sockets")
@LOSES_SOCKETS
def test_a_broker_killed_and_back_loses_nothing_acknowledged(own_kafka_broker: KafkaBroker) -> None:
    acknowledged: list[int] = []
    stop = threading.Event()

    def write() -> None:
        while not stop.is_set():
            log.append("events", [numbered("a", len(acknowledged))])
            acknowledged.append(len(acknowledged))

    def wait_for(count: int) -> None:
        deadline = time.monotonic() + WITHIN_S
        while len(acknowledged) < count:
            assert time.monotonic() < deadline
            assert writer.is_alive()
            time.sleep(0.01)

    with open_log(own_kafka_broker.url) as log:
        log.create_topics({"events": 1})
        remembered = log.identity
        writer = threading.Thread(target=write)
        with log.group_reader(["events"], "g") as reader:
            writer.start()
            seen = poll_until(reader, 20)
            for _ in range(2):
                own_kafka_broker.kill()
                seen += reader.poll(1.0)
                own_kafka_broker.start()
                wait_for(len(acknowledged) + 20)
            stop.set()
            writer.join(WITHIN_S)
            seen += poll_until(reader, len(acknowledged) - len(seen))
            reader.commit({TopicPartition("events", 0): 5})
        numbers = [number_of(record) for record in seen]
        assert numbers == list(range(len(acknowledged)))
        assert log.committed("g", ["events"]) == {TopicPartition("events", 0): 5}
        check_identity(log, remembered, "the archive")
        own_kafka_broker.stop()
        own_kafka_broker.wipe()
        own_kafka_broker.start()
        with open_log(own_kafka_broker.url) as recreated, pytest.raises(LogIdentityMismatch):
            check_identity(recreated, remembered, "the archive")


@pytest.mark.slow
@pytest.mark.usefixtures("lost_sockets")
@LOSES_SOCKETS
def test_what_is_asked_while_the_broker_restarts_is_answered_once_it_is_back(
    own_kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_by_a_new_member() -> list[int]:
        with log.group_reader(["events"], "g") as reader:
            return [number_of(record) for record in poll_until(reader, 1)]

    with open_log(own_kafka_broker.url) as log:
        log.create_topics({"events": 1})
        log.append("events", [numbered("a", 0)])
        monkeypatch.setattr(kafka_client, "CONNECT_S", 0.0)  # for the first client of a log alone
        for ask, answer in ((log.topics, {"events": 1}), (read_by_a_new_member, [0])):
            own_kafka_broker.kill()
            back = threading.Thread(target=own_kafka_broker.start)
            back.start()
            try:
                assert ask() == answer
            finally:
                back.join()


@pytest.mark.slow
@pytest.mark.usefixtures("lost_sockets")
@LOSES_SOCKETS
def test_a_broker_that_stays_away_ends_every_call_in_bounded_time(
    own_kafka_broker: KafkaBroker, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (kafka_client, kafka_reader, kafka_transaction):
        monkeypatch.setattr(module, "RETRY_S", 2.0)
    monkeypatch.setattr(kafka_client, "CONNECT_S", 1.0)
    monkeypatch.setattr(kafka_reader, "_PROBE_S", 0.5)

    def transact(guard: Reader | None) -> None:
        with log.transaction(guard) as transaction:
            transaction.append("events", [numbered("a", 1)])
            transaction.commit_offsets("g" if guard else "other", {TopicPartition("events", 0): 1})

    def poll_on(some: Reader) -> None:
        for _ in range(100):
            some.poll(0.2)

    with open_log(own_kafka_broker.url) as log:
        log.create_topics({"events": 1})
        with log.group_reader(["events"], "g") as member, log.reader(["events"], "beginning") as reader:
            log.append("events", [numbered("a", 0)])
            poll_until(member, 1)
            transact(member)
            transact(None)
            own_kafka_broker.kill()
            for call in (
                lambda: log.append("events", [numbered("a", 2)]),
                lambda: poll_on(reader),
                lambda: transact(member),
                lambda: transact(None),
                lambda: log.append("events", [numbered("a", 3)]),
            ):
                started = time.monotonic()
                with pytest.raises(LogUnavailable):
                    call()
                assert time.monotonic() - started < 30


@pytest.mark.slow
def test_what_a_killed_process_left_open_holds_readers_up_for_a_bounded_time(
    log: KafkaLog, topic: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The broker aborts an open transaction after TRANSACTION_S, looked at every 10 s; the group is not needed."""
    source, group = f"{topic}.source", f"{topic}-g"
    log.create_topics({source: 1})
    log.append(source, [numbered("a", 1)])
    with spawned(log.url, "chain", source, topic, group, "records written") as program:
        assert program.wait() == -9
    log.append(topic, [numbered("a", 2)])
    assert read_all(log, topic) == []  # it is there, but behind the open transaction
    records = settled_ends(log, topic, 1, timeout_s=kafka_client.TRANSACTION_S + 20)
    assert [number_of(record) for record in records] == [2]


def test_a_transactional_request_that_is_never_answered_is_a_log_that_is_away() -> None:
    said = "Could not execute transactional request for unknown reasons: [Error 7] RequestTimedOutError: after 30000 ms"
    with pytest.raises(LogUnavailable, match="Check that the broker runs"), kafka_client.mapped_errors("kafka://h:1"):
        raise kafka_errors.KafkaError(said)


@pytest.mark.parametrize(
    "said",
    [
        (
            "Cannot perform send because at least one previous transactional or idempotent request has failed with "
            "errors.",
            kafka_errors.ProducerFencedError(),
        ),
        ("Cannot execute transactional method because we are in an error state: [Error 90] ProducerFencedError",),
    ],
)
def test_a_producer_that_was_fenced_before_its_next_step_is_a_replaced_member(said: tuple[object, ...]) -> None:
    with pytest.raises(MemberReplaced, match="nothing was written"), kafka_client.mapped_errors("kafka://h:1"):
        raise kafka_errors.KafkaError(*said)
