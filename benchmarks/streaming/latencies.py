"""Latencies under a steady load, with the real roles in processes of their own.

`seal`: from the acknowledgement of the episode_finished that makes a group full to the group_sealed record in the hands
of a reader of `.groups`. `sql`: from the acknowledgement of an append to the answer of a query that counts its event,
asked again and again from a fresh connection (archive and live tail), as `trajlog sql` asks; the start of a Python
process is not in it.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from trajlog.analytics.query import connect
from trajlog.schemas import Producer, encode
from trajlog.stream.archive import Archive
from trajlog.stream.archiver import archive_location
from trajlog.stream.control import start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

from .reads import run_config
from .rollouts import GROUP_SIZE, Rollouts, shaped

NUM_TURNS = 10
SEAL_EPISODES_PER_S = 24.0
"""Load of the seal figure: three groups of 8 episodes a second, 260 events each."""
SQL_EPISODES_PER_S = 6.0
WAIT_S = 60.0


@contextmanager
def role(name: str, url: str, prefix: str, *options: str) -> Iterator[None]:
    """A role of the run as a process, ended on leaving."""
    command = [sys.executable, "-m", "trajlog", name, "--log", url, "--prefix", prefix, *options]
    root = Path(__file__).parents[2]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield
            if process.poll() is not None:
                assert process.stderr
                raise SystemExit(f"the {name} ended: {process.stderr.read()[-2000:]}")
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.communicate(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def new_run(log: Log, prefix: str) -> None:
    config = run_config(prefix)
    log.create_topics(config.topics())
    start_run(log, config, Producer("scheduler"))


class _Sealed:
    """When each group's group_sealed was read."""

    def __init__(self, url: str, topic: str) -> None:
        self.at: dict[str, float] = {}
        self._url, self._topic = url, topic
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)

    def _read(self) -> None:
        with open_log(self._url) as log, log.reader([self._topic], "beginning") as reader:
            self._ready.set()
            while not self._stop.is_set():
                for record in reader.poll(0.2):
                    self.at.setdefault(record.key.decode(), time.perf_counter())

    def wait(self, group: str) -> None:
        deadline = time.perf_counter() + WAIT_S
        while group not in self.at:
            if time.perf_counter() > deadline:
                raise SystemExit(f"group {group} was not sealed within {WAIT_S:.0f} s")
            time.sleep(0.01)

    def __enter__(self) -> "_Sealed":
        self._thread.start()
        self._ready.wait(WAIT_S)
        return self

    def __exit__(self, *exc: object) -> None:
        self._stop.set()
        self._thread.join()


def seal_latencies(url: str, prefix: str, num_groups: int, shape: str) -> list[float]:
    """Seconds for each group but the first, which waits for the assembler's start."""
    rollouts = Rollouts(11)
    groups = [
        [shaped(rollouts.episode(f"g{g}", f"e{g}.{m}", m, NUM_TURNS), shape) for m in range(GROUP_SIZE)]
        for g in range(num_groups + 1)
    ]
    full: dict[str, float] = {}
    with open_log(url, create=True) as log:
        new_run(log, prefix)
        topic = f"{prefix}.rollouts"
        with role("assembler", url, prefix), _Sealed(url, f"{prefix}.groups") as sealed:
            due = time.perf_counter()
            for number, group in enumerate(groups):
                for episode in group:
                    *before, last = episode
                    log.append(topic, [record for batch in before for record in encode(batch)])
                    due = max(due + 1 / SEAL_EPISODES_PER_S, time.perf_counter() - 1)
                    time.sleep(max(0.0, due - time.perf_counter()))
                    log.append(topic, encode(last))
                    full[f"g{number}"] = time.perf_counter()
                if number == 0:
                    sealed.wait("g0")
                    due = time.perf_counter()
            sealed.wait(f"g{num_groups}")
            for name in full:
                sealed.wait(name)
            return [max(0.0, sealed.at[name] - full[name]) for name in full if name != "g0"]


def sql_latencies(url: str, prefix: str, run_dir: Path, num_queries: int, shape: str) -> list[float]:
    """Seconds for each of `num_queries` events while a thread appends episodes and an archiver archives."""
    rollouts, probes = Rollouts(12), Rollouts(13)
    stop = threading.Event()
    found: list[float] = []
    with open_log(url, create=True) as log:
        new_run(log, prefix)
        topic = f"{prefix}.rollouts"

        def load() -> None:
            number, due = 0, time.perf_counter()
            while not stop.is_set():
                episode = rollouts.episode(f"l{number // GROUP_SIZE}", f"l{number}", number % GROUP_SIZE, NUM_TURNS)
                log.append(topic, [record for batch in shaped(episode, shape) for record in encode(batch)])
                number, due = number + 1, max(due + 1 / SQL_EPISODES_PER_S, time.perf_counter() - 1)
                stop.wait(max(0.0, due - time.perf_counter()))

        with role("archiver", url, prefix, "--run-dir", str(run_dir)):
            deadline = time.perf_counter() + WAIT_S
            while not Archive.exists(archive_location(run_dir)):
                if time.perf_counter() > deadline:
                    raise SystemExit(f"no archive within {WAIT_S:.0f} s")
                time.sleep(0.05)
            loader = threading.Thread(target=load, daemon=True)
            loader.start()
            try:
                for number in range(num_queries):
                    batch = probes.episode("probe", f"p{number}", 0, 1)[0]
                    log.append(topic, encode(batch))
                    found.append(_seconds_until_seen(run_dir, log, batch[0].event_id))
            finally:
                stop.set()
                loader.join()
    return found


def _seconds_until_seen(run_dir: Path, log: Log, event_id: str) -> float:
    started = time.perf_counter()
    while True:
        with connect(run_dir, log) as con:
            row = con.execute("SELECT count(*) FROM events WHERE event_id = ?", [event_id]).fetchone()
        took = time.perf_counter() - started
        if row == (1,):
            return took
        if took > WAIT_S:
            raise SystemExit(f"event {event_id} is not visible after {WAIT_S:.0f} s: {row}")


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` of them are not above."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
