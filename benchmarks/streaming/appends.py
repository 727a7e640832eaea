"""Appends: ours, encoding included, beside clients that send or write the same content.

Shapes, by what one append holds before its acknowledgement is waited for:

- `one event`: one record of one event;
- `natural`: what the worker appends (a generation with its calls, their observations), one record per kind;
- `natural, 16 slots`: the same, from 16 episodes at once, as a worker with 16 slots does;
- `episode`: a whole episode, its natural records in one append: pipelined.

Ours is `encode(events)` and `Log.append`. A bare producer sends the same bytes, encoded beforehand, with the same
settings and to the same partitions, and waits at the same points.
"""

import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from kafka import KafkaProducer

from trajlog.schemas import Event, NewRecord, encode
from trajlog.stream.log import Log, partition_of

from .rollouts import Batch

NUM_SLOTS = 16

Events = list[list[list[Batch]]]
"""Slots of appends; an append is a list of batches, each encoded on its own."""
Step = Callable[[], float]
"""Does one round and returns its seconds."""


def shapes(episodes: Sequence[list[Batch]]) -> dict[str, Events]:
    """The same episodes in every shape."""
    return {
        "one event": [[[[event]] for episode in episodes for batch in episode for event in batch]],
        "natural": [[[batch] for episode in episodes for batch in episode]],
        f"natural, {NUM_SLOTS} slots": [
            [[batch] for episode in episodes[slot::NUM_SLOTS] for batch in episode] for slot in range(NUM_SLOTS)
        ],
        "episode": [list(episodes)],
    }


def encoded(events: Events) -> list[list[list[NewRecord]]]:
    return [[[r for batch in append for r in encode(batch)] for append in slot] for slot in events]


def count(events: Events) -> int:
    return sum(len(batch) for slot in events for append in slot for batch in append)


def in_slots(play: Callable[[int], None], num_slots: int) -> float:
    """Seconds until all slots are played, each in a thread of its own when there are several."""
    started = time.perf_counter()
    if num_slots == 1:
        play(0)
        return time.perf_counter() - started
    failures: list[BaseException] = []

    def guarded(slot: int) -> None:
        try:
            play(slot)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(slot,)) for slot in range(num_slots)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return time.perf_counter() - started


def ours(log: Log, topic: str, events: Events) -> Step:
    def play(slot: int) -> None:
        for append in events[slot]:
            log.append(topic, [record for batch in append for record in encode(batch)])

    return lambda: in_slots(play, len(events))


def bare_producer(producer: KafkaProducer, topic: str, partitions: int, events: Events) -> Step:
    """kafka-python, nothing around it: what is known of a record before it is sent is computed beforehand."""
    ready = [
        [
            [(r.key, r.value, [(k, v.encode()) for k, v in r.headers], partition_of(r.key, partitions)) for r in append]
            for append in slot
        ]
        for slot in encoded(events)
    ]

    def play(slot: int) -> None:
        for append in ready[slot]:
            futures = [
                producer.send(topic, key=key, value=value, headers=headers, partition=partition)
                for key, value, headers, partition in append
            ]
            for future in futures:
                future.get(timeout=60)

    return lambda: in_slots(play, len(ready))


def bare_sqlite(path: Path, events: Events) -> Step:
    """sqlite3 inserting the same bytes into a plain table, one transaction an append, as durable as ours."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, key BLOB, value BLOB)")
    ready = [[(r.key, r.value) for r in append] for slot in encoded(events) for append in slot]

    def play(slot: int) -> None:
        for append in ready:
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT INTO records (key, value) VALUES (?, ?)", append)
            connection.execute("COMMIT")

    return lambda: in_slots(play, 1)


def json_lines(path: Path, events: Events, sync: bool) -> Step:
    """json.dumps a line per event, flushed; with `sync` also fsynced per append. The dictionaries are there already."""
    ready = [[as_dict(e) for batch in append for e in batch] for slot in events for append in slot]

    def play(slot: int) -> None:
        with path.open("a", encoding="utf-8") as file:
            for append in ready:
                for event in append:
                    file.write(json.dumps(event) + "\n")
                    file.flush()
                if sync:
                    os.fsync(file.fileno())

    return lambda: in_slots(play, 1)


def as_dict(event: Event) -> dict[str, object]:
    """An event as JSON holds it."""
    found: dict[str, object] = msgspec.to_builtins(event)
    return {"kind": event.kind, **found}


class Rounds(NamedTuple):
    """Per step, of each round: seconds, and CPU seconds of this process with all its threads."""

    seconds: dict[str, list[float]]
    cpu_s: dict[str, list[float]]


def rounds(steps: Mapping[str, Step], num_rounds: int) -> Rounds:
    """Each step, one after another within each round; one round before is not counted."""
    found = Rounds({name: [] for name in steps}, {name: [] for name in steps})
    for number in range(num_rounds + 1):
        for name, step in steps.items():
            started = time.process_time()
            took = step()
            if number:
                found.seconds[name].append(took)
                found.cpu_s[name].append(time.process_time() - started)
    return found
