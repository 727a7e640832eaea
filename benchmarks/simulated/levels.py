"""One level of load on a real log with real roles: what an event, an open episode and a restart cost there."""

import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from simulated.episodes import GROUP_SIZE
from simulated.fleet import Process, Role, Workers, behind, cpu_s

from trajlog.analytics.query import connect
from trajlog.config import ArchiveConfig, EpisodeConfig, GroupConfig, LearnerConfig, LogConfig, RunConfig
from trajlog.schemas import GroupVerdict, Producer
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.log import Log, TopicPartition
from trajlog.stream.open import open_log

TOKENS = 2**17  # longest chain of any size
PATIENCE_S = 300.0
QUERIES = {
    "kinds": "SELECT kind, count(*) FROM events GROUP BY 1",
    "outcomes": "SELECT outcome, count(*), avg(reward) FROM episodes GROUP BY 1",
    "verdicts": "SELECT verdict, count(*) FROM verdicts GROUP BY 1",
}


@dataclass(frozen=True)
class Level:
    num_open: int
    """Concurrent episodes."""
    size: str = "small"
    """A name in episodes.SIZES."""
    num_partitions: int = 4
    num_members: int = 1
    """Assemblers, and archivers."""
    num_fleets: int = 1
    events_per_s: float | None = None
    """Of all fleets; None: flat out."""
    seconds: float = 10.0
    recovery: bool = True


class Measured:
    """A level that runs: log, roles, fleets."""

    def __init__(self, level: Level, url: str, folder: Path, broker_pid: int | None) -> None:
        self.level, self._url, self._broker_pid = level, url, broker_pid
        self._prefix = f"scale-{uuid.uuid4().hex[:8]}"
        self._run_dir = folder / self._prefix
        self._log: Log = open_log(url, create=True)
        self._config = RunConfig(
            run_id="scale",
            log=LogConfig(prefix=self._prefix, num_partitions=level.num_partitions),
            group=GroupConfig(group_size=GROUP_SIZE, seal_timeout_s=3600),
            episode=EpisodeConfig(context_limit=TOKENS),
            learner=LearnerConfig(max_tokens_per_microbatch=TOKENS),
            archive=ArchiveConfig(flush_s=2.0),
        )
        start_run(self._log, self._config, Producer("scale"))
        self._rollouts = self._config.topic("rollouts")
        self._assemblers = [self._role("assembler") for _ in range(level.num_members)]
        self._archivers = [self._role("archiver") for _ in range(level.num_members)]
        each = level.num_open // level.num_fleets
        self._fleets = [Workers(url, self._prefix, level.size, each) for _ in range(level.num_fleets)]

    def _role(self, role: str) -> Role:
        return Role(role, self._url, self._prefix, self._run_dir, self.level.num_partitions)

    def close(self) -> None:
        for process in (*self._fleets, *self._assemblers, *self._archivers):
            process.end()
        self._log.close()

    def figures(self) -> dict[str, float]:
        """All of the level's figures, in the order in which they are taken."""
        self._wait(lambda: all(self._placed(roles) for roles in (self._assemblers, self._archivers)))
        before = sum(role.rss() for role in self._assemblers)
        self._ask_all("fill")
        self._wait(self._drained)
        found = {"bytes_per_open": (sum(role.rss() for role in self._assemblers) - before) / self.level.num_open}
        found |= self._window()
        found |= self._queries()
        if self.level.recovery:
            found |= self._recovery()
        return found

    def _placed(self, roles: list[Role]) -> bool:
        """Whether every partition has its reader among `roles`."""
        return all(max(role.positions[p] for role in roles) >= 0 for p in range(self.level.num_partitions))

    def _window(self) -> dict[str, float]:
        """Play for the level's seconds, then let the roles catch up: costs are of all of it."""
        kinds: Mapping[str, list[Process]] = {
            "producer": [*self._fleets],
            "assembler": [*self._assemblers],
            "archiver": [*self._archivers],
        }
        cpu = {name: sum(one.cpu_s() for one in processes) for name, processes in kinds.items()}
        broker = self._broker_cpu_s()
        counts = self._counts
        rate = self.level.events_per_s and self.level.events_per_s / len(self._fleets)
        began = time.monotonic()
        for fleet in self._fleets:
            fleet.ask("play", self.level.seconds, rate)
        lag = archive_lag = 0
        while not all(fleet.ready() for fleet in self._fleets):
            ends = self._log.end_offsets(self._rollouts)
            lag = max(lag, behind(ends, self._assemblers))
            archive_lag = max(archive_lag, self._unarchived(ends))
            time.sleep(0.2)
        played_s = time.monotonic() - began
        self._counts = self._answers()
        num = {name: self._counts[name] - counts[name] for name in counts}
        caught_up_s = self._wait(lambda: behind(self._log.end_offsets(self._rollouts), self._assemblers) == 0)
        self._wait(self._drained)
        found = {
            "events_per_s": num["events"] / played_s,
            "bytes_per_event": num["bytes"] / num["events"],
            "rollouts_per_min": 60 * num["finished"] / played_s,
            "append_ms": 1000 * num["wait_s"] / num["appends"],
            "lag_records": lag,
            "archive_lag_records": archive_lag,
            "caught_up_s": caught_up_s,
        }
        for name, processes in kinds.items():
            spent = sum(one.cpu_s() for one in processes) - cpu[name]
            found[f"{name}_us"] = 1e6 * spent / num["events"]
        found["broker_us"] = 1e6 * (self._broker_cpu_s() - broker) / num["events"]
        return found

    def _recovery(self) -> dict[str, float]:
        """Kill the assembler; a group is completed meanwhile; start it again, until it has judged that group."""
        self._assemblers[0].kill()
        start = self._log.end_offsets(self._config.topic("control"))
        self._fleets[0].ask("complete_group")
        group_id, self._counts = self._fleets[0].answer()
        ends = self._log.end_offsets(self._rollouts)
        committed = self._log.committed(f"{self._prefix}.assembler", [self._rollouts])
        began = time.monotonic()
        self._assemblers[0] = self._role("assembler")
        self._wait(lambda: self._placed(self._assemblers))
        placed_s = time.monotonic() - began
        self._wait(lambda: behind(ends, self._assemblers) == 0)
        read_s = time.monotonic() - began
        with ControlFollower(self._log, self._config.topic("control"), {GroupVerdict.kind}, start) as control:
            judged = False
            while not judged:
                judged = any(event.group_id == group_id for _, event in control.poll(0.2))
                if time.monotonic() - began > PATIENCE_S:
                    raise SystemExit(f"the assembler did not judge {group_id} within {PATIENCE_S:.0f} s")
        return {
            "recovery_records": sum(end - committed.get(tp, 0) for tp, end in ends.items()),
            "recovery_placed_s": placed_s,
            "recovery_read_s": read_s,
            "recovery_s": time.monotonic() - began,
        }

    def _queries(self) -> dict[str, float]:
        """Milliseconds from nothing to the answer of each of QUERIES, over archive and live tail."""
        found: dict[str, float] = {}
        for name, sql in QUERIES.items():
            began = time.monotonic()
            with closing(connect(self._run_dir, self._log)) as con:
                rows = con.execute(sql).fetchall()
            found[f"sql_{name}_ms"] = 1000 * (time.monotonic() - began)
            if name == "kinds":
                found["archive_rows"] = sum(count for _, count in rows)
        return found

    def _ask_all(self, *command: object) -> None:
        for fleet in self._fleets:
            fleet.ask(*command)
        self._counts = self._answers()

    def _answers(self) -> dict[str, float]:
        found = [fleet.answer()[1] for fleet in self._fleets]
        return {name: sum(counts[name] for counts in found) for name in found[0]}

    def _unarchived(self, ends: Mapping[TopicPartition, int]) -> int:
        committed = self._log.committed(f"{self._prefix}.archiver", [self._rollouts])
        return sum(end - committed.get(tp, 0) for tp, end in ends.items())

    def _drained(self) -> bool:
        ends = self._log.end_offsets(self._rollouts)
        return behind(ends, self._assemblers) == 0 and self._unarchived(ends) == 0

    def _broker_cpu_s(self) -> float:
        return cpu_s(self._broker_pid) if self._broker_pid else 0.0

    def _wait(self, done: Callable[[], bool]) -> float:
        """Seconds until `done`. Ends the benchmark when a role died or nothing comes of it."""
        began = time.monotonic()
        while not done():
            for process in (*self._fleets, *self._assemblers, *self._archivers):
                if process.child.exitcode is not None:
                    raise SystemExit(f"a process ended by itself ({process.child.exitcode}): see its message above")
            if time.monotonic() - began > PATIENCE_S:
                raise SystemExit(f"nothing more happened at {self.level} within {PATIENCE_S:.0f} s")
            time.sleep(0.05)
        return time.monotonic() - began


@contextmanager
def running(level: Level, url: str, folder: Path, broker_pid: int | None = None) -> Iterator[Measured]:
    measured = Measured(level, url, folder, broker_pid)
    try:
        yield measured
    finally:
        measured.close()
