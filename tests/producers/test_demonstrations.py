"""Demonstrations are episodes: the real loop, sandbox, debugger and grader."""

import fcntl
import os
import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from trajlog.config import EpisodeConfig, LearnerConfig, ModelConfig, RunConfig, SamplingConfig
from trajlog.control_arm import offered_tools, without_debugger
from trajlog.demonstrations import Planned, default_config, plan, play_all
from trajlog.errors import ConfigError
from trajlog.harness.catalog import load_catalog
from trajlog.producers.demonstrations import TERSE, demonstrable, play
from trajlog.producers.oracle import Variant, solve, variant
from trajlog.schemas import EpisodeFinished, EpisodeStarted, Event, Generation, Observation, Producer, ToolCall
from trajlog.serving.tokenizers import load_tokenizer

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"
TASKS = load_catalog()
SAMPLE = random.Random(7).sample(sorted(TASKS), 8)
CONFIG = RunConfig(
    run_id="d",
    episode=EpisodeConfig(
        tools=("bash", "read_file", "edit_file", "run_tests", "debugger", "done"), turn_limit=50, context_limit=200_000
    ),
    sampling=SamplingConfig(max_tokens=16_384),
    learner=LearnerConfig(max_tokens_per_microbatch=200_000),
)


def played(task_id: str, how: Variant) -> list[Event]:
    task = TASKS[task_id]
    events: list[Event] = []
    finished = play(task, CONFIG, load_tokenizer("byte"), Producer("demo"), events.extend, how=how)
    assert finished is events[-1]
    return events


@pytest.mark.parametrize(("task_id", "attempt"), [(task_id, n % 4) for n, task_id in enumerate(SAMPLE)])
def test_oracle_solves_packaged_tasks_by_each_route(task_id: str, attempt: int) -> None:
    task = TASKS[task_id]
    how = variant(task, attempt, 0, offered_tools(CONFIG.episode))
    events = played(task_id, how)
    finished = events[-1]
    assert isinstance(finished, EpisodeFinished)
    assert (finished.outcome, finished.tests_failed) == ("solved", 0)
    assert [event.seq for event in events] == list(range(len(events)))
    used = Counter(event.name for event in events if isinstance(event, ToolCall))
    assert used["run_tests"] >= 2
    assert used["done"] == 1
    assert ("start_debugger" in used) == how.debugger
    missed = [e for e in events if isinstance(e, Observation) and e.name == "edit_file" and e.is_error]
    assert len(missed) == how.failed_edit


def test_debugger_stops_in_the_buggy_function_and_shows_its_locals() -> None:
    events = played("route_archive", Variant(debugger=True))
    told = {event.name: event.content for event in events if isinstance(event, Observation)}
    assert "routes/pack.py" in told["continue_execution"]
    assert "self" in told["examine_locals"]


def test_trap_is_fallen_for_and_left_again() -> None:
    events = played("once_listeners", Variant(wrong_hypothesis=True))
    runs = [event for event in events if isinstance(event, Observation) and event.name == "run_tests"]
    assert [run.tests_failed for run in runs] == [1, 0, 0]
    finished = events[-1]
    assert isinstance(finished, EpisodeFinished)
    assert finished.outcome == "solved"


def test_terse_demonstration_has_no_words_and_fits_its_turns() -> None:
    task = load_catalog(DEMO_TASKS)["cart"]
    events: list[Event] = []
    play(task, CONFIG, load_tokenizer("byte"), Producer("demo"), events.extend, how=TERSE)
    turns = len(list(solve(task, TERSE)))
    assert [type(event) for event in events] == [
        EpisodeStarted,
        *[Generation, ToolCall, Observation] * turns,
        EpisodeFinished,
    ]
    assert all(e.text.startswith("<tool_call>") for e in events if isinstance(e, Generation))
    assert demonstrable([task], turns) == [task]
    assert demonstrable([task], turns - 1) == []


def test_variants_respect_the_debugger_label_and_what_is_offered() -> None:
    tools = offered_tools(CONFIG.episode)
    for task in TASKS.values():
        used = [variant(task, attempt, 0, tools).debugger for attempt in range(4)]
        assert used == {"recommended": [True] * 4, "avoid": [False] * 4, "optional": [True, False] * 2}[task.debugger]
        assert not any(variant(task, attempt, 0, ("bash", "done")).debugger for attempt in range(4))
    assert variant(TASKS["route_archive"], 0, 0, tools) == Variant(debugger=True)


def demonstrations(count: int) -> tuple[RunConfig, list[Planned]]:
    config = default_config()
    episode = msgspec.structs.replace(config.episode, sandbox="local")
    config = msgspec.structs.replace(config, model=ModelConfig(name="byte"), episode=episode)
    return config, plan(config, list(load_catalog(DEMO_TASKS).values())[:1], count)


def test_interrupted_demonstrations_go_on_where_they_stopped(tmp_path: Path) -> None:
    said: list[str] = []
    config, planned = demonstrations(2)
    (first,) = play_all(config, tmp_path, planned[:1], said.append)
    assert first.outcome == "solved"
    assert "not a security boundary" in said[0]
    (second,) = play_all(config, tmp_path, planned, said.append)
    assert second.episode_id != first.episode_id
    assert "1 of 2 are in the log already" in said
    assert play_all(config, tmp_path, planned, said.append) == []


def test_arms_do_not_share_a_folder(tmp_path: Path) -> None:
    config, planned = demonstrations(1)
    play_all(config, tmp_path, planned, print)
    with pytest.raises(ConfigError, match="holds another run"):
        play_all(without_debugger(config), tmp_path, planned, print)


def test_an_interrupt_begins_no_other_demonstration(tmp_path: Path) -> None:
    config, planned = demonstrations(3)
    said: list[str] = []

    def interrupted(text: str) -> None:
        said.append(text)
        if text.startswith("[1/"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_all(config, tmp_path, planned, interrupted)
    assert sum(text.startswith("[") for text in said) == 1
    said.clear()
    play_all(config, tmp_path, planned, said.append)
    assert said[0] in ("1 of 3 are in the log already", "2 of 3 are in the log already")


def test_two_processes_do_not_play_into_one_folder(tmp_path: Path) -> None:
    config, planned = demonstrations(3)
    held = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(held, fcntl.LOCK_EX)
    try:
        with pytest.raises(ConfigError, match="another process plays into"):
            play_all(config, tmp_path, planned, print)
    finally:
        os.close(held)
    assert not list(tmp_path.iterdir())
