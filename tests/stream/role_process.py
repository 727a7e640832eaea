"""Runs one role against a real log in its own process, and may end it by SIGKILL around the n-th durable step.

    python role_process.py assembler|scheduler URL [POINT N]

POINT: before, inside, after (of the n-th transaction or append), middle (SQLite: records inserted, offsets not yet
stored, nothing committed), sent (Kafka: records acknowledged, offsets not yet sent) or stored (Kafka: offsets
acknowledged, too, nothing committed).
"""

import os
import signal
import sys
import threading
from contextlib import contextmanager

from kafka.producer.transaction_manager import TransactionManager

from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import wait_for_run
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.open import open_log
from trajlog.stream.scheduler import run_scheduler


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def install(log, point: str, number: int) -> None:
    """Make the log kill this process at its `number`-th transaction or append."""
    kind = type(log)
    transaction, append = kind.transaction, kind.append
    store_offsets = getattr(kind, "store_offsets", None)
    counted = [0]

    def at(here: str) -> None:
        if (here, counted[0]) == (point, number):
            die()

    @contextmanager
    def dying_transaction(self, reader=None):
        counted[0] += 1
        at("before")
        with transaction(self, reader) as pending:
            yield pending
            at("inside")
        at("after")

    def dying_append(self, topic, records):
        counted[0] += 1
        at("before")
        append(self, topic, records)
        at("after")

    def dying_store_offsets(self, *arguments):
        at("middle")
        store_offsets(self, *arguments)

    def dying_step(name: str, here: str) -> None:
        step = getattr(TransactionManager, name)

        def dying(self, *arguments):
            at(here)
            return step(self, *arguments)

        setattr(TransactionManager, name, dying)

    dying_step("send_offsets_to_transaction", "sent")
    dying_step("begin_commit", "stored")
    kind.transaction, kind.append = dying_transaction, dying_append
    if store_offsets is not None:
        kind.store_offsets = dying_store_offsets


def main() -> None:
    role, url, *crash = sys.argv[1:]
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    with open_log(url) as log:
        config = wait_for_run(log, os.environ.get("TRAJLOG_PREFIX"))
        if crash:
            install(log, crash[0], int(crash[1]))
        if role == "assembler":
            run_assembler(log, config, stop)
        else:
            run_scheduler(log, config, [CurriculumTask(name) for name in ("t1", "t2", "t3")], stop)


if __name__ == "__main__":
    main()
