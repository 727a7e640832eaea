"""Readers of a Kafka log: read_committed, positions always set by us, nothing reset or committed by itself.

A group reader rebalances eagerly with the range assignor: before each rebalance every partition is revoked
(`on_revoked` may still write), after it the whole new assignment is given (`on_assigned`). A cooperative one (KIP-429,
the sticky assignor) keeps what it had: in a first round partitions that move are revoked (nobody holds them until
`on_revoked` has ended), in a second one their new members get them. kafka-python calls its
listeners on its network thread, where its own blocking calls are forbidden; ours run in a thread beside it while
the polling thread waits, so user code never runs twice at a time.
"""

import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from kafka import TopicPartition as KafkaTopicPartition
from kafka import errors as kafka_errors
from kafka.consumer.fetcher import ConsumerRecord
from kafka.consumer.subscription_state import AsyncConsumerRebalanceListener
from kafka.structs import ConsumerGroupMetadata, MemberState, OffsetAndMetadata

from trajlog.errors import ConfigError, LogError, LogIdentityMismatch, LogUnavailable, MemberReplaced
from trajlog.schemas.record import Headers
from trajlog.stream.kafka_client import ASK_MS, RETRY_S, consumer, mapped_errors, patiently, refusal
from trajlog.stream.kafka_transaction import TransactionalProducer
from trajlog.stream.log import LogRecord, TopicPartition
from trajlog.stream.positions import check_position

if TYPE_CHECKING:
    from trajlog.stream.kafka import KafkaLog

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROBE_S = 5.0  # a silent log is asked whether it lives this often
_CLOSE_MS = 5000
_LOG_APPEND_TIME = 1


class KafkaReader:
    """A cursor over partitions, by a consumer of its own."""

    def __init__(
        self,
        log: "KafkaLog",
        positions: Mapping[TopicPartition, int],
        group: str | None = None,
        *,
        cooperative: bool = False,
    ) -> None:
        self._log = log
        with mapped_errors(log.url):
            self._consumer = consumer(log.hosts, group, cooperative=cooperative)
            if positions:
                self._consumer.assign([_to_kafka(tp) for tp in positions])
                self._seek_all(positions)
        self._heard_s = time.monotonic()  # when the broker last answered
        self._asked_s = self._heard_s

    def poll(self, timeout_s: float, max_records: int = 1000) -> list[LogRecord]:
        with mapped_errors(self._log.url):
            try:
                batches = self._poll(timeout_s, max_records)
            except kafka_errors.OffsetOutOfRangeError as error:
                self._explain_out_of_range(error.args[0])
                raise
            except kafka_errors.LogTruncationError as error:
                raise LogIdentityMismatch(
                    f"{self._log.url} lacks records that this reader has read already ({error}): it was recreated, or "
                    f"it lost its end. Point --log at the old log, or start a new run directory for the new one."
                ) from error
        if batches:
            self._heard_s = time.monotonic()
        else:
            self._check_reachable()
        return [_from_kafka(record) for records in batches.values() for record in records]

    def _poll(self, timeout_s: float, max_records: int) -> dict[KafkaTopicPartition, list[ConsumerRecord]]:
        batches: dict[KafkaTopicPartition, list[ConsumerRecord]]
        batches = self._consumer.poll(timeout_ms=int(timeout_s * 1000), max_records=max_records)
        return batches

    def _explain_out_of_range(self, positions: Mapping[KafkaTopicPartition, int]) -> None:
        for (topic, partition), position in positions.items():
            tp = TopicPartition(topic, partition)
            begin, end = self._log.begin_offsets(topic)[tp], self._log.end_offsets(topic)[tp]
            check_position(tp, position, begin, end, self._log.url)

    def _check_reachable(self) -> None:
        """A dead broker looks like a silent one, and so does another log that came in the place of this one: ask, and
        raise LogUnavailable when RETRY_S went by unanswered, LogIdentityMismatch when the answer is another log's."""
        now_s = time.monotonic()
        partitions = self._consumer.assignment()
        if not partitions or now_s - max(self._heard_s, self._asked_s) < _PROBE_S:
            return
        self._asked_s = now_s
        with mapped_errors(self._log.url):
            try:
                self._consumer.beginning_offsets([next(iter(partitions))], timeout_ms=1000)
            except kafka_errors.RetriableError as error:
                if time.monotonic() - self._heard_s > RETRY_S:
                    raise refusal(self._log.url) or LogUnavailable(
                        f"{self._log.url} has not answered for {RETRY_S:.0f} s ({type(error).__name__}). Check that "
                        f"the broker runs, then start again: reading goes on from the last commit."
                    ) from error
                return
        self._check_log()
        self._heard_s = time.monotonic()

    def _check_log(self) -> None:
        topics = sorted({tp.topic for tp in self.assignment()})
        self._log.check_unchanged(topics, f"this reader of {', '.join(topics)}")

    def assignment(self) -> frozenset[TopicPartition]:
        return frozenset(TopicPartition(*tp) for tp in self._consumer.assignment())

    def position(self, tp: TopicPartition) -> int:
        with mapped_errors(self._log.url):
            position = self._consumer.position(self._known(tp), timeout_ms=int(RETRY_S * 1000))
        if position is None:
            raise LogUnavailable(f"{self._log.url} does not tell the position of {tp.topic}/{tp.partition}")
        return int(position)

    def seek(self, tp: TopicPartition, offset: int) -> None:
        self._consumer.seek(self._known(tp), offset)

    def _seek_all(self, positions: Mapping[TopicPartition, int]) -> None:
        for tp, offset in positions.items():
            self.seek(tp, offset)

    def pause(self, tps: Iterable[TopicPartition]) -> None:
        self._consumer.pause(*[self._known(tp) for tp in tps])

    def resume(self, tps: Iterable[TopicPartition]) -> None:
        self._consumer.resume(*[self._known(tp) for tp in tps])

    def _known(self, tp: TopicPartition) -> KafkaTopicPartition:
        if tp not in self._consumer.assignment():
            raise LogError(f"{tp.topic}/{tp.partition} is not assigned to this reader: {sorted(self.assignment())}")
        return _to_kafka(tp)

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        raise LogError("a reader without a group has nothing to commit to; use group_reader")

    def close(self) -> None:
        with suppress(kafka_errors.KafkaError):  # a broker that is gone cannot be told; the session runs out there
            self._consumer.close(timeout_ms=_CLOSE_MS)

    def __enter__(self) -> "KafkaReader":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class KafkaGroupReader(KafkaReader):
    """A member of a consumer group."""

    def __init__(
        self,
        log: "KafkaLog",
        topics: Sequence[str],
        group: str,
        on_assigned: Callable[[frozenset[TopicPartition]], Mapping[TopicPartition, int]] | None,
        on_revoked: Callable[[frozenset[TopicPartition]], None] | None,
        *,
        cooperative: bool,
    ) -> None:
        self._topics = tuple(topics)
        super().__init__(log, {}, group, cooperative=cooperative)
        self.group = group
        self._on_assigned = on_assigned
        self._on_revoked = on_revoked
        self._producer: TransactionalProducer | None = None
        self._failure: BaseException | None = None  # of a callback, for the thread that polls or closes
        with mapped_errors(log.url):
            self._consumer.subscribe(topics=list(topics), listener=_Listener(self))
            # Joining before the partitions are known would assign none at first.
            known = [KafkaTopicPartition(topic, n) for topic in topics for n in range(log.num_partitions(topic))]
            patiently(log.url, partial(self._consumer.beginning_offsets, known, timeout_ms=ASK_MS))

    def _poll(self, timeout_s: float, max_records: int) -> dict[KafkaTopicPartition, list[ConsumerRecord]]:
        try:
            return super()._poll(timeout_s, max_records)
        finally:
            self._raise_failure()

    def _raise_failure(self) -> None:
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure

    def run_callback(
        self, call: Callable[[frozenset[TopicPartition]], None], partitions: frozenset[TopicPartition]
    ) -> None:
        """Keeps what a callback raises: kafka-python would leave its sockets open over it."""
        try:
            call(partitions)
        except BaseException as error:
            self._failure = error

    def membership(self) -> ConsumerGroupMetadata:
        """What the broker fences by (KIP-447). Raises LogError when the membership was lost meanwhile."""
        metadata: ConsumerGroupMetadata = self._consumer.group_metadata()
        if metadata.state == MemberState.UNJOINED or metadata.generation_id < 0:
            raise MemberReplaced(
                f"this member of group {self.group} was replaced or never polled; nothing was written. Poll again: "
                f"on_assigned tells what it holds now."
            )
        return metadata

    def transactional_producer(self) -> TransactionalProducer:
        """The producer of this assignment. Its id is that of the first partition, which no other member has: a
        successor with the same partitions ends at once what this one left open."""
        if self._producer is None or self._producer.broken:
            self._drop_producer()
            first = min(self.assignment(), default=None)
            if first is None:
                raise LogError(f"this member of group {self.group} holds no partitions; poll before a transaction")
            self._producer = TransactionalProducer(
                self._log.url, self._log.hosts, f"{self.group}/{first.topic}-{first.partition}"
            )
        return self._producer

    def _drop_producer(self) -> None:
        if self._producer is not None:
            self._producer.close()
            self._producer = None

    def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        self.membership()
        with mapped_errors(self._log.url):
            self._consumer.commit(to_kafka_offsets(offsets), timeout_ms=int(RETRY_S * 1000))

    def assigned(self, partitions: frozenset[TopicPartition]) -> None:
        """Set the position of each: what the callback says, else the committed offset, else the first one: where
        retention dropped it, poll says so."""
        self._check_log()
        self._drop_producer()  # another member may have used its id in between
        positions = dict(self._on_assigned(partitions)) if self._on_assigned is not None else {}
        with mapped_errors(self._log.url):
            for tp in partitions - positions.keys():
                ask = partial(self._consumer.committed, _to_kafka(tp), timeout_ms=ASK_MS)
                committed = patiently(self._log.url, ask)
                positions[tp] = 0 if committed is None else committed
        self._seek_all({tp: positions[tp] for tp in partitions})

    def _check_log(self) -> None:
        """Topics that were made anew belong to another run: a member of the old one must take no partition of them."""
        self._log.check_unchanged(self._topics, f"this member of group {self.group}")

    def _check_reachable(self) -> None:
        if self._consumer.assignment():
            super()._check_reachable()
        elif time.monotonic() - self._asked_s > _PROBE_S:
            self._check_log()
            self._asked_s = time.monotonic()

    def revoked(self, partitions: frozenset[TopicPartition]) -> None:
        if self._on_revoked is not None and partitions:
            self._on_revoked(partitions)

    def close(self) -> None:
        try:
            super().close()
            self._raise_failure()
        finally:
            self._drop_producer()

    def __enter__(self) -> "KafkaGroupReader":
        return self

    def __exit__(self, *exc: object) -> None:
        if exc[0] is not None:
            self._on_revoked = None
        self.close()


class _Listener(AsyncConsumerRebalanceListener):  # type: ignore[misc]
    def __init__(self, reader: KafkaGroupReader) -> None:
        self._reader = reader

    async def on_partitions_assigned(self, assigned: Iterable[KafkaTopicPartition]) -> None:
        await self._beside(self._reader.assigned, assigned)

    async def on_partitions_revoked(self, revoked: Iterable[KafkaTopicPartition]) -> None:
        await self._beside(self._reader.revoked, revoked)

    async def on_partitions_lost(self, lost: Iterable[KafkaTopicPartition]) -> None:
        """Nothing may be written any more; the next on_assigned tells what is held."""

    async def _beside(
        self, call: Callable[[frozenset[TopicPartition]], None], partitions: Iterable[KafkaTopicPartition]
    ) -> None:
        ours = frozenset(TopicPartition(*tp) for tp in partitions)
        thread = threading.Thread(
            target=self._reader.run_callback, args=(call, ours), name=f"rebalance-{self._reader.group}", daemon=True
        )
        thread.start()
        while thread.is_alive():
            await self._reader._consumer._net.sleep(0.005)


def to_kafka_offsets(offsets: Mapping[TopicPartition, int]) -> dict[KafkaTopicPartition, OffsetAndMetadata]:
    return {_to_kafka(tp): OffsetAndMetadata(offset, "", -1) for tp, offset in offsets.items()}


def _to_kafka(tp: TopicPartition) -> KafkaTopicPartition:
    return KafkaTopicPartition(tp.topic, tp.partition)


def _headers(pairs: Sequence[tuple[str, bytes | None]]) -> Headers:
    """Another producer's headers may be any bytes, or null: such a record is undecodable data, not a broken log."""
    try:
        return tuple([(name, value.decode()) for name, value in pairs])  # type: ignore[union-attr]
    except (AttributeError, UnicodeDecodeError):
        return tuple((name, (value or b"").decode(errors="replace")) for name, value in pairs)


def _from_kafka(record: ConsumerRecord) -> LogRecord:
    if record.timestamp_type != _LOG_APPEND_TIME:
        raise ConfigError(
            f"topic {record.topic} carries its writers' times. Set message.timestamp.type=LogAppendTime on the topic "
            f"and start a new run, or let trajlog create the topic."
        )
    headers = _headers(record.headers)
    append_time = _EPOCH + timedelta(milliseconds=record.timestamp)
    key, value = record.key or b"", record.value or b""
    return LogRecord(record.topic, record.partition, record.offset, append_time, key, headers, value)
