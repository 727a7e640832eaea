"""kafka-python as we use it: the settings of every client, and what its errors mean.

Sizes: a record is up to MAX_RECORD_BYTES; topics and requests allow BATCH_BYTES, which leaves 1 MiB for the
batch around one record. Times: a lost broker is waited for RETRY_S, then LogUnavailable. A question is asked for
ASK_MS at a time (kafka-python asks some once, some for ever) and `patiently` asked again, so none takes longer than
RETRY_S and ASK_MS. Logins and certificates come from the environment (kafka_security.py), read anew for each client.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import urlsplit

from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafka import errors as kafka_errors
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor

from trajlog.errors import ConfigError, LogError, LogUnavailable, MemberReplaced
from trajlog.stream.kafka_probe import Hangup, probe, refused_login
from trajlog.stream.kafka_security import KafkaSecurity, read_security
from trajlog.stream.log import MAX_RECORD_BYTES

BATCH_BYTES = MAX_RECORD_BYTES + 1024 * 1024
RETRY_S = 60.0
CONNECT_S = 10.0
ASK_MS = 10_000
_AGAIN_S = 0.2
HANGUPS = 5  # so often a broker may answer a client and hang up before that is taken for its answer
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
for _name in ("kafka.protocol.parser", "kafka.net.connection"):
    # At DEBUG they log every byte sent, passwords included. No level is set: that of "kafka" counts for the rest.
    logging.getLogger(_name).addFilter(lambda record: record.levelno > logging.DEBUG)

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


def await_broker(hosts: list[str], wait_s: float) -> KafkaSecurity:
    """Return, with the security that counts, when one of the hosts answers us; LogUnavailable after `wait_s`.

    Raises ConfigError at once when a host refuses our login or we its certificate; when it answers and hangs up, after
    HANGUPS of them. A kafka-python client that finds no broker leaves its thread and
    sockets behind, so none is made before.
    """
    security = read_security()
    deadline = time.monotonic() + wait_s
    reason: Exception
    hangups = 0
    while True:
        for host in hosts:
            try:
                probe(*_address(host), security)
                return security
            except Hangup as error:
                hangups += 1
                reason = error
                if hangups >= HANGUPS * len(hosts):
                    raise ConfigError(str(error)) from None
            except OSError as error:
                reason = error
        if time.monotonic() > deadline:
            raise LogUnavailable(
                f"no Kafka broker answers at {', '.join(hosts)} ({reason}). Start it (`docker compose up kafka`), or "
                f"correct host and port of --log."
            ) from reason
        time.sleep(_AGAIN_S)


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
    """The first client of a log, so that a wrong address is told after CONNECT_S. Those made later wait for RETRY_S."""
    security = await_broker(hosts, CONNECT_S)
    return KafkaAdminClient(
        bootstrap_servers=hosts, request_timeout_ms=ASK_MS, **security.client_settings(), **_SETTINGS
    )


def consumer(hosts: list[str], group: str | None = None, *, cooperative: bool = False) -> KafkaConsumer:
    """A consumer of committed records that never resets an offset and never commits by itself.

    `cooperative`: its group rebalances by KIP-429; otherwise every rebalance revokes everything.
    """
    security = await_broker(hosts, RETRY_S)
    return KafkaConsumer(
        bootstrap_servers=hosts,
        group_id=group,
        partition_assignment_strategy=[CooperativeStickyAssignor if cooperative else RangePartitionAssignor],
        isolation_level="read_committed",
        auto_offset_reset="none",
        enable_auto_commit=False,
        allow_auto_create_topics=False,
        session_timeout_ms=int(SESSION_S * 1000),
        max_poll_interval_ms=int(POLL_INTERVAL_S * 1000),
        max_partition_fetch_bytes=8 * 1024 * 1024,  # a first record above it is fetched all the same
        fetch_max_bytes=64 * 1024 * 1024,
        metrics_enabled=False,
        **security.client_settings(),
        **_SETTINGS,
    )


def producer(hosts: list[str], transactional_id: str | None = None) -> KafkaProducer:
    """An idempotent producer, acknowledged by all replicas in sync; transactional when an id is given."""
    security = await_broker(hosts, RETRY_S)
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
        **security.client_settings(),
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


def refusal(url: str) -> ConfigError | None:
    """What kafka-python retried in vain and forgot: a login revoked, or a certificate expired, while clients were up.

    Costs a few seconds at most, and only where there are logins or certificates.
    """
    security = read_security()
    if security.protocol == "PLAINTEXT":
        return None
    for host in url.removeprefix("kafka://").removesuffix("/").split(","):
        try:
            probe(*_address(host), security)
        except ConfigError as error:
            return error
        except (Hangup, OSError):
            continue
    return None


T = TypeVar("T")


def patiently(url: str, ask: Callable[[], T]) -> T:
    """The answer to what may be asked twice. A broker that is away, or back and not ready yet, is asked for RETRY_S.

    Raises the last error of kafka-python then; ConfigError at once for a login that is refused meanwhile.
    """
    deadline = time.monotonic() + RETRY_S
    while True:
        try:
            return ask()
        except kafka_errors.RetriableError as error:
            if (refused := refusal(url)) is not None:
                raise refused from error
            if time.monotonic() > deadline:
                raise
        time.sleep(_AGAIN_S)


@contextmanager
def mapped_errors(url: str) -> Iterator[None]:
    """Turn kafka-python's errors into ours."""
    try:
        yield
    except kafka_errors.KafkaError as error:
        name = type(error).__name__
        # What a transactional producer met before may come as a bare KafkaError, with the reason in its text.
        bare = str(error) if type(error) is kafka_errors.KafkaError else ""
        if isinstance(error, _REPLACED) or any(kind.__name__ in bare for kind in _REPLACED):
            raise MemberReplaced(
                f"this process was replaced by another member of its group ({name}: {error}); nothing was written. "
                f"Stop it: the other member goes on from the last commit."
            ) from error
        if isinstance(error, _TOO_LARGE):
            raise LogError(
                f"the broker at {url} takes no record of this size ({error}). Set message.max.bytes and "
                f"replica.fetch.max.bytes of the broker, and max.message.bytes of the topic, to {BATCH_BYTES}."
            ) from error
        if isinstance(error, kafka_errors.SaslAuthenticationFailedError):  # it was accepted before: revoked meanwhile
            raise refused_login(url, read_security(), str(error)) from error
        if isinstance(error, kafka_errors.AuthorizationError):
            user = read_security().username or "a client without a login"
            raise ConfigError(
                f"{url} does not allow this to {user} ({name}: {error}). Grant it with kafka-acls; docs/security.md "
                f"lists what a run needs."
            ) from error
        if "RequestTimedOutError" in bare or isinstance(error, kafka_errors.RetriableError):
            if (refused := refusal(url)) is not None:
                raise refused from error
            raise LogUnavailable(
                f"{url} cannot be reached or does not answer ({name}: {error}). Check that the broker runs, that "
                f"host and port are right and that its disk is not full, then start again."
            ) from error
        raise LogError(f"{url}: {name}: {error}") from error
    except (OSError, ValueError) as error:
        raise ConfigError(f"{url} is not usable: {error}. Use kafka://host:9092[,host2:9092].") from error
