"""A SQLite log has one write lock: how long an append waits for it beside processes that append without a pause."""

import os
import time
from pathlib import Path
from typing import Any

from simulated.fleet import SPAWN

from trajlog.schemas.record import NewRecord
from trajlog.stream.open import open_log

TOPIC, PAUSE_S, RECORDS, RECORD_BYTES = "lock", 0.02, 15, 2200
"""The measured one appends a record every PAUSE_S, the others RECORDS of RECORD_BYTES at a time."""


def _append_always(url: str, ready: Any, stop: Any) -> None:
    with open_log(url) as log:
        batch = [NewRecord(b"key", (("kind", "none"),), os.urandom(RECORD_BYTES)) for _ in range(RECORDS)]
        ready.release()
        while not stop.is_set():
            log.append(TOPIC, batch)


def measure(folder: Path, num_others: int, seconds: float) -> dict[str, float]:
    """Milliseconds of one append: median and longest."""
    url = f"sqlite:///{folder}/lock-{num_others}.db"
    ready, stop, waits = SPAWN.Semaphore(0), SPAWN.Event(), []
    with open_log(url, create=True) as log:
        log.create_topics({TOPIC: 1})
        others = [SPAWN.Process(target=_append_always, args=(url, ready, stop), daemon=True) for _ in range(num_others)]
        for other in others:
            other.start()
        for _ in others:
            ready.acquire()
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            began = time.monotonic()
            log.append(TOPIC, [NewRecord(b"key", (("kind", "none"),), b"value")])
            waits.append(1000 * (time.monotonic() - began))
            time.sleep(PAUSE_S)
        stop.set()
        for other in others:
            other.join()
    waits.sort()
    return {"p50_ms": waits[len(waits) // 2], "max_ms": waits[-1], "appends": len(waits)}
