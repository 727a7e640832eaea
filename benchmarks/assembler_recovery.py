"""How long a killed assembler takes to be where it was, by the number of open episodes.

    python benchmarks/assembler_recovery.py --quick

A SQLite log of natural records (three turns of 200 sampled tokens and 400 new prompt tokens an episode): first some
groups that are judged, then `--episodes` open ones. An assembler reads it all and is killed by SIGKILL; then a last
group is completed and the assembler is started again. `recovery` is from that start, imports included, to the verdict
on that group, which comes after everything else was read. `replayed` is what lay between the committed offsets and the
end. Twice: `open` where only those groups are open; `old one open` where the first group of the log stays open all the
time, so that everything after it in its partition is read again. `started` is what an assembler without a backlog
takes; memory is what it has more than that one.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pyarrow as pa
from fold import episode_turns

from trajlog.config import GroupConfig, LogConfig, RunConfig
from trajlog.schemas import KINDS, Event, GroupVerdict, NewRecord, Producer, arrow_schema
from trajlog.schemas.codec import decode_batch, encode_columns, encode_events
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

CONFIG = RunConfig(run_id="bench", log=LogConfig(prefix="bench"), group=GroupConfig(group_size=12))
MEMBERS = 12
TURNS = 3
GROUP = "bench.assembler"


class Template:
    """Records of one episode, made once and given out under other ids."""

    def __init__(self) -> None:
        self._batches = [
            (KINDS[event.kind], decode_batch(encode_events([event]), arrow_schema(type(event))))
            for appends in episode_turns("group", "episode", turns=TURNS)
            for event in appends
        ]

    def records(self, group: str, episode: str, reward: float | None = None) -> list[NewRecord]:
        """All but the last one without a `reward`."""
        found = []
        for cls, batch in self._batches if reward is not None else self._batches[:-1]:
            batch = _with(_with(batch, "group_id", group), "episode_id", episode)
            if cls.kind == "episode_finished":
                batch = _with(batch, "reward", reward)
            found += encode_columns(cls, batch, group.encode(), "bench", batch.column("event_id")[0].as_py())
        return found


def _with(batch: pa.RecordBatch, name: str, value: object) -> pa.RecordBatch:
    index = batch.schema.get_field_index(name)
    return batch.set_column(index, batch.schema.field(index), pa.array([value], batch.schema.field(index).type))


def append_group(log: Log, template: Template, name: str, members: int, finished: bool) -> None:
    records = [
        record
        for member in range(members)
        for record in template.records(name, f"{name}-{member:02}", float(member) if finished else None)
    ]
    log.append(CONFIG.topic("rollouts"), records)


@contextmanager
def assembler(url: str) -> Iterator[psutil.Process]:
    process = subprocess.Popen([sys.executable, "-m", "trajlog", "assembler", "--log", url], stderr=subprocess.DEVNULL)
    try:
        yield psutil.Process(process.pid)
    finally:
        process.kill()
        process.wait()


def judged(follower: ControlFollower, names: set[str], timeout_s: float = 600.0) -> None:
    """Wait until these groups have their verdicts."""
    missing, deadline = set(names), time.monotonic() + timeout_s
    while missing:
        events: list[Event] = [event for _, event in follower.poll(0.05)]
        missing -= {event.group_id for event in events if isinstance(event, GroupVerdict)}
        if time.monotonic() > deadline:
            raise SystemExit(f"groups {sorted(missing)[:5]} have no verdict after {timeout_s:.0f} s")


def replayed(log: Log) -> tuple[int, int]:
    """Records and bytes from the committed offsets on."""
    topic = CONFIG.topic("rollouts")
    num_records = num_bytes = 0
    with log.reader([topic], log.committed(GROUP, [topic])) as reader:
        while records := reader.poll(0):
            num_records += len(records)
            num_bytes += sum(len(record.value) for record in records)
    return num_records, num_bytes


def measure(folder: Path, num_episodes: int, num_closed: int, old_one: bool) -> dict[str, float]:
    url = f"sqlite:///{folder}/{'old' if old_one else 'open'}.db"
    template = Template()
    with open_log(url, create=True) as log:
        start_run(log, CONFIG, Producer("bench"))
        with ControlFollower(log, CONFIG.topic("control"), {GroupVerdict.kind}) as follower:
            append_group(log, template, "warm", MEMBERS, finished=True)
            started = time.monotonic()
            with assembler(url) as process:
                judged(follower, {"warm"})
                start_s, idle_rss = time.monotonic() - started, process.memory_info().rss
            if old_one:
                append_group(log, template, "old", 1, finished=False)
            closed = {f"closed-{number}" for number in range(num_closed)}
            for name in sorted(closed):
                append_group(log, template, name, MEMBERS, finished=True)
            for number in range(num_episodes // MEMBERS):
                append_group(log, template, f"open-{number}", MEMBERS, finished=False)
            append_group(log, template, "mark", MEMBERS, finished=True)
            with assembler(url):
                judged(follower, {*closed, "mark"})
            append_group(log, template, "last", MEMBERS, finished=True)
            num_records, num_bytes = replayed(log)
            started = time.monotonic()
            with assembler(url) as process:
                judged(follower, {"last"})
                recovery_s, rss = time.monotonic() - started, process.memory_info().rss
    return {
        "started_s": start_s,
        "recovery_s": recovery_s,
        "replayed_records": num_records,
        "replayed_mb": num_bytes / 1e6,
        "records_per_s": num_records / max(1e-9, recovery_s - start_s),
        "rss_mb": rss / 1e6,
        "kb_per_open_episode": (rss - idle_rss) / 1e3 / num_episodes,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="600 open episodes instead of 10,000")
    parser.add_argument("--episodes", type=int, help="open episodes")
    arguments = parser.parse_args()
    num_episodes = arguments.episodes or (600 if arguments.quick else 10_000)
    num_closed = num_episodes // (4 * MEMBERS)
    figures = {}
    print(
        f"{f'{num_episodes:,} open episodes':<24}{'started s':>10}{'recovery s':>12}{'replayed':>10}{'MB':>8}", end=""
    )
    print(f"{'records/s':>11}{'RSS MB':>8}{'kB/episode':>12}")
    widths = (".1f", 10), (".1f", 12), (",.0f", 10), (",.0f", 8), (",.0f", 11), (",.0f", 8), (".1f", 12)
    with tempfile.TemporaryDirectory() as folder:
        for name, old_one in (("open", False), ("old one open", True)):
            found = figures[name] = measure(Path(folder), num_episodes, num_closed, old_one)
            cells = (f"{value:>{width}{form}}" for value, (form, width) in zip(found.values(), widths, strict=True))
            print(f"{name:<24}" + "".join(cells), flush=True)
    print(json.dumps({"open_episodes": num_episodes, **figures}))


if __name__ == "__main__":
    main()
