"""How fast the log appends and reads, beside the bare client of each engine doing the same durable work.

    python benchmarks/log_rates.py --quick                              # SQLite in a temporary folder
    python benchmarks/log_rates.py --log kafka://127.0.0.1:9092         # a running broker; makes topics on it

Records have 4 KiB of random value, four headers and one of 64 keys, over 4 partitions. `peer` is the bare client:
sqlite3 inserting the same bytes into a plain table under the same durability; kafka-python with the same producer
settings, flushed per batch, and a consumer that only counts. `ratio` is ours over the peer's.
"""

import argparse
import json
import os
import sqlite3
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from trajlog.schemas.record import NewRecord
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.open import open_log

RECORD_BYTES = 4096
HEADERS = (("kind", "generation"), ("schema_version", "1"), ("num_events", "1"), ("run_id", str(uuid.uuid4())))
BATCHES = (1, 50, 1000)


def records(count: int) -> list[NewRecord]:
    value = os.urandom(RECORD_BYTES)
    return [NewRecord(key=f"group-{n % 64}".encode(), headers=HEADERS, value=value) for n in range(count)]


def rate(step: Callable[[], int], seconds: float) -> float:
    """Records per second of a step that returns how many it did."""
    done, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        done += step()
    return done / (time.perf_counter() - started)


def read_rate(log: Log, topic: str) -> float:
    ends = log.end_offsets(topic)
    done, started = 0, time.perf_counter()
    with log.reader([topic], "beginning") as reader:
        while any(reader.position(TopicPartition(*tp)) < end for tp, end in ends.items()):
            done += len(reader.poll(1.0))
    return done / (time.perf_counter() - started)


def sqlite_peer(folder: Path, seconds: float) -> dict[str, float]:
    figures = {}
    with closing(sqlite3.connect(folder / "peer.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("CREATE TABLE records (id INTEGER PRIMARY KEY, key BLOB, value BLOB)")
        for count in BATCHES:
            rows = [(record.key, record.value) for record in records(count)]

            def step(rows: list[tuple[bytes, bytes]] = rows) -> int:
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany("INSERT INTO records (key, value) VALUES (?, ?)", rows)
                connection.execute("COMMIT")
                return len(rows)

            figures[f"append_{count}"] = rate(step, seconds)
        started = time.perf_counter()
        done = sum(1 for _ in connection.execute("SELECT * FROM records"))
        figures["read"] = done / (time.perf_counter() - started)
    return figures


def kafka_peer(log: Log, hosts: list[str], seconds: float) -> dict[str, float]:
    from trajlog.stream.kafka_client import close_producer, consumer, producer

    topic = f"peer-{uuid.uuid4().hex[:8]}"
    log.create_topics({topic: 4})
    figures = {}
    client = producer(hosts)
    for count in BATCHES:
        batch = records(count)

        def step(batch: list[NewRecord] = batch) -> int:
            for number, record in enumerate(batch):
                client.send(topic, key=record.key, value=record.value, partition=number % 4)
            client.flush()
            return len(batch)

        figures[f"append_{count}"] = rate(step, seconds)
    close_producer(client, 5)
    ends = log.end_offsets(topic)
    reading = consumer(hosts)
    reading.assign(_kafka_partitions(ends))
    for tp in reading.assignment():
        reading.seek(tp, 0)
    done, started = 0, time.perf_counter()
    while done < sum(ends.values()):
        done += sum(len(batch) for batch in reading.poll(timeout_ms=1000, max_records=1000).values())
    figures["read"] = done / (time.perf_counter() - started)
    reading.close()
    return figures


def _kafka_partitions(ends: dict[TopicPartition, int]) -> list[object]:
    from kafka import TopicPartition as KafkaTopicPartition

    return [KafkaTopicPartition(*tp) for tp in ends]


def measure(log: Log, seconds: float) -> dict[str, float]:
    topic = f"rates-{uuid.uuid4().hex[:8]}"
    log.create_topics({topic: 4})
    figures = {}
    for count in BATCHES:
        batch = records(count)
        figures[f"append_{count}"] = rate(lambda batch=batch: log.append(topic, batch) or len(batch), seconds)
    figures["read"] = read_rate(log, topic)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", help="kafka://host:port; without it SQLite is measured")
    parser.add_argument("--quick", action="store_true", help="one second a figure instead of five")
    arguments = parser.parse_args()
    seconds = 1.0 if arguments.quick else 5.0
    with tempfile.TemporaryDirectory() as folder:
        url = arguments.log or f"sqlite:///{folder}/log.db"
        with open_log(url, create=True) as log:
            ours = measure(log, seconds)
            if arguments.log:
                peer = kafka_peer(log, arguments.log.removeprefix("kafka://").split(","), seconds)
            else:
                peer = sqlite_peer(Path(folder), seconds)
    print(f"{'4 KiB records':<16}{'records/s':>12}{'MB/s':>8}{'peer rec/s':>12}{'ratio':>8}")
    for name, value in ours.items():
        megabytes, ratio = value * RECORD_BYTES / 1e6, value / peer[name]
        print(f"{name:<16}{value:>12,.0f}{megabytes:>8,.0f}{peer[name]:>12,.0f}{ratio:>8.2f}")
    engine = url.partition("://")[0]
    print(json.dumps({"engine": engine, "record_bytes": RECORD_BYTES, "records_per_s": ours, "peer": peer}))


if __name__ == "__main__":
    main()
