"""Transactions on Kafka: one producer per transactional id, every future and every step checked and bounded.

Durable steps: 1 begin; 2 send the records and wait for each; 3 send the offsets with the member's generation, by
which the broker fences a replaced one; 4 commit. A process that dies before 4 leaves an open transaction, which
readers never see: the next producer with the same id aborts it at once, else the broker does after TRANSACTION_S.
"""

import contextlib
import threading

from kafka import TopicPartition as KafkaTopicPartition
from kafka import errors as kafka_errors
from kafka.structs import ConsumerGroupMetadata, OffsetAndMetadata

from trajlog.errors import LogUnavailable
from trajlog.schemas.record import NewRecord
from trajlog.stream.kafka_client import RETRY_S, mapped_errors, producer, within
from trajlog.stream.log import partition_of

Batch = tuple[str, int, list[NewRecord]]
"""Topic, its number of partitions, records."""


class TransactionalProducer:
    """One transaction at a time. `broken` after a failure that leaves the id in doubt: make a new one then."""

    def __init__(self, url: str, hosts: list[str], transactional_id: str) -> None:
        self._url = url
        self._lock = threading.Lock()
        self.broken = False
        with mapped_errors(url):
            self._producer = producer(hosts, transactional_id)
            try:
                self._producer.init_transactions()
            except BaseException:
                self._producer.close(timeout=0)
                raise

    def commit(
        self,
        batches: list[Batch],
        offsets: dict[KafkaTopicPartition, OffsetAndMetadata],
        member: ConsumerGroupMetadata | str,
    ) -> None:
        """Write records and offsets together. Raises LogError when the member was replaced (nothing is written),
        LogUnavailable when the broker does not answer: the outcome is unknown then."""
        with self._lock, mapped_errors(self._url):
            try:
                self._producer.begin_transaction()
                futures = [
                    self._producer.send(
                        topic,
                        key=record.key,
                        value=record.value,
                        headers=[(name, value.encode()) for name, value in record.headers],
                        partition=partition_of(record.key, count),
                    )
                    for topic, count, records in batches
                    for record in records
                ]
                for future in futures:
                    future.get(timeout=RETRY_S)
                if offsets:
                    send = self._producer.send_offsets_to_transaction
                    within(RETRY_S, lambda: send(offsets, member), "committing offsets")
                within(RETRY_S, self._producer.commit_transaction, "committing a transaction")
            except BaseException as error:
                self.broken = True
                if not isinstance(error, LogUnavailable | kafka_errors.ProducerFencedError):
                    with contextlib.suppress(Exception):  # best effort: what stays open is aborted by the next init
                        within(5.0, self._producer.abort_transaction, "aborting a transaction")
                raise

    def close(self) -> None:
        self._producer.close(timeout=0 if self.broken else 5)
