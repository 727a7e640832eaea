from hypothesis import given
from hypothesis import strategies as st

from trajlog.producers.tool_calls import FORMATS


def parse_hermes(text, cut=False):
    return FORMATS["hermes"].parse(text, [], cut)


def test_a_good_call_keeps_its_arguments_as_sampled():
    (call,) = parse_hermes('I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path":  "a.py"}}\n</tool_call>')
    assert (call.name, call.arguments_text, call.arguments) == ("read_file", '{"path":  "a.py"}', {"path": "a.py"})
    assert call.error is None


def test_calls_come_in_order_and_one_bad_call_spoils_no_other():
    calls = parse_hermes(
        '<tool_call>{"name": "done"}</tool_call><tool_call>{"name": </tool_call>'
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
    )
    assert [c.name for c in calls] == ["done", None, "bash"]
    assert calls[0].arguments == {}
    assert calls[1].arguments is None
    assert "not of the form" in calls[1].error
    assert calls[2].arguments == {"command": "ls"}


def test_arguments_that_are_no_object_are_named():
    (call,) = parse_hermes('<tool_call>{"name": "bash", "arguments": "ls"}</tool_call>')
    assert (call.name, call.arguments_text) == ("bash", '"ls"')
    assert "bash must be a JSON object" in call.error


def test_a_call_cut_by_the_token_limit_says_so():
    (call,) = parse_hermes('<tool_call>{"name": "bash", "argum', cut=True)
    assert call.arguments_text == '{"name": "bash", "argum'
    assert "cut at its token limit" in call.error


def test_a_call_whose_closing_tag_is_missing_still_runs():
    (call,) = parse_hermes('<tool_call>{"name": "done", "arguments": {}}')
    assert call.error is None
    assert call.name == "done"


def test_text_without_calls_has_none():
    assert parse_hermes("The bug is in </tool_call> add().") == []


@given(st.text())
def test_any_text_parses_to_calls_that_either_run_or_say_why(text):
    for call in parse_hermes("<tool_call>" + text):
        assert (call.arguments is None) == (call.error is not None)
