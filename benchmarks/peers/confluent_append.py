"""confluent-kafka sending encoded records; runs in an environment of its own (streaming/peers.py).

    python confluent_append.py HOST:PORT TOPIC FILE

One line `SHAPE` on standard input, one line `SECONDS` on standard output, until the input ends. FILE has the shapes
(write_records in streaming/peers.py); the slots of a shape run in threads of one producer, as ours do.
"""

import json
import sys
import threading
import time
from pathlib import Path

from confluent_kafka import Producer


def read(path):
    """{shape: slots of appends of records (partition, key, headers, value)}."""
    raw = Path(path).read_bytes()
    size = int.from_bytes(raw[:8], "little")
    index, position = json.loads(raw[8 : 8 + size]), 8 + size
    values = []
    for length in index["values"]:
        values.append(raw[position : position + length])
        position += length
    record = [
        (partition, key.encode(), [(name, text.encode()) for name, text in headers], values[number])
        for number, (partition, key, headers) in enumerate(index["records"])
    ]
    return {
        shape: [[[record[n] for n in append] for append in slot] for slot in slots]
        for shape, slots in index["shapes"].items()
    }


def play(producer, topic, slot):
    """Every append of a slot, acknowledged before the next one."""
    for append in slot:
        waiting = [len(append)]
        acknowledged = threading.Event()

        def delivered(error, message, waiting=waiting, acknowledged=acknowledged):
            if error is not None:
                raise SystemExit(f"not delivered: {error}")
            waiting[0] -= 1
            if not waiting[0]:
                acknowledged.set()

        for partition, key, headers, value in append:
            producer.produce(topic, value, key, partition, delivered, headers=headers)
        while not acknowledged.is_set():
            producer.poll(0.05)


def main():
    bootstrap, topic, path = sys.argv[1:]
    shapes = read(path)
    settings = {"bootstrap.servers": bootstrap, "acks": "all", "enable.idempotence": True, "linger.ms": 0}
    producer = Producer(settings | {"batch.size": 256 * 1024, "message.max.bytes": 33 * 1024 * 1024})
    play(producer, topic, [next(iter(shapes.values()))[0][0]])  # connects
    print("ready", flush=True)
    for line in sys.stdin:
        threads = [threading.Thread(target=play, args=(producer, topic, slot)) for slot in shapes[line.strip()]]
        started = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(time.perf_counter() - started, flush=True)


if __name__ == "__main__":
    main()
