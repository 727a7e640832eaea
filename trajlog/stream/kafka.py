"""The distributed log: Apache Kafka through kafka-python.

Appends go through one idempotent producer (acks=all) and are acknowledged before `append` returns; the partition
is ours (`partition_of`), not the client's. Topics are created with log-append time and without retention of their
own. Where the disk of a broker is full, Kafka takes the partition offline: that is LogUnavailable here.
"""

import re
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial

from kafka import KafkaConsumer, KafkaProducer
from kafka import TopicPartition as KafkaTopicPartition
from kafka import errors as kafka_errors
from kafka.admin import OffsetSpec

from trajlog.errors import ConfigError, LogError, LogIdentityMismatch
from trajlog.schemas.record import NewRecord
from trajlog.stream.kafka_client import (
    ASK_MS,
    RETRY_S,
    TOPIC_CONFIGS,
    admin_client,
    close_producer,
    consumer,
    mapped_errors,
    patiently,
    producer,
)
from trajlog.stream.kafka_reader import KafkaGroupReader, KafkaReader, to_kafka_offsets
from trajlog.stream.kafka_transaction import TransactionalProducer
from trajlog.stream.log import Reader, Start, TopicPartition, Transaction, check_size, partition_of, same_log
from trajlog.stream.pending import PendingTransaction

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HIDDEN = (kafka_errors.UnknownTopicOrPartitionError.errno, kafka_errors.TopicAuthorizationFailedError.errno)
_TOPIC_NAME = re.compile(r"[A-Za-z0-9._-]{1,249}")


class KafkaLog:
    """A log on a Kafka cluster. Thread-safe; clients for appending and for questions are made when first used."""

    def __init__(self, url: str, hosts: list[str]) -> None:
        self.url = url
        self.hosts = hosts
        self._lock = threading.RLock()
        self._partition_counts: dict[str, int] = {}
        self._cluster_id = ""
        self._topic_ids: dict[str, object] = {}
        """As first seen, like the cluster's."""
        self._producer: KafkaProducer | None = None
        self._transactional: TransactionalProducer | None = None
        self._questions: KafkaConsumer | None = None
        with mapped_errors(url):
            self._admin = admin_client(hosts)

    @property
    def identity(self) -> str:
        """`kafka:<cluster id>;<topic>=<topic id>;...`; the cluster id alone may be fixed by a container image."""
        return self._identity(None)

    def _identity(self, names: Sequence[str] | None) -> str:
        """With the ids of those topics that are there; of all of them without `names`."""
        with mapped_errors(self.url):
            cluster = patiently(self.url, self._admin.describe_cluster)["cluster_id"]
            topics = self._describe(names)
        self._cluster_id = self._cluster_id or cluster
        return _identity_of(cluster, {name: topic["topic_id"] for name, topic in topics.items()})

    def check_unchanged(self, topics: Sequence[str], who: str) -> None:
        """Raise LogIdentityMismatch when the cluster, or one of `topics`, is not the one that this object saw first: a
        role that checked its log once must not go on in another one that came in its place."""
        now = self._identity(topics)
        first = _identity_of(
            self._cluster_id, {name: self._topic_ids[name] for name in topics if name in self._topic_ids}
        )
        if not same_log(first, now):
            raise LogIdentityMismatch(
                f"{who} remembers offsets of log {first}, but {self.url} is log {now} by now: it was recreated. "
                f"Point --log at the old log, or start a new run directory for the new one."
            )

    def _describe(self, names: Sequence[str] | None = None) -> dict[str, dict[str, object]]:
        described = patiently(self.url, lambda: self._admin.describe_topics(names))
        found = {t["name"]: t for t in described if t["error_code"] not in _HIDDEN and not t["name"].startswith("__")}
        for name, topic in found.items():
            self._topic_ids.setdefault(name, topic["topic_id"])
        return found

    def create_topics(self, topics: Mapping[str, int]) -> None:
        for topic, count in topics.items():
            if not _TOPIC_NAME.fullmatch(topic) or count < 1:
                raise ConfigError(
                    f"topic {topic!r} with {count} partitions: a name of letters, digits, '.', '_', '-' (at most 249) "
                    f"and at least one partition are needed"
                )
        with mapped_errors(self.url):
            missing = {topic: count for topic, count in topics.items() if topic not in self.topics()}
            if missing:
                wanted = {
                    topic: {"num_partitions": count, "replication_factor": -1, "configs": TOPIC_CONFIGS}
                    for topic, count in missing.items()
                }
                with suppress(kafka_errors.TopicAlreadyExistsError):  # another process was first
                    patiently(self.url, lambda: self._admin.create_topics(wanted))
                patiently(self.url, lambda: self._admin.wait_for_topics(list(missing), timeout_ms=ASK_MS))
        existing = self.topics()
        for topic, count in topics.items():
            if existing[topic] != count:
                raise ConfigError(
                    f"topic {topic} on {self.url} has {existing[topic]} partitions, not {count}: the count of a run "
                    f"never changes. Set the partition count to {existing[topic]}, or start a new run."
                )

    def topics(self) -> Mapping[str, int]:
        with mapped_errors(self.url):
            return {name: len(topic["partitions"]) for name, topic in self._describe().items()}  # type: ignore[arg-type]

    def num_partitions(self, topic: str) -> int:
        if topic not in self._partition_counts:
            known = self.topics()
            if topic not in known:
                names = ", ".join(sorted(known)) or "none"
                raise LogError(f"no topic {topic} on {self.url}; its topics: {names}. Create it first.")
            self._partition_counts[topic] = known[topic]
        return self._partition_counts[topic]

    def append(self, topic: str, records: Sequence[NewRecord]) -> None:
        count = self.num_partitions(topic)
        check_size(topic, records)
        # All is computed before the first send: what follows it at once goes out in the same request.
        messages = [
            (record, [(name, value.encode()) for name, value in record.headers], partition_of(record.key, count))
            for record in records
        ]
        with mapped_errors(self.url):
            sender = self._sender()
            try:
                futures = [
                    sender.send(topic, record.value, record.key, headers, partition)
                    for record, headers, partition in messages
                ]
                for future in futures:
                    future.get(timeout=2 * RETRY_S)
            except kafka_errors.KafkaError:
                self._drop_sender(sender)  # its sequence is in doubt; the next append starts a new one
                raise

    def _sender(self) -> KafkaProducer:
        with self._lock:
            if self._producer is None:
                self._producer = producer(self.hosts)
            return self._producer

    def _drop_sender(self, sender: KafkaProducer) -> None:
        with self._lock:
            if self._producer is sender:
                self._producer = None
        close_producer(sender, 0)

    @contextmanager
    def _ask(self) -> Iterator[KafkaConsumer]:
        with self._lock, mapped_errors(self.url):
            if self._questions is None:
                self._questions = consumer(self.hosts)
            yield self._questions

    def _partitions(self, topic: str) -> list[KafkaTopicPartition]:
        return [KafkaTopicPartition(topic, partition) for partition in range(self.num_partitions(topic))]

    def begin_offsets(self, topic: str) -> dict[TopicPartition, int]:
        partitions = self._partitions(topic)
        with self._ask() as questions:
            offsets = patiently(self.url, lambda: questions.beginning_offsets(partitions, timeout_ms=ASK_MS))
        return {TopicPartition(*tp): offset for tp, offset in offsets.items()}

    def end_offsets(self, topic: str, *, committed: bool = True) -> dict[TopicPartition, int]:
        partitions = self._partitions(topic)
        if not committed:
            asked = dict.fromkeys(partitions, OffsetSpec.LATEST)
            with mapped_errors(self.url):
                found = patiently(self.url, lambda: self._admin.list_partition_offsets(asked, timeout_ms=ASK_MS))
            return {TopicPartition(*tp): found[tp].offset for tp in partitions}
        with self._ask() as questions:
            offsets = patiently(self.url, lambda: questions.end_offsets(partitions, timeout_ms=ASK_MS))
        return {TopicPartition(*tp): offset for tp, offset in offsets.items()}

    def reader(self, topics: Sequence[str], start: Start) -> KafkaReader:
        positions: dict[TopicPartition, int] = {}
        for topic in topics:
            if start == "end":
                positions |= self.end_offsets(topic)
            elif isinstance(start, datetime):
                positions |= self._offsets_at(topic, start)
            elif isinstance(start, Mapping):
                positions |= {tp: start.get(tp, begin) for tp, begin in self.begin_offsets(topic).items()}
            else:
                positions |= self.begin_offsets(topic)
        return KafkaReader(self, positions)

    def _offsets_at(self, topic: str, at: datetime) -> dict[TopicPartition, int]:
        """First offset appended at or after `at` (rounded up to a millisecond), else the end."""
        at_ms = max(0, -((_EPOCH - at) // timedelta(milliseconds=1)))
        ends = self.end_offsets(topic)
        with self._ask() as questions:
            asked = dict.fromkeys(self._partitions(topic), at_ms)
            found = patiently(self.url, lambda: questions.offsets_for_times(asked, timeout_ms=ASK_MS))
        return {tp: ends[tp] if found[tp] is None else min(found[tp].offset, ends[tp]) for tp in ends}

    def group_reader(
        self,
        topics: Sequence[str],
        group: str,
        on_assigned: Callable[[frozenset[TopicPartition]], Mapping[TopicPartition, int]] | None = None,
        on_revoked: Callable[[frozenset[TopicPartition]], None] | None = None,
        *,
        cooperative: bool = False,
    ) -> KafkaGroupReader:
        for topic in topics:
            self.num_partitions(topic)
        return KafkaGroupReader(self, topics, group, on_assigned, on_revoked, cooperative=cooperative)

    def committed(self, group: str, topics: Sequence[str]) -> dict[TopicPartition, int]:
        partitions = [tp for topic in topics for tp in self._partitions(topic)]
        with mapped_errors(self.url):
            member = consumer(self.hosts, group)
            try:
                offsets = {
                    tp: patiently(self.url, partial(member.committed, tp, timeout_ms=ASK_MS)) for tp in partitions
                }
            finally:
                member.close(timeout_ms=1000)
        return {TopicPartition(*tp): offset for tp, offset in offsets.items() if offset is not None}

    @contextmanager
    def transaction(self, reader: Reader | None = None) -> Iterator[Transaction]:
        if reader is not None and not isinstance(reader, KafkaGroupReader):
            raise LogError("transaction(reader=...) takes a group reader of this log; pass none for a plain one")
        pending = PendingTransaction(self)
        yield pending
        if not pending:
            return
        batches = [(topic, self.num_partitions(topic), records) for topic, records in pending.batches]
        if reader is not None:
            pending.check_group(reader.group)
            member = reader.membership()
            offsets = to_kafka_offsets(pending.offsets.get(reader.group, {}))
            reader.transactional_producer().commit(batches, offsets, member)
            return
        if len(pending.offsets) > 1:
            raise LogError(f"one transaction commits for one group, not {sorted(pending.offsets)}")
        group, group_offsets = next(iter(pending.offsets.items()), ("", {}))
        self._plain_producer().commit(batches, to_kafka_offsets(group_offsets), group)

    def _plain_producer(self) -> TransactionalProducer:
        with self._lock:
            current = self._transactional
            if current is not None and current.broken:
                current.close()
                current = None
            if current is None:
                current = TransactionalProducer(self.url, self.hosts, f"trajlog-{uuid.uuid4()}")
            self._transactional = current
            return current

    def truncate(self, topic: str, partition: int, before_offset: int) -> None:
        tp = self._partitions(topic)[partition]
        end = self.end_offsets(topic)[TopicPartition(*tp)]
        if before_offset > end:
            raise LogError(f"cannot drop {topic}/{partition} below {before_offset}: it ends at {end}")
        with mapped_errors(self.url):
            patiently(self.url, lambda: self._admin.delete_records({tp: before_offset}, timeout_ms=ASK_MS))

    def close(self) -> None:
        with self._lock:
            if self._producer is not None:
                close_producer(self._producer, 5)
                self._producer = None
            if self._transactional is not None:
                self._transactional.close()
                self._transactional = None
            if self._questions is not None:
                self._questions.close(timeout_ms=1000)
                self._questions = None
            self._admin.close()

    def __enter__(self) -> "KafkaLog":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _identity_of(cluster_id: str, topic_ids: Mapping[str, object]) -> str:
    return ";".join([f"kafka:{cluster_id}", *sorted(f"{name}={topic_id}" for name, topic_id in topic_ids.items())])
