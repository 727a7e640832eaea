"""The broker that the Kafka tests run against is a real one, and can be killed, restarted and wiped."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient, NewTopic

from plumbing.kafka_broker import KAFKA_VERSION, KafkaBroker, free_ports

ROOT = Path(__file__).parents[2]


def cluster_id(broker: KafkaBroker) -> str:
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    try:
        return admin.describe_cluster()["cluster_id"]
    finally:
        admin.close()


def create_topic(broker: KafkaBroker, name: str) -> None:
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    try:
        admin.create_topics([NewTopic(name, num_partitions=1, replication_factor=1)])
    finally:
        admin.close()


def append(broker: KafkaBroker, topic: str, value: bytes) -> int:
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap, max_request_size=40_000_000)
    try:
        return producer.send(topic, value).get(timeout=30).offset
    finally:
        producer.close()


def read_all(broker: KafkaBroker, topic: str) -> list[bytes]:
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap, consumer_timeout_ms=10_000)
    try:
        partition = TopicPartition(topic, 0)
        consumer.assign([partition])
        consumer.seek_to_beginning(partition)
        end = consumer.end_offsets([partition])[partition]
        return [next(consumer).value for _ in range(end)]
    finally:
        consumer.close()


@pytest.mark.kafka
def test_a_record_of_32_mib_passes(kafka_broker: KafkaBroker, kafka_prefix: str) -> None:
    topic = f"{kafka_prefix}.big"
    create_topic(kafka_broker, topic)
    assert append(kafka_broker, topic, bytes(32 * 1024 * 1024)) == 0


@pytest.mark.kafka
@pytest.mark.slow
def test_records_and_cluster_survive_a_kill_but_not_a_wipe(
    own_kafka_broker: KafkaBroker,
) -> None:
    create_topic(own_kafka_broker, "t.rollouts")
    first_cluster = cluster_id(own_kafka_broker)
    assert append(own_kafka_broker, "t.rollouts", b"before") == 0

    own_kafka_broker.kill()
    own_kafka_broker.start()
    assert cluster_id(own_kafka_broker) == first_cluster
    assert append(own_kafka_broker, "t.rollouts", b"after") == 1
    assert read_all(own_kafka_broker, "t.rollouts") == [b"before", b"after"]

    own_kafka_broker.kill()
    own_kafka_broker.wipe()
    own_kafka_broker.start()
    assert cluster_id(own_kafka_broker) != first_cluster


def test_compose_names_the_broker_version_that_the_tests_run() -> None:
    compose = (ROOT / "compose.yaml").read_text()
    assert re.findall(r"image: *apache/kafka:(\S+)", compose) == [KAFKA_VERSION]


def test_free_ports_differ_and_are_none_that_an_outgoing_connection_is_given() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert max(ports) < client.getsockname()[1]
