"""The agent loop over a real sandbox: what is recorded, in which order, and how an episode ends."""

import msgspec
import pytest

from tests.harness.tiny_task import CALC
from trajlog.config import EpisodeConfig, LearnerConfig, RunConfig, SamplingConfig
from trajlog.errors import EngineError, LogFull
from trajlog.harness.guards import GuardConfig
from trajlog.harness.rewards import RewardConfig
from trajlog.producers import agent
from trajlog.producers.agent import NOT_RUN, Assignment, Episode
from trajlog.producers.facts import call_records, episode_reward
from trajlog.producers.tool_calls import FORMATS, Call
from trajlog.schemas import EpisodeFinished, EpisodeStarted, Generation, Observation, Producer, ToolCall
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.wire import CompletionRequest

TOKENIZER = load_tokenizer("byte")
EDIT = '{"path": "calc.py", "old_str": "a - b", "new_str": "a + b"}'


def call(name, arguments="{}"):
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def episode(turns, append, *, turn_limit=6, context_limit=16_000, max_tokens=2000, sample=None, **settings):
    engine = ScriptedEngine(TOKENIZER, [Script("", tuple(turns))], names=["m"])

    def played(prompt, room):
        request = CompletionRequest(
            model="m", prompt=list(prompt.token_ids), max_tokens=room, stop_token_ids=list(TOKENIZER.stop_token_ids)
        )
        return 7, engine.submit(request).result()

    config = RunConfig(
        run_id="r",
        rewards=settings.pop("rewards", RewardConfig()),
        guards=settings.pop("guards", GuardConfig()),
        episode=EpisodeConfig(turn_limit=turn_limit, context_limit=context_limit, sandbox="local", **settings),
        sampling=SamplingConfig(max_tokens=max_tokens),
        learner=LearnerConfig(max_tokens_per_microbatch=60_000),
    )
    assignment = Assignment("r", "g", "e", CALC, 0)
    return Episode(assignment, config, TOKENIZER, Producer("w"), append, sample or played, policy_version=7)


def played(turns, **settings):
    """All events of an episode, in the order they were appended."""
    events = []
    finished = episode(turns, events.extend, **settings).run()
    assert events[-1] is finished
    assert [event.seq for event in events] == list(range(len(events)))
    return events


def of(events, kind):
    return [event for event in events if isinstance(event, kind)]


def test_a_bad_call_is_recorded_as_sampled_and_answered_with_a_format_error():
    bad = '<tool_call>\n{"name": "bash", "arguments": ["ls",]}\n</tool_call>'
    events = played([bad, call("edit_file", EDIT), call("done")])
    first = of(events, ToolCall)[0]
    assert (first.name, first.arguments) == (None, '{"name": "bash", "arguments": ["ls",]}')
    assert "not of the form" in first.parse_error
    answer = of(events, Observation)[0]
    assert (answer.call_id, answer.is_error) == (first.call_id, True)
    assert first.parse_error in answer.content
    assert of(events, Generation)[0].text == bad
    assert events[-1].outcome == "solved"


def test_a_turn_without_a_call_is_told_the_form_of_one():
    events = played(["I would look at the file first.", call("done")])
    assert [type(event) for event in events[:3]] == [EpisodeStarted, Generation, Observation]
    assert (events[2].call_id, events[2].content, events[2].is_error) == (None, FORMATS["hermes"].no_call, True)


def test_after_a_call_that_failed_the_others_of_its_turn_are_not_run():
    turn = "".join((call("read_file", '{"path": "none.py"}'), call("edit_file", EDIT), call("done")))
    events = played([turn], turn_limit=1)
    assert [event.name for event in of(events, ToolCall)] == ["read_file", "edit_file", "done"]
    first, *others = of(events, Observation)
    assert first.is_error
    assert first.content != NOT_RUN
    assert [(event.content, event.is_error) for event in others] == [(NOT_RUN, True)] * 2
    assert (events[-1].outcome, events[-1].tests_failed) == ("turn_cap", 2)


@pytest.mark.parametrize("fails_at", [1, 2, 3, 4])
def test_a_log_that_refuses_ends_the_episode_before_anything_else_is_done(fails_at):
    appended = []

    def append(batch):
        if len(appended) + 1 == fails_at:
            raise LogFull("no space")
        appended.append([type(event) for event in batch])

    with pytest.raises(LogFull):
        episode([call("bash", '{"command": "true"}'), call("done")], append).run()
    assert appended == [[EpisodeStarted], [Generation, ToolCall], [Observation]][: fails_at - 1]


def test_a_call_is_in_the_log_before_it_runs(monkeypatch):
    order = []

    class Noting(agent.ToolSession):
        def call(self, name, arguments):
            order.append(name)
            return super().call(name, arguments)

    monkeypatch.setattr(agent, "ToolSession", Noting)
    episode([call("bash", '{"command": "true"}'), call("done")], lambda batch: order.append(list(batch))).run()
    shown = [step if isinstance(step, str) else [type(event) for event in step] for step in order]
    turn = [[Generation, ToolCall], "bash", [Observation], [Generation, ToolCall], "done", [Observation]]
    assert shown == [[EpisodeStarted], *turn, [EpisodeFinished]]


def test_generations_carry_the_version_that_sampled_them_and_continue_one_chain():
    events = played([call("read_file", '{"path": "calc.py"}'), call("done")])
    first, second = of(events, Generation)
    for generation in (first, second):
        assert [(run.policy_version, run.num_tokens) for run in generation.policy_versions] == [
            (7, len(generation.token_ids))
        ]
        assert len(generation.logprobs) == len(generation.token_ids)
    assert (first.chain, first.prefix_len, second.chain) == (0, 0, 0)
    assert second.prefix_len == len(first.prompt_token_ids) + len(first.token_ids)
    assert events[-1].num_generated_tokens == len(first.token_ids) + len(second.token_ids)


def test_the_turn_limit_and_the_context_limit_end_an_episode_with_their_names():
    look = call("bash", '{"command": "ls"}')
    capped = played([look], turn_limit=2)[-1]
    assert (capped.outcome, capped.num_turns) == ("turn_cap", 2)
    room = len(of(played([look], turn_limit=1), Generation)[0].prompt_token_ids)
    full = played([look], context_limit=room + 10)
    (generation,) = of(full, Generation)
    assert (full[-1].outcome, len(generation.token_ids), generation.finish_reason) == ("context_full", 10, "length")
    assert played([look], context_limit=room)[-1].num_turns == 0


def test_a_guard_that_ends_an_episode_is_named():
    finished = played(["no call"] * 5)[-1]
    assert (finished.outcome, finished.guard, finished.num_turns) == ("guard", "format_errors", 3)


def test_an_engine_that_fails_makes_an_error_without_a_reward():
    def sample(prompt, room):
        raise EngineError("nobody answers")

    finished = played([call("done")], sample=sample)[-1]
    assert (finished.outcome, finished.error, finished.reward) == ("error", "nobody answers", None)


def test_a_cancelled_episode_ends_as_an_error():
    events = []

    def sample(prompt, room):
        made.cancel()
        raise EngineError("the client was closed")

    made = episode([call("done")], events.extend, sample=sample)
    assert made.run().outcome == "error"
    assert msgspec.json.decode(events[0].messages)[1]["content"].startswith(CALC.statement)


ALL = ("bash", "read_file", "edit_file", "run_tests", "debugger", "done")


def test_the_reward_is_what_the_appended_events_give_and_guards_see_the_same_calls(monkeypatch):
    sessions = []

    class Noted(agent.ToolSession):
        def __init__(self, *arguments, **named):
            super().__init__(*arguments, **named)
            sessions.append(self)

    monkeypatch.setattr(agent, "ToolSession", Noted)
    bad = '<tool_call>{"name": "bash", "arguments": oops}</tool_call>'
    several = call("read_file", '{"path": "calc.py", "end_line": 2}') + call("bash", "{}") + call("run_tests")
    turns = [several, call("no_tool"), call("edit_file", EDIT), bad, "no call", call("done")]
    events = played(turns, context_limit=60_000, tools=ALL)
    finished = events[-1]
    assert episode_reward(events, RewardConfig()) == (finished.reward, finished.reward_components)
    assert call_records(events) == sessions[0].calls
    assert [record.format_error for record in sessions[0].calls] == [False, True, True, False, True, True, False]
    answers = of(events, Observation)
    assert [answer.changed_code for answer in answers] == [False, False, None, False, True, False, False, False]
    assert [answer.format_error for answer in answers][:3] == [False, True, False]
    assert finished.tool_usage == {"read_file": 1, "edit_file": 1, "done": 1}
    assert (finished.ending, finished.outcome, finished.guard) == ("done", "solved", None)
    assert (finished.tests_passed_before, finished.changed_code, finished.localized) == (1, True, True)
    assert finished.debugger_fits is True  # optional, and left alone


def test_the_weights_of_the_settings_are_used():
    turns = [call("edit_file", EDIT), call("done")]
    assert played(turns)[-1].reward_components["tests"] == 1.0
    assert played(turns)[-1].debugger_fits is None  # none was offered
    weighed = played(turns, rewards=RewardConfig(solved=3.0))[-1]
    assert weighed.reward_components["tests"] == 3.0
    assert weighed.reward == pytest.approx(played(turns)[-1].reward + 2.0)


def test_guards_are_those_of_the_settings():
    finished = played([call("bash", '{"command": "true"}')], guards=GuardConfig(max_identical_calls=2))[-1]
    assert (finished.outcome, finished.guard, finished.ending, finished.num_turns) == (
        "guard",
        "repeated_call",
        "guard",
        2,
    )


def test_both_arms_come_from_the_same_settings():
    offered = played([call("done")], tools=ALL)
    withheld = played([call("done")], tools=ALL, debugger="withheld")
    plain = played([call("done")])
    for events, arm in ((offered, "offered"), (withheld, "withheld"), (plain, "withheld")):
        started, finished = events[0], events[-1]
        assert (started.debugger_arm, finished.debugger_arm) == (arm, arm)
        assert ("start_debugger" in started.tools) == (arm == "offered")
        shown = TOKENIZER.decode(of(events, Generation)[0].prompt_token_ids)
        assert ("debugger" in shown.lower()) == (arm == "offered")
        for label in ("recommended", "optional", "avoid"):
            assert label not in shown
    assert of(withheld, Generation)[0].prompt_token_ids == of(plain, Generation)[0].prompt_token_ids
    refused = played([call("start_debugger", '{"path": "test_calc.py"}'), call("done")], tools=ALL, debugger="withheld")
    assert of(refused, Observation)[0].format_error


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_an_episode_in_every_format(name):
    form = FORMATS[name]
    new = {"path": "notes.py", "old_str": "", "new_str": "# </tool_call>\nx = 1\n"}
    calls = [Call("edit_file", new), Call("edit_file", msgspec.json.decode(EDIT)), Call("run_tests"), Call("done")]
    events = played([form.render([c]) for c in calls], tool_format=name)
    assert [event.parse_error for event in of(events, ToolCall)] == [None] * 4
    assert msgspec.json.decode(of(events, ToolCall)[0].arguments) == new
    assert (events[0].tool_format, events[-1].outcome) == (name, "solved")
    told = played(["nothing to call"], tool_format=name)
    assert of(told, Observation)[0].content == form.no_call


def test_signs_of_tampering_are_in_the_last_event_and_cost_nothing():
    honest = [call("run_tests"), call("bash", '{"command": "python -c \'import calc\'; python -m pytest -q"}')]
    honest += [call("edit_file", EDIT), call("run_tests"), call("done")]
    plain = played(honest)[-1]
    assert (plain.outcome, plain.flags) == ("solved", ())
    tampering = [*honest]
    tampering[1] = call("bash", '{"command": "echo > conftest.py; echo \'def test_x(): pass\' >> test_calc.py"}')
    flagged = played(tampering)[-1]
    assert (flagged.outcome, flagged.flags) == ("solved", ("test_edit", "config_edit"))
    assert flagged.reward == plain.reward
