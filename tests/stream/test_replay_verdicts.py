"""The recorded verdicts come again, all of them; and other limits change what they must change, and nothing else."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.stream.archive_events import archive_all
from tests.stream.roles import role_thread, until, verdicts
from tests.stream.stream_events import RUN, episode
from trajlog.cli import app
from trajlog.config import GroupConfig, LogConfig, RunConfig, StalenessConfig
from trajlog.errors import ConfigError
from trajlog.schemas import (
    EpisodeVerdict,
    Event,
    PolicyPublished,
    Producer,
    RejectedGroup,
    SchedulerStarted,
    TrainStep,
    encode,
)
from trajlog.stream.archive_records import RecordedArchive
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log
from trajlog.stream.recorded import Recorded, RecordedLog
from trajlog.stream.replay_events import replay_events
from trajlog.stream.replay_verdicts import VerdictReplay, changed_limits, replay_verdicts

PRODUCER = Producer("test")
FULL, PARTIAL = "sealed: full", "sealed: timeout"
TOO_FEW, FLAT, EXPIRED = "rejected: too_few", "rejected: zero_variance", "rejected: expired"
SETTINGS = RunConfig(
    run_id=RUN,
    log=LogConfig(prefix="t", num_partitions=2),
    group=GroupConfig(group_size=3, min_group_size=2, seal_timeout_s=1.0),
    staleness=StalenessConfig(max_off_policy_steps=4),
)


def published(version: int) -> PolicyPublished:
    return PolicyPublished(
        **PRODUCER.stamp(RUN), epoch=0, policy_version=version, step=version, uri="x", sha256="ab" * 32, link="file"
    )


def train_step(step: int, version: int, trained: list[str], rejected: list[RejectedGroup]) -> TrainStep:
    return TrainStep(
        **PRODUCER.stamp(RUN),
        epoch=0,
        step=step,
        policy_version=version,
        groups_trained=tuple(trained),
        groups_rejected=tuple(rejected),
        metrics={},
        offsets={},
        batch_sha256="0" * 64,
        duration_s=0.0,
    )


def append(log: Log, topic: str, *events: Event) -> None:
    log.append(f"t.{topic}", encode(events))


def play(log: Log, group: str, *members: tuple[float, int]) -> None:
    """One group: the reward and the policy version of each member."""
    played = [
        episode(group, f"{group}{number}", reward=reward, versions=(version, version))
        for number, (reward, version) in enumerate(members)
    ]
    append(log, "rollouts", *[event for events in played for event in events])


def abandoned(group: str, name: str) -> EpisodeVerdict:
    stamp = PRODUCER.stamp(RUN, group_id=group, episode_id=name)
    return EpisodeVerdict(**stamp, verdict="abandoned", task_id="t", epoch=0)


def assembling(log: Log):
    return role_thread(log.url, lambda own, stop: run_assembler(own, SETTINGS, stop))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One group of every fate, judged by the real assembler, archived."""
    run_dir = tmp_path_factory.mktemp("run")
    with open_log(f"sqlite:///{run_dir}/log.db", create=True) as log:
        start_run(log, SETTINGS, PRODUCER)
        append(log, "control", SchedulerStarted(**PRODUCER.stamp(RUN), epoch=0))
        append(log, "rollouts", *episode("lost", "lost0", versions=(0,))[:-1])
        append(log, "control", abandoned("lost", "lost0"))
        with assembling(log):
            play(log, "full", (1.0, 0), (0.0, 0), (1.0, 0), (0.5, 0))
            play(log, "flat", (1.0, 0), (1.0, 0), (1.0, 0))
            append(log, "rollouts", *episode("flat", "flat-error", outcome="error", versions=(0,)))
            until(lambda: verdicts(log, SETTINGS)[1].keys() >= {"full", "flat"})
            for version in range(1, 7):
                append(log, "control", published(version))
            play(log, "old", (1.0, 0), (0.0, 0), (1.0, 6))
            play(log, "mixed", (1.0, 3), (0.0, 4), (1.0, 6))
            play(log, "small", (1.0, 6), (0.0, 6))
            play(log, "alone", (1.0, 6))
            until(lambda: len(verdicts(log, SETTINGS)[1]) == 7)
            append(log, "rollouts", *episode("small", "small-late", versions=(6,)))
            until(lambda: "small-late" in verdicts(log, SETTINGS)[0])
        steps = [train_step(1, 1, ["full"], []), train_step(9, 9, ["mixed"], [RejectedGroup("small", "non_finite")])]
        append(log, "control", *steps)
        append(log, "rollouts", *episode("waits", "waits0", versions=(6,)))
        archive_all(log, SETTINGS, run_dir)
    return run_dir


@pytest.fixture(params=["log", "archive"])
def recorded(request: pytest.FixtureRequest, run: Path) -> Iterator[Recorded]:
    if request.param == "archive":
        with RecordedArchive(run) as archive:
            yield archive
    else:
        with open_log(f"sqlite:///{run}/log.db") as log:
            yield RecordedLog(log, "t")


@pytest.fixture
def logged(run: Path) -> Iterator[Recorded]:
    with open_log(f"sqlite:///{run}/log.db") as log:
        yield RecordedLog(log, "t")


def fates(found: VerdictReplay) -> dict[str, tuple[str, str]]:
    return {group.group_id: (str(group.recorded), str(group.replayed)) for group in found.groups if group.changed}


def test_the_runs_own_limits_give_the_recorded_verdicts_exactly(recorded: Recorded) -> None:
    found = replay_verdicts(recorded, SETTINGS, SETTINGS)
    assert {group.group_id: str(group.recorded) for group in found.groups} == {
        "lost": "rejected: expired",
        "full": "sealed: full",
        "flat": "rejected: zero_variance",
        "old": "rejected: stale",
        "mixed": "sealed: full",
        "small": "sealed: timeout",
        "alone": "rejected: too_few",
        "waits": "open",
    }
    assert [group.group_id for group in found.groups if group.changed or not group.reproduced] == []
    assert found.episodes_reproduced == len(found.episodes) == 20
    assert {was for was, new in found.episodes.values() if was == new} == {
        "sealed", "surplus", "error", "rejected", "stale", "late", "abandoned", "open",
    }  # fmt: skip


def test_a_larger_lag_seals_what_was_stale(recorded: Recorded) -> None:
    found = replay_verdicts(recorded, SETTINGS, changed_limits(SETTINGS, {"max_off_policy_steps": 6}))
    assert fates(found) == {"old": ("rejected: stale", "sealed: full")}
    assert all(group.reproduced for group in found.groups)
    learner = found.transitions()["learner"]
    assert learner == {("trained", "trained"): 2, ("non_finite", "non_finite"): 1, ("not sealed", "waiting"): 1}


def test_a_smaller_lag_loses_members_and_then_the_group_at_the_learners_door(logged: Recorded) -> None:
    found = replay_verdicts(logged, SETTINGS, changed_limits(SETTINGS, {"max_off_policy_steps": 2}))
    (mixed,) = [group for group in found.groups if group.changed]
    assert (mixed.recorded.members, mixed.replayed.members) == (("mixed0", "mixed1", "mixed2"), ("mixed1", "mixed2"))
    assert (mixed.recorded.trained, mixed.replayed.trained) == ("trained", "stale")
    assert found.episodes["mixed0"] == ("sealed", "stale")
    assert fates(replay_verdicts(logged, SETTINGS, changed_limits(SETTINGS, {"max_off_policy_steps": 1}))) == {
        "mixed": ("sealed: full", "rejected: stale"),
        "small": ("sealed: timeout", "sealed: timeout"),  # and rejected as stale by the learner
    }


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({"min_group_size": 1}, {"alone": (TOO_FEW, FLAT), "old": ("rejected: stale", FLAT)}),
        ({"min_group_size": 3}, {"small": (PARTIAL, TOO_FEW), "mixed": (FULL, FULL)}),
        ({"min_reward_std": 0.48}, {"full": (FULL, FLAT), "mixed": (FULL, FLAT)}),
        ({"seal_timeout_s": 3600}, {"small": (PARTIAL, FULL), "alone": (TOO_FEW, "open"), "lost": (EXPIRED, "open")}),
    ],
)
def test_other_limits_change_what_they_must(logged: Recorded, limits, expected) -> None:
    found = replay_verdicts(logged, SETTINGS, changed_limits(SETTINGS, limits))
    assert fates(found) == expected
    assert all(group.reproduced for group in found.groups)


def test_limits_that_do_not_go_together_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"group\.min_group_size \(5\) is larger than the smallest full group"):
        changed_limits(SETTINGS, {"min_group_size": 5})


def test_a_busy_run_with_a_restarted_assembler_comes_again_without_a_difference(tmp_path: Path) -> None:
    """Forty groups in random order and number of members, policies meanwhile, the assembler restarted in the middle."""
    dice = random.Random(7)
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        start_run(log, SETTINGS, PRODUCER)
        append(log, "control", SchedulerStarted(**PRODUCER.stamp(RUN), epoch=0))
        version, writers = 0, []
        for number in range(40):
            for member in range(dice.choice([1, 2, 3, 3, 3, 4, 5])):
                outcome = dice.choice(["solved", "failed", "failed", "error"])
                sampled = max(0, version + dice.choice([0, 0, -3, -6]))
                events = episode(f"g{number}", f"g{number}-{member}", outcome=outcome, versions=(sampled,),
                                 reward=dice.random() if outcome != "failed" else 0.0)  # fmt: skip
                writers.append(events if dice.random() < 0.9 else events[:-1])
            if dice.random() < 0.5:
                version += 1
                writers.append([published(version)])
        for half in (writers[: len(writers) // 2], writers[len(writers) // 2 :]):
            with assembling(log):
                open_ones = [list(events) for events in half]
                while open_ones:
                    events = open_ones[dice.randrange(min(6, len(open_ones)))]
                    event = events.pop(0)
                    append(log, "control" if event.kind == "policy_published" else "rollouts", event)
                    if event.seq == 1 and dice.random() < 0.05:
                        append(log, "control", abandoned(str(event.group_id), str(event.episode_id)))
                    open_ones = [events for events in open_ones if events]
                until(lambda: len(verdicts(log, SETTINGS)[1]) >= 15)
        found = replay_verdicts(RecordedLog(log, "t"), SETTINGS, SETTINGS)
    assert len(found.groups) == 40
    assert [group for group in found.groups if group.changed or not group.reproduced] == []
    assert [names for names in found.episodes.items() if names[1][0] != names[1][1]] == []
    assert len({str(group.recorded) for group in found.groups}) >= 4


def test_the_command_counts_what_changed_and_names_it(run: Path) -> None:
    runner = CliRunner()
    line = ["replay", "verdicts", "--run-dir", str(run), "--max-off-policy-steps", "2"]
    done = runner.invoke(app, [*line, "--verbose"])
    assert done.exit_code == 0, done.output
    assert "the run's own limits give 8 of 8 group verdicts and 20 of 20 episode verdicts" in done.output
    assert "group mixed of t: sealed: full, trained -> sealed: full, stale; members 3 -> 2" in done.output
    done = runner.invoke(app, [*line, "--json", "--archive"])
    *groups, summary = [json.loads(text) for text in done.output.splitlines()]
    assert [g["group_id"] for g in groups if g["recorded"] != g["replayed"]] == ["mixed"]
    assert summary["limits"] == {"max_off_policy_steps": {"recorded": 4, "replayed": 2}}
    assert summary["reproduced"] == {"groups": [8, 8], "episodes": [20, 20]}
    assert {"recorded": "sealed", "replayed": "stale", "count": 1} in summary["episodes"]


def test_a_copy_is_refused_for_its_times_are_not_the_runs(run: Path, tmp_path: Path) -> None:
    with open_log(f"sqlite:///{run}/log.db") as old, open_log(f"sqlite:///{tmp_path}/new.db", create=True) as new:
        replay_events(RecordedLog(old, "t"), new)
        with pytest.raises(ConfigError, match=f"is a copy of the log {old.url}, with the times of the copying"):
            replay_verdicts(RecordedLog(new, "t"), SETTINGS, SETTINGS)
