import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.config import EpisodeConfig, LearnerConfig, RunConfig, SamplingConfig
from trajlog.harness.catalog import load_catalog
from trajlog.producers.demonstrations import demonstrable, edits, play, script
from trajlog.schemas import EpisodeFinished, EpisodeStarted, Generation, Observation, Producer, ToolCall
from trajlog.serving.tokenizers import load_tokenizer

CONFIG = RunConfig(
    run_id="d",
    episode=EpisodeConfig(turn_limit=12, context_limit=60_000),
    sampling=SamplingConfig(max_tokens=4096),
    learner=LearnerConfig(max_tokens_per_microbatch=60_000),
)


def apply(text, pairs):
    for old, new in pairs:
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
    return text


def test_edits_take_whole_lines_and_only_as_many_as_name_one_place():
    before = "def f():\n    x = 1\n    return x\n\ndef g():\n    x = 1\n    return -x\n"
    after = before.replace("x = 1\n    return -x", "x = 2\n    return -x")
    assert edits(before, after) == [("def g():\n    x = 1", "def g():\n    x = 2")]
    assert edits("a = 1\nb = 1\n", "a = 1\nb = 2\n") == [("b = 1", "b = 2")]


lines = st.lists(st.sampled_from(["a = 1\n", "b = 2\n", "return a\n", "\n", "    pass\n"]), min_size=1, max_size=8)


@given(lines, lines)
def test_edits_lead_from_any_text_to_any_other(before, after):
    before, after = "first\n" + "".join(before) + "last\n", "first\n" + "".join(after) + "last\n"
    assert apply(before, edits(before, after)) == after


@pytest.mark.parametrize("task_id", sorted(load_catalog()))
def test_the_solution_of_every_packaged_task_plays_to_solved(task_id):
    task = load_catalog()[task_id]
    events = []
    finished = play(task, CONFIG, load_tokenizer("byte"), Producer("demo"), events.extend)
    assert (finished.outcome, finished.tests_failed) == ("solved", 0)
    turns = len(script(task).turns)
    kinds = [type(event) for event in events]
    assert kinds == [EpisodeStarted, *[Generation, ToolCall, Observation] * turns, EpisodeFinished]
    assert [event.seq for event in events] == list(range(len(events)))
    assert demonstrable([task], turns) == [task]
    assert demonstrable([task], turns - 1) == []
