"""Transactions on Kafka: one producer per transactional id, every future and every step checked and bounded.

Durable steps: 1 begin; 2 send the records and wait for each; 3 send the offsets with the member's generation, by
which the broker fences a replaced one; 4 commit. A process that dies before 4 leaves an open transaction, which
readers never see: the next producer with the same id aborts it at once, else the broker does after TRANSACTION_S.
"""

import contextlib
import threading

from kafka import TopicPartition as KafkaTopicPartition
from kafka import errors as kafka_errors
from kafka.producer.transaction_manager import TransactionalRequestResult
from kafka.structs import ConsumerGroupMetadata, OffsetAndMetadata

from trajlog.schemas.record import NewRecord
from trajlog.stream.kafka_client import RETRY_S, close_producer, mapped_errors, producer
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
            self._steps = self._producer._transaction_manager
            try:
                self._producer.init_transactions()
            except BaseException:
                close_producer(self._producer, 0)
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
                    self._wait(self._steps.send_offsets_to_transaction(offsets, member), RETRY_S)
                self._wait(self._steps.begin_commit(), RETRY_S)
            except BaseException as error:
                self.broken = True
                if not isinstance(error, kafka_errors.KafkaTimeoutError | kafka_errors.ProducerFencedError):
                    with contextlib.suppress(Exception):  # best effort: what stays open is aborted by the next init
                        self._wait(self._steps.begin_abort(), 5.0)
                raise

    def _wait(self, step: TransactionalRequestResult, timeout_s: float) -> None:
        """The producer's own methods for these steps wait without end."""
        self._producer._sender.wakeup()
        if not step.wait(timeout_ms=timeout_s * 1000):
            raise kafka_errors.KafkaTimeoutError(f"a step of a transaction took longer than {timeout_s:.0f} s")

    def close(self) -> None:
        close_producer(self._producer, 0 if self.broken else 5)
