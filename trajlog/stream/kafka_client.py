"""kafka-python as we use it: the settings of every client, and what its errors mean.

Sizes: a record is up to MAX_RECORD_BYTES; topics and requests allow BATCH_BYTES, which leaves 1 MiB for the
batch around one record. Times: a lost broker is waited for RETRY_S, then LogUnavailable.
"""

import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka import errors as kafka_errors

from trajlog.errors import ConfigError, LogError, LogUnavailable
from trajlog.stream.log import MAX_RECORD_BYTES

BATCH_BYTES = MAX_RECORD_BYTES + 1024 * 1024
RETRY_S = 60.0
CONNECT_S = 10.0
SESSION_S = 10.0  # a member that died is replaced after this
POLL_INTERVAL_S = 900.0  # a member that lives but does not poll (a long training step) is replaced after this
TRANSACTION_S = 15.0  # the broker aborts what a killed process left open; until then its partitions wait

TOPIC_CONFIGS = {
    "max.message.bytes": str(BATCH_BYTES),
    "message.timestamp.type": "LogAppendTime",
    "cleanup.policy": "delete",
    "retention.ms": "-1",  # retention is ours: Log.truncate, never past what is archived
    "retention.bytes": "-1",
}

logging.getLogger("kafka").addHandler(logging.NullHandler())  # its retries are for those who set up logging

_SETTINGS = {"bootstrap_timeout_ms": int(CONNECT_S * 1000), "reconnect_backoff_max_ms": 2000}
_REPLACED = (
    kafka_errors.CommitFailedError,
    kafka_errors.FencedInstanceIdError,
    kafka_errors.IllegalGenerationError,
    kafka_errors.ProducerFencedError,
    kafka_errors.RebalanceInProgressError,
    kafka_errors.UnknownMemberIdError,
)
_TOO_LARGE = (kafka_errors.MessageSizeTooLargeError, kafka_errors.RecordListTooLargeError)


def await_port(hosts: list[str]) -> None:
    """Return when one of the hosts takes a connection; LogUnavailable after CONNECT_S.

    A kafka-python client that finds no broker leaves its thread and sockets behind, so none is made before.
    """
    deadline = time.monotonic() + CONNECT_S
    while True:
        for host in hosts:
            try:
                socket.create_connection(_address(host), timeout=2.0).close()
                return
            except OSError as error:
                reason = error
        if time.monotonic() > deadline:
            raise LogUnavailable(
                f"no Kafka broker answers at {', '.join(hosts)} ({reason}). Start it (`docker compose up kafka`), or "
                f"correct host and port of --log."
            ) from reason
        time.sleep(0.2)


def _address(host: str) -> tuple[str, int]:
    """`host`, `host:port` or `[v6]:port` as name and port."""
    try:
        parts = urlsplit(f"//{host}")
        name, port = parts.hostname, parts.port or 9092
    except ValueError:
        name = None
    if name is None:
        raise ConfigError(f"not a broker address: {host!r}. Use kafka://host:9092[,host2:9092].")
    return name, port


def admin_client(hosts: list[str]) -> KafkaAdminClient:
    await_port(hosts)
    return KafkaAdminClient(bootstrap_servers=hosts, **_SETTINGS)


def consumer(hosts: list[str], group: str | None = None) -> KafkaConsumer:
    """A consumer of committed records that never resets an offset and never commits by itself."""
    await_port(hosts)
    return KafkaConsumer(
        bootstrap_servers=hosts,
        group_id=group,
        isolation_level="read_committed",
        auto_offset_reset="none",
        enable_auto_commit=False,
        allow_auto_create_topics=False,
        session_timeout_ms=int(SESSION_S * 1000),
        max_poll_interval_ms=int(POLL_INTERVAL_S * 1000),
        max_partition_fetch_bytes=8 * 1024 * 1024,  # a first record above it is fetched all the same
        fetch_max_bytes=64 * 1024 * 1024,
        metrics_enabled=False,
        **_SETTINGS,
    )


def producer(hosts: list[str], transactional_id: str | None = None) -> KafkaProducer:
    """An idempotent producer, acknowledged by all replicas in sync; transactional when an id is given."""
    await_port(hosts)
    return KafkaProducer(
        bootstrap_servers=hosts,
        transactional_id=transactional_id,
        transaction_timeout_ms=int(TRANSACTION_S * 1000),
        enable_idempotence=True,
        acks="all",
        allow_auto_create_topics=False,
        batch_size=256 * 1024,
        max_request_size=BATCH_BYTES,
        delivery_timeout_ms=int(RETRY_S * 1000),
        max_block_ms=int(RETRY_S * 1000),
        request_timeout_ms=int(RETRY_S * 500),
        metrics_enabled=False,
        **_SETTINGS,
    )


def close_producer(producer: KafkaProducer, timeout_s: float) -> None:
    """Close a producer for good. What it could not send is dropped: no caller was told that it is written."""
    try:
        producer.close(timeout=timeout_s)
    except kafka_errors.KafkaTimeoutError:  # unsent records keep it from closing
        producer._sender.force_close()
        producer._sender.join(5)
        producer.close(timeout=0)


@contextmanager
def mapped_errors(url: str) -> Iterator[None]:
    """Turn kafka-python's errors into ours."""
    try:
        yield
    except kafka_errors.KafkaError as error:
        name = type(error).__name__
        if isinstance(error, _REPLACED):
            raise LogError(
                f"this process was replaced by another member of its group ({name}: {error}); nothing was written. "
                f"Stop it: the other member goes on from the last commit."
            ) from error
        if isinstance(error, _TOO_LARGE):
            raise LogError(
                f"the broker at {url} takes no record of this size ({error}). Set message.max.bytes and "
                f"replica.fetch.max.bytes of the broker, and max.message.bytes of the topic, to {BATCH_BYTES}."
            ) from error
        if isinstance(error, kafka_errors.AuthorizationError | kafka_errors.SaslAuthenticationFailedError):
            raise ConfigError(f"{url} refuses this client: {name}: {error}. Grant it access.") from error
        if isinstance(error, kafka_errors.RetriableError):
            raise LogUnavailable(
                f"{url} cannot be reached or does not answer ({name}: {error}). Check that the broker runs, that "
                f"host and port are right and that its disk is not full, then start again."
            ) from error
        raise LogError(f"{url}: {name}: {error}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{url} is not usable: {error}. Use kafka://host:9092[,host2:9092].") from error
