"""What each view says about a small run whose every value is known."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest

from tests.stream.archive_events import PRODUCER, append, episode, new_log, run_config
from trajlog.analytics.query import VIEWS, connect
from trajlog.schemas import (
    Chain,
    EpisodeAssigned,
    EpisodeVerdict,
    Event,
    GroupSealed,
    GroupVerdict,
    LearnerStarted,
    Member,
    NewRecord,
    PolicyAcknowledged,
    PolicyPublished,
    RejectedGroup,
    SchedulerStarted,
    TrainStep,
    TurnSpan,
    VersionRun,
    chains_digest,
)

SHA = "a" * 64
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def stamp(**ids: Any) -> dict[str, Any]:
    return PRODUCER.stamp("run", **ids)


def step(epoch: int, number: int, version: int, loss: float, trained: tuple[str, ...] = ()) -> TrainStep:
    return TrainStep(
        **stamp(),
        epoch=epoch,
        step=number,
        policy_version=version,
        groups_trained=trained,
        groups_rejected=(RejectedGroup("g3", "stale"),),
        metrics={"loss": loss, "reward_mean": 0.5},
        offsets={"t.groups-0": 1},
        batch_sha256=SHA,
        duration_s=1.5,
    )


def published(epoch: int, version: int, uri: str) -> PolicyPublished:
    return PolicyPublished(
        **stamp(), epoch=epoch, policy_version=version, step=version, uri=uri, sha256=SHA, link="file"
    )


def assigned(group_id: str, episode_id: str, task_id: str, **plan: Any) -> EpisodeAssigned:
    """Without `plan`: as it was written before groups had sizes of their own."""
    ids = stamp(group_id=group_id, episode_id=episode_id)
    return EpisodeAssigned(**ids, epoch=0, worker="w", task_id=task_id, attempt=0, **plan)


def verdict(episode_id: str, name: str, epoch: int | None = None, fits: bool | None = None) -> EpisodeVerdict:
    ids = stamp(group_id="g1", episode_id=episode_id)
    return EpisodeVerdict(**ids, verdict=name, task_id="cart", epoch=epoch, debugger_fits=fits)


def sealed() -> GroupSealed:
    chain = Chain(0, (1, 2), (False, True), (None, -0.5), (TurnSpan(0, 1, 2, (VersionRun(3, 1),)),))
    return GroupSealed(
        **stamp(group_id="g1"),
        task_id="cart",
        sealed_because="full",
        policy_version_min=3,
        policy_version_max=4,
        members=(Member("e1", "solved", 1.0, 6, 2), Member("e2", "failed", -1.0, 3, 1)),
        chains=(chain,),
        tokens_sha256=chains_digest((chain,)),
    )


def group_verdict(reason: str, name: str = "sealed") -> GroupVerdict:
    return GroupVerdict(
        **stamp(group_id="g1"),
        verdict=name,
        reason=reason,
        task_id="cart",
        group_partition=0,
        logical_time=NOON,
        offsets={"t.rollouts-0": 9},
        numbers={"finished": 2.0},
    )


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    tmp_path = tmp_path_factory.mktemp("views")
    config = run_config()
    first = episode("g1", "e1", version=3)
    control: list[Event] = [
        SchedulerStarted(**stamp(), epoch=0),
        LearnerStarted(**stamp(), epoch=0, step=0),
        published(0, 0, "adapters/0"),
        PolicyAcknowledged(**stamp(), engine="e-1", endpoint="http://x", policy_version=0, sha256=SHA),
        assigned("g1", "e1", "cart", group_size=3, curriculum_phase=2, success_estimate=0.25),
        assigned("g2", "e9", "door"),
        step(0, 1, 1, loss=2.0, trained=("g1",)),
        published(0, 1, "adapters/1"),
        SchedulerStarted(**stamp(), epoch=1),
        LearnerStarted(**stamp(), epoch=1, step=1),
        step(0, 2, 2, loss=99.0, trained=("zombie",)),
        published(0, 2, "adapters/zombie"),
        step(1, 2, 2, loss=1.0),
        published(1, 2, "adapters/2"),
        verdict("e1", "abandoned", epoch=0),
        verdict("e1", "sealed", fits=False),
        verdict("e1", "late"),
        verdict("e3", "abandoned", epoch=1),
        group_verdict("full"),
        group_verdict("too_few", "rejected"),
    ]
    with new_log(tmp_path, config) as log:
        append(log, "t.rollouts", first)
        append(log, "t.rollouts", first[1:3])
        second = episode("g1", "e2", outcome="failed", reward=-1.0, num_turns=1)
        append(log, "t.rollouts", [*second[:-1], msgspec.structs.replace(second[-1], debugger_fits=True)])
        append(log, "t.rollouts", episode("g1", "e3", outcome=None, num_turns=1))
        append(log, "t.rollouts", episode("g1", "e4", outcome=None, num_turns=0))
        append(log, "t.groups", [sealed()])
        append(log, "t.control", control)
        log.append("t.rollouts", [NewRecord(b"g1", (("kind", "martian"),), b"?")])
        with contextlib.closing(connect(tmp_path, log)) as con:
            yield con


def one(con: duckdb.DuckDBPyConnection, sql: str) -> tuple[Any, ...]:
    (row,) = con.execute(sql).fetchall()
    return row


def test_every_view_file_is_created_and_answers(con: duckdb.DuckDBPyConnection) -> None:
    there = {path.name.removesuffix(".sql") for path in files("trajlog.analytics").joinpath("views").iterdir()}
    assert there == set(VIEWS)
    for name in VIEWS:
        con.execute(f"SELECT * FROM {name}").fetchall()


def test_an_episode_is_one_row_with_its_outcome_tokens_and_verdict(con: duckdb.DuckDBPyConnection) -> None:
    row = one(
        con,
        "SELECT task_id, category, outcome, reward, verdict, num_turns, num_generated_tokens, num_prompt_tokens, "
        "num_tool_calls, policy_version, policy_version_min, policy_version_max, reward_components, group_id "
        "FROM episodes WHERE episode_id = 'e1'",
    )
    assert row == ("cart", "shared_state", "solved", 1.0, "sealed", 2, 6, 4, 2, 3, 3, 4, {"tests": 1.0}, "g1")


def test_an_episode_that_has_not_finished_is_running_or_abandoned(con: duckdb.DuckDBPyConnection) -> None:
    columns = "episode_id, outcome, num_turns, reward, debugger_fits"
    assert con.execute(f"SELECT {columns} FROM episodes ORDER BY 1").fetchall() == [
        ("e1", "solved", 2, 1.0, None),
        ("e2", "failed", 1, -1.0, True),
        ("e3", "abandoned", 1, None, None),
        ("e4", "running", 0, None, None),
    ]


def test_an_event_that_was_sent_twice_counts_once(con: duckdb.DuckDBPyConnection) -> None:
    assert one(con, "SELECT count(*) FROM events WHERE kind = 'generation' AND episode_id = 'e1'") == (3,)
    assert one(con, "SELECT count(*) FROM generations WHERE episode_id = 'e1'") == (2,)
    assert one(con, "SELECT count(*) FROM tool_calls WHERE episode_id = 'e1'") == (2,)


def test_a_turn_has_its_calls_and_answers_beside_it(con: duckdb.DuckDBPyConnection) -> None:
    row = one(
        con,
        "SELECT chain, num_prompt_tokens, num_tokens, mean_logprob, tools, num_tool_calls, num_observations, "
        "num_errors, tool_s, observation_bytes, text FROM turns WHERE episode_id = 'e1' AND turn = 1",
    )
    assert row == (0, 2, 3, -1.0, ["bash"], 1, 1, 0, 0.125, 8, "look 1")


def test_malformed_arguments_stay_text_and_break_no_query(con: duckdb.DuckDBPyConnection) -> None:
    assert one(con, "SELECT DISTINCT arguments, arguments_json FROM tool_calls") == ('{"command": "ls"', None)


def test_the_first_verdict_counts_and_a_zombie_schedulers_does_not(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute("SELECT episode_id, verdict, debugger_fits FROM verdicts ORDER BY 1").fetchall() == [
        ("e1", "sealed", False),
        ("e3", "abandoned", None),
    ]


def test_steps_and_versions_of_a_superseded_learner_are_left_out(con: duckdb.DuckDBPyConnection) -> None:
    assert con.execute("SELECT epoch, step, policy_version, loss FROM train_steps ORDER BY step").fetchall() == [
        (0, 1, 1, 2.0),
        (1, 2, 2, 1.0),
    ]
    assert con.execute("SELECT policy_version, uri, num_engines FROM policies ORDER BY 1").fetchall() == [
        (0, "adapters/0", 1),
        (1, "adapters/1", 0),
        (2, "adapters/2", 0),
    ]


def test_a_group_has_its_members_verdict_and_step(con: duckdb.DuckDBPyConnection) -> None:
    row = one(
        con,
        "SELECT task_id, verdict, reason, num_assigned, num_episodes, num_finished, num_solved, num_members, "
        "reward_mean, reward_std, policy_version_min, policy_version_max, trained_step, learner_rejected "
        "FROM groups WHERE group_id = 'g1'",
    )
    assert row == ("cart", "sealed", "full", 1, 4, 2, 1, 2, 0.0, 1.0, 3, 4, 1, None)
    assert one(con, "SELECT verdict, num_assigned, num_episodes FROM groups WHERE group_id = 'g2'") == ("open", 1, 0)


def test_a_group_has_what_the_scheduler_opened_it_for(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute("SELECT group_size, curriculum_phase, success_estimate FROM groups ORDER BY group_id").fetchall()
    assert rows == [(3, 2, 0.25), (None, None, None)]


def test_documented_queries_answer(con: duckdb.DuckDBPyConnection) -> None:
    docs = Path(__file__).parents[2] / "docs"
    text = "".join((docs / name).read_text(encoding="utf-8") for name in ("analytics.md", "scheduling.md"))
    queries = re.findall(r'^trajlog sql (?:--format json )?"([^"]+)"', text, re.MULTILINE)
    assert len(queries) >= 6
    for query in queries:
        con.execute(query).fetchall()


def test_a_record_that_cannot_be_decoded_is_a_dead_letter(con: duckdb.DuckDBPyConnection) -> None:
    topic, value, headers = one(con, "SELECT topic, value, headers FROM dead_letters")
    assert (topic, value, headers) == ("t.rollouts", b"?", [{"name": "kind", "value": "martian"}])


def test_every_view_is_documented() -> None:
    text = (Path(__file__).parents[2] / "docs" / "analytics.md").read_text(encoding="utf-8")
    assert [name for name in (*VIEWS, "events") if f"| `{name}` |" not in text] == []
