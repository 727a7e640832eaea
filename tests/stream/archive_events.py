"""Events and logs for the archive's tests: whole episodes of real events, appended as producers do."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
from deltalake import DeltaTable

from tests.stream.roles import WITHIN_S
from trajlog.config import ArchiveConfig, LogConfig, RunConfig
from trajlog.schemas import (
    EpisodeFinished,
    EpisodeStarted,
    Event,
    Generation,
    Observation,
    Producer,
    ToolCall,
    VersionRun,
    encode,
    token_digest,
)
from trajlog.stream.archive import Archive
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archiver import run_archiver
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

PRODUCER = Producer("worker-1")


def run_config(prefix: str = "t", **archive: Any) -> RunConfig:
    return RunConfig(
        run_id="run",
        log=LogConfig(prefix=prefix, num_partitions=2),
        archive=ArchiveConfig(**{"flush_s": 0.05, **archive}),
    )


def new_log(folder: Path, config: RunConfig) -> Log:
    log = open_log(f"sqlite:///{folder}/log.db", create=True)
    log.create_topics(config.topics())
    return log


def episode(
    group: str,
    name: str,
    *,
    outcome: str | None = "solved",
    reward: float = 1.0,
    num_turns: int = 2,
    task: str = "cart",
    version: int = 3,
    producer: Producer = PRODUCER,
) -> list[Event]:
    """One episode: started, then per turn generation, tool_call, observation, then finished (unless outcome is None).

    Turn t has prompt tokens [100 t, 100 t + 1] and generated tokens [100 t + 10, 100 t + 11, 100 t + 12].
    """
    seq = iter(range(1000))

    def stamp() -> dict[str, Any]:
        return producer.stamp("run", group_id=group, episode_id=name, seq=next(seq))

    events: list[Event] = [
        EpisodeStarted(
            **stamp(),
            task_id=task,
            attempt=0,
            task_category="shared_state",
            policy_version=version,
            model="byte",
            sampling={"temperature": 1.0},
            tools='[{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]',
            messages='[{"role": "system", "content": "Fix it."}, {"role": "user", "content": "The cart is wrong."}]',
            context_limit=1000,
            turn_limit=8,
        )
    ]
    tokens: list[int] = []
    for turn in range(num_turns):
        prompt, generated = [100 * turn, 100 * turn + 1], [100 * turn + 10, 100 * turn + 11, 100 * turn + 12]
        events += [
            Generation(
                **stamp(),
                turn=turn,
                chain=0,
                prefix_len=len(tokens),
                prefix_sha256=token_digest(tokens),
                prompt_token_ids=prompt,
                token_ids=generated,
                logprobs=[-0.5, None, -1.5],
                policy_versions=[VersionRun(version, 1), VersionRun(version + 1, 2)],
                text=f"look {turn}",
                finish_reason="stop",
                latency_s=0.25,
            ),
            ToolCall(**stamp(), turn=turn, call_id=f"call-{turn}", name="bash", arguments='{"command": "ls"'),
            Observation(
                **stamp(), turn=turn, call_id=f"call-{turn}", name="bash", content="cart.py\n", duration_s=0.125
            ),
        ]
        tokens += prompt + generated
    if outcome is not None:
        events.append(
            EpisodeFinished(
                **stamp(),
                task_id=task,
                outcome=outcome,
                reward=None if outcome == "error" else reward,
                reward_components={} if outcome == "error" else {"tests": reward},
                num_turns=num_turns,
                num_generated_tokens=3 * num_turns,
                guard="loop" if outcome == "guard" else None,
            )
        )
    return events


def append(log: Log, topic: str, events: Sequence[Event], part_bytes: int | None = None) -> None:
    log.append(topic, encode(events, part_bytes) if part_bytes else encode(events))


def archive_all(log: Log, config: RunConfig, run_dir: Path) -> None:
    """Archive what is in the log now."""
    stop = threading.Event()
    stop.set()
    run_archiver(log, config, run_dir, stop)


def archived(location: Path | str, sql: str) -> list[tuple[Any, ...]]:
    """Rows of a query over the archive's own files; the table is called `a`."""
    with duckdb.connect() as con:
        con.execute("SET TimeZone = 'UTC'")
        create_events_view(con, "a", Archive(location).files())
        return con.execute(sql).fetchall()


def forget_log(location: Path | str) -> None:
    """What tidying does to the Delta log when all of its entries are older than LOG_RETENTION."""
    for entry in (Path(location) / "_delta_log").glob("*.json"):
        os.utime(entry, (time.time() - 3600,) * 2)
    table = DeltaTable(str(location))
    table.create_checkpoint()
    table.cleanup_metadata()


def wait_until(condition: Callable[[], bool], timeout_s: float = WITHIN_S) -> None:
    """Wait for a condition; fail when it does not come."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come"
        time.sleep(0.01)
