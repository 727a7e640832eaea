from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schemas.events import FIXED, example
from trajlog.errors import InvalidEvent
from trajlog.schemas import EpisodeFinished, Generation, Observation, Producer, ToolCall, new_id


def tool_call(**changes):
    return ToolCall(**{**FIXED, "turn": 0, "call_id": "c0", "name": "bash", "arguments": "{}", **changes})


def generation(**changes):
    fields = {name: getattr(example("generation"), name) for name in Generation.__struct_fields__}
    return Generation(**{**fields, **changes})


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: tool_call(turn=-1), "tool_call.turn refused: Expected `int` >= 0; the value is -1"),
        (lambda: tool_call(turn="1"), "tool_call.turn refused: Expected `int`, got `str`; the value is '1'"),
        (lambda: tool_call(event_id="7"), "tool_call.event_id refused"),
        (lambda: tool_call(call_id=""), "tool_call.call_id refused"),
        (lambda: tool_call(arguments=None), "tool_call.arguments refused"),
        (lambda: tool_call(emitted_at=datetime(2026, 1, 1)), "tool_call.emitted_at refused"),
        (lambda: generation(logprobs=(-1.0, float("nan"), -1.0)), "generation.logprobs refused: entry 1 is nan"),
        (lambda: generation(logprobs=(-1.0, -1e300, -1.0)), "generation.logprobs refused: entry 1 is -1e"),
        (lambda: generation(logprobs=(-1.0,)), "generation refused: logprobs has 1 entries for 3 token_ids"),
        (lambda: generation(policy_versions=()), "generation refused: policy_versions cover 0 tokens of 3"),
        (lambda: generation(token_ids=(1, 2, 2**31)), "generation.token_ids refused"),
        (lambda: generation(finish_reason="eos"), "generation.finish_reason refused"),
    ],
)
def test_an_invalid_event_is_refused_where_it_is_made_naming_field_and_value(make, said):
    with pytest.raises(InvalidEvent) as caught:
        make()
    assert said in str(caught.value)


def test_a_refusal_shows_only_the_start_of_a_huge_value():
    with pytest.raises(InvalidEvent) as caught:
        tool_call(arguments=["x"] * 100_000)
    assert len(str(caught.value)) < 500


def test_a_finished_episode_has_a_reward_exactly_when_it_is_no_error():
    fields = {**FIXED, "task_id": "t", "reward_components": {}, "num_turns": 1, "num_generated_tokens": 1}
    assert EpisodeFinished(**fields, outcome="error", reward=None, error="sandbox died").reward is None
    with pytest.raises(InvalidEvent, match="exactly an error has no reward"):
        EpisodeFinished(**fields, outcome="failed", reward=None)
    with pytest.raises(InvalidEvent, match="name the guard"):
        EpisodeFinished(**fields, outcome="guard", reward=-1.0)


def test_text_fields_replace_lone_surrogates_and_keep_the_original_bytes():
    event = tool_call(arguments='{"a": "\ud83d"}', name="\udc00")
    assert event.arguments == '{"a": "�"}'
    assert event.raw == {"arguments": b'{"a": "\xed\xa0\xbd"}', "name": b"\xed\xb0\x80"}
    assert event.raw["arguments"].decode("utf-8", "surrogatepass") == '{"a": "\ud83d"}'


def test_times_are_utc_whatever_zone_they_came_in():
    local = datetime(2026, 11, 30, 14, tzinfo=timezone(timedelta(hours=2)))
    assert tool_call(emitted_at=local).emitted_at == datetime(2026, 11, 30, 12, tzinfo=UTC)
    assert tool_call(emitted_at=local).emitted_at.tzinfo is UTC


def test_float32_fields_hold_the_stored_value():
    assert generation(logprobs=(-0.1, None, 0.0)).logprobs == (-0.10000000149011612, None, 0.0)


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_durations_are_finite_and_not_negative_or_refused(value):
    fields = {**FIXED, "turn": 0, "content": "", "duration_s": value}
    if 0 <= value < float("inf"):
        assert Observation(**fields).duration_s == value
    else:
        with pytest.raises(InvalidEvent, match=r"observation\.duration_s"):
            Observation(**fields)


def test_ids_rise_and_never_repeat():
    ids = [new_id() for _ in range(10_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)


def test_a_producer_stamps_its_own_name_and_a_fresh_id():
    producer = Producer("worker-7", incarnation="beef")
    one, two = producer.stamp("demo"), producer.stamp("demo", group_id="g", episode_id="e", seq=0)
    assert one["producer"] == two["producer"] == "worker-7/beef"
    assert one["event_id"] < two["event_id"]
    assert (two["group_id"], two["episode_id"], two["seq"]) == ("g", "e", 0)
