"""A process that works on a log until it is killed, by us or by itself.

python log_process.py URL append TOPIC KEY COUNT        append COUNT records, printing each number once acknowledged
python log_process.py URL chain IN OUT GROUP [POINT]    copy IN to OUT, records and offsets in one transaction;
                                                        at POINT the process kills itself
python log_process.py URL hold TOPIC GROUP              be a member of GROUP, printing every change of assignment
"""

import os
import signal
import sys

from trajlog.schemas.record import NewRecord
from trajlog.stream.log import TopicPartition
from trajlog.stream.open import open_log


def die(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def arm(url: str, point: str) -> None:
    """Put a kill -9 of this process at a point inside the commit of a transaction."""
    if url.startswith("sqlite"):
        from trajlog.stream.sqlite import SqliteLog

        name = {"records written": "_insert", "offsets written": "store_offsets"}[point]
        original = getattr(SqliteLog, name)

        def then_die(self: SqliteLog, *args: object) -> None:
            original(self, *args)
            die()

        setattr(SqliteLog, name, then_die)
    else:
        from kafka.producer.transaction_manager import TransactionManager

        name = {"records written": "send_offsets_to_transaction", "offsets written": "begin_commit"}[point]
        setattr(TransactionManager, name, die)


def append(url: str, topic: str, key: str, count: str) -> None:
    with open_log(url) as log:
        for number in range(int(count)):
            log.append(topic, [NewRecord(key=key.encode(), headers=(), value=str(number).encode())])
            print(number, flush=True)


def chain(url: str, source: str, target: str, group: str, point: str = "") -> None:
    with open_log(url) as log, log.group_reader([source], group) as reader:
        print("started", flush=True)
        while True:
            records = reader.poll(0.2, max_records=10)
            if not records:
                continue
            if point not in ("", "in the block"):
                arm(url, point)
            with log.transaction(reader) as transaction:
                transaction.append(target, [NewRecord(r.key, r.headers, r.value) for r in records])
                offsets = {TopicPartition(r.topic, r.partition): r.offset + 1 for r in records}
                transaction.commit_offsets(group, offsets)
                if point == "in the block":
                    die()
            print(len(records), flush=True)


def hold(url: str, topic: str, group: str) -> None:
    def show(word: str, partitions: frozenset[TopicPartition]) -> None:
        print(word, *sorted(tp.partition for tp in partitions), flush=True)

    with (
        open_log(url) as log,
        log.group_reader(
            [topic], group, lambda tps: show("assigned", tps) or {}, lambda tps: show("revoked", tps)
        ) as reader,
    ):
        print("started", flush=True)
        while True:
            for record in reader.poll(0.2):
                print("read", record.partition, record.offset, flush=True)


if __name__ == "__main__":
    _, url, action, *arguments = sys.argv
    {"append": append, "chain": chain, "hold": hold}[action](url, *arguments)
