"""Rewards computed again from the archive with other weights, and what that does to the groups.

Reads only; a reward is handed in as a function of an episode's events, so that this module knows nothing of weights.
"""

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from trajlog.config import RunConfig, config_from_json
from trajlog.errors import ArchiveError, ConfigError
from trajlog.schemas import KINDS, EpisodeFinished, EpisodeStarted, Event, Observation, ToolCall

Compute = Callable[[Sequence[Event]], tuple[float, dict[str, float]] | str]
"""From an episode's events, generations left out, to its reward and components, or to the reason why it has none."""

_READ = (EpisodeStarted, ToolCall, Observation, EpisodeFinished)
_COLUMNS = tuple(dict.fromkeys(name for cls in _READ for name in cls.__struct_fields__))
_SQL = f"""
WITH kept AS (
    SELECT *
    FROM events
    WHERE episode_id IS NOT NULL AND topic LIKE '%.rollouts'
    QUALIFY row_number() OVER (PARTITION BY episode_id, seq ORDER BY topic, "partition", "offset", "row") = 1
),
counted AS (
    SELECT episode_id, count(*) AS num_events, max(seq) + 1 AS num_expected
    FROM kept
    GROUP BY episode_id
    HAVING count(*) FILTER (kind = 'episode_finished') > 0
)
SELECT kind, num_events = num_expected AS whole, {", ".join(f'k."{name}"' for name in _COLUMNS)}
FROM kept AS k
JOIN counted USING (episode_id)
WHERE kind IN ({", ".join(f"'{cls.kind}'" for cls in _READ)})
ORDER BY k.group_id, episode_id, seq
"""
_FETCH = 2000
_SAME = 1e-9
"""An advantage that near to 0 counts as 0."""


class Recomputed(msgspec.Struct, frozen=True, kw_only=True):
    """One finished episode."""

    run_id: str
    group_id: str | None
    episode_id: str
    task_id: str
    outcome: str
    logged: float | None
    """None on an error of the infrastructure."""
    reward: float | None
    """Computed again; None when `why_not` says why."""
    components: dict[str, float]
    why_not: str | None = None
    """`error`; `incomplete`: events are missing; `old_schema`: recorded before the events held what is needed."""


class GroupChange(msgspec.Struct, frozen=True, kw_only=True):
    """One group of which every member could be computed again."""

    group_id: str
    task_id: str
    num_members: int
    reward_std: float
    """Population's standard deviation, as the assembler takes it."""
    new_reward_std: float
    zero_variance: bool
    """Not above group.min_reward_std: such a group trains nothing."""
    new_zero_variance: bool
    sign_changes: int
    """Members whose advantage, reward less the group's mean, has another sign (positive, zero, negative)."""


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    episodes: int
    changed: int
    """Rewards that come out different."""
    not_computed: dict[str, int]
    groups: int
    zero_variance: int
    new_zero_variance: int
    advantages: int
    sign_changes: int

    def __str__(self) -> str:
        left_out = ", ".join(f"{count} {why}" for why, count in self.not_computed.items()) or "none"
        return (
            f"{self.episodes} episodes: {self.changed} rewards changed; not computed again: {left_out}\n"
            f"{self.groups} groups: without variance {self.zero_variance} before, {self.new_zero_variance} after\n"
            f"{self.advantages} advantages: {self.sign_changes} changed sign"
        )


def run_settings(con: duckdb.DuckDBPyConnection) -> RunConfig:
    """The settings of the archived run. Raises ArchiveError when its beginning is not archived."""
    row = con.execute("SELECT config FROM events WHERE kind = 'run_started' ORDER BY \"offset\" LIMIT 1").fetchone()
    if row is None:
        raise ArchiveError("the archive has no run_started event yet, hence no weights: run `trajlog archiver` first")
    return config_from_json(row[0])


def recompute(con: duckdb.DuckDBPyConnection, compute: Compute) -> list[Recomputed]:
    """Every finished episode, by group. `con` has the view `events` (analytics/query.py)."""
    return [_recomputed(events, whole, compute) for events, whole in _episodes(con)]


def group_changes(
    con: duckdb.DuckDBPyConnection, episodes: Sequence[Recomputed], min_reward_std: float
) -> list[GroupChange]:
    """What other rewards do to each group: its sealed members, or all finished ones while it is open or rejected."""
    sealed = dict(
        con.sql("SELECT group_id, [m.episode_id FOR m IN members] FROM groups WHERE len(members) > 0").fetchall()
    )
    changes = []
    for group_id, found in groupby(sorted(episodes, key=_group), key=_group):
        rows = list(found)
        members = [row for row in rows if row.episode_id in sealed.get(group_id, [r.episode_id for r in rows])]
        members = [row for row in members if row.outcome != "error"]
        before = [row.logged for row in members if row.logged is not None]
        after = [row.reward for row in members if row.reward is not None]
        if group_id and members and len(before) == len(after) == len(members):
            changes.append(_change(group_id, rows[0].task_id, before, after, min_reward_std))
    return changes


def summarize(episodes: Sequence[Recomputed], groups: Sequence[GroupChange]) -> Summary:
    return Summary(
        episodes=len(episodes),
        changed=sum(row.reward is not None and row.reward != row.logged for row in episodes),
        not_computed=dict(sorted(Counter(row.why_not for row in episodes if row.why_not).items())),
        groups=len(groups),
        zero_variance=sum(group.zero_variance for group in groups),
        new_zero_variance=sum(group.new_zero_variance for group in groups),
        advantages=sum(group.num_members for group in groups),
        sign_changes=sum(group.sign_changes for group in groups),
    )


def write_parquet(episodes: Sequence[Recomputed], weights: Mapping[str, float], path: Path) -> None:
    """A new table, one row per episode; its metadata has the weights. Raises ConfigError when the file is there."""
    if path.exists():
        raise ConfigError(f"{path} exists; name a new file, nothing is ever overwritten")
    text, number = pa.string(), pa.float64()
    names = ("run_id", "group_id", "episode_id", "task_id", "outcome")
    schema = pa.schema(
        [
            *(pa.field(name, text) for name in names),
            pa.field("logged", number),
            pa.field("reward", number),
            pa.field("components", pa.map_(text, number)),
            pa.field("why_not", text),
        ],
        metadata={"weights": json.dumps(dict(weights))},
    )
    rows = [msgspec.to_builtins(row) | {"components": list(row.components.items())} for row in episodes]
    temporary = path.with_name(f".{path.name}.new")
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), temporary)
    temporary.replace(path)


def _episodes(con: duckdb.DuckDBPyConnection) -> Iterator[tuple[list[Event], bool]]:
    """The events of each finished episode in order, and whether none is missing."""
    cursor = con.execute(_SQL)
    names = [column[0] for column in cursor.description or []]

    def rows() -> Iterator[dict[str, Any]]:
        while fetched := cursor.fetchmany(_FETCH):
            for row in fetched:
                yield dict(zip(names, row, strict=True))

    for _, found in groupby(rows(), lambda row: row["episode_id"]):
        episode = list(found)
        yield [_event(row) for row in episode], all(row["whole"] for row in episode)


def _event(row: Mapping[str, Any]) -> Event:
    cls = KINDS[row["kind"]]
    return msgspec.convert({name: row[name] for name in cls.__struct_fields__}, cls)


def _recomputed(events: Sequence[Event], whole: bool, compute: Compute) -> Recomputed:
    finished = next(event for event in events if isinstance(event, EpisodeFinished))
    found = compute(events) if whole else "incomplete"
    reward, components, why_not = (None, {}, found) if isinstance(found, str) else (*found, None)
    return Recomputed(
        run_id=finished.run_id,
        group_id=finished.group_id,
        episode_id=finished.episode_id or "",
        task_id=finished.task_id,
        outcome=finished.outcome,
        logged=finished.reward,
        reward=reward,
        components=components,
        why_not=why_not,
    )


def _group(row: Recomputed) -> str:
    return row.group_id or ""


def _change(
    group_id: str, task_id: str, before: Sequence[float], after: Sequence[float], min_reward_std: float
) -> GroupChange:
    std, new_std = _std(before), _std(after)
    return GroupChange(
        group_id=group_id,
        task_id=task_id,
        num_members=len(before),
        reward_std=std,
        new_reward_std=new_std,
        zero_variance=not std > min_reward_std,
        new_zero_variance=not new_std > min_reward_std,
        sign_changes=sum(a != b for a, b in zip(_signs(before), _signs(after), strict=True)),
    )


def _std(rewards: Sequence[float]) -> float:
    mean = math.fsum(rewards) / len(rewards)
    return math.sqrt(math.fsum((reward - mean) ** 2 for reward in rewards) / len(rewards))


def _signs(rewards: Sequence[float]) -> list[int]:
    mean = math.fsum(rewards) / len(rewards)
    return [(reward > mean + _SAME) - (reward < mean - _SAME) for reward in rewards]
