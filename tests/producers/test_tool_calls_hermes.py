import pytest

from trajlog.producers.tool_calls import FORMATS


def parse(text, cut=False):
    return FORMATS["hermes"].parse(text, [], cut)


def test_a_good_call_keeps_its_arguments_as_sampled():
    (call,) = parse('I look.\n<tool_call>\n{"name": "read_file", "arguments": {"path":  "a.py"}}\n</tool_call>')
    assert (call.name, call.arguments_text, call.arguments) == ("read_file", '{"path":  "a.py"}', {"path": "a.py"})
    assert call.error is None


def test_calls_come_in_order_and_one_bad_call_spoils_no_other():
    calls = parse(
        '<tool_call>{"name": "done"}</tool_call><tool_call>{"name": </tool_call>'
        '<tool_call>{"name": "bash", "arguments": {"command": "ls"}}</tool_call>'
    )
    assert [c.name for c in calls] == ["done", None, "bash"]
    assert calls[0].arguments == {}
    assert calls[1].arguments is None
    assert "not of the form" in calls[1].error
    assert calls[2].arguments == {"command": "ls"}


def test_a_closing_tag_inside_a_string_is_text():
    command = "echo '</tool_call>'; echo '<tool_call>'"
    calls = parse(
        f'<tool_call>{{"name": "bash", "arguments": {{"command": "{command}"}}}}</tool_call>'
        '<tool_call>{"name": "done"}</tool_call>'
    )
    assert [(c.name, c.arguments) for c in calls] == [("bash", {"command": command}), ("done", {})]


def test_a_bad_call_without_a_closing_tag_ends_where_the_next_begins():
    calls = parse('<tool_call>{"name": "bash", oops\n<tool_call>{"name": "done"}</tool_call>')
    assert [(c.name, c.error is None) for c in calls] == [(None, False), ("done", True)]
    assert calls[0].arguments_text == '{"name": "bash", oops'


def test_a_call_that_is_followed_by_something_else_before_its_tag_is_no_call():
    calls = parse('<tool_call>{"name": "done"} or so </tool_call><tool_call>{"name": "run_tests"}</tool_call>')
    assert [(c.name, c.error is None) for c in calls] == [(None, False), ("run_tests", True)]


def test_arguments_that_are_no_object_are_named():
    (call,) = parse('<tool_call>{"name": "bash", "arguments": "ls"}</tool_call>')
    assert (call.name, call.arguments_text) == ("bash", '"ls"')
    assert "bash must be a JSON object" in call.error
    (call,) = parse('<tool_call>{"name": "bash", "arguments": ["ls"]}</tool_call>')
    assert "bash must be a JSON object: it is a list" in call.error


def test_arguments_inside_a_string_are_read_as_an_object():
    (call,) = parse('<tool_call>{"name": "bash", "arguments": "{\\"command\\": \\"ls\\"}"}</tool_call>')
    assert (call.arguments, call.arguments_text) == ({"command": "ls"}, '{"command": "ls"}')


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"command": "ls", "command": "rm"}', "'command' is given twice"),
        ('{"command": NaN}', "not of the form"),
        ('{"command": "ls",}', "not of the form"),
        ('{"command": "l\ns"}', "not of the form"),
        ("[" * 5000, "not of the form"),
        ('{"command": ' + "[" * 500 + "]" * 500 + "}", None),
    ],
)
def test_broken_arguments_are_answered(arguments, said):
    (call,) = parse(f'<tool_call>{{"name": "bash", "arguments": {arguments}}}</tool_call>')
    assert (call.error is None) if said is None else (said in call.error)


def test_a_call_cut_by_the_token_limit_says_so():
    (call,) = parse('<tool_call>{"name": "bash", "argum', cut=True)
    assert call.arguments_text == '{"name": "bash", "argum'
    assert "cut at its token limit" in call.error


def test_a_call_whose_closing_tag_is_missing_still_runs():
    (call,) = parse('<tool_call>{"name": "done", "arguments": {}}')
    assert call.error is None
    assert call.name == "done"


def test_escapes_and_unicode_are_read_as_json_has_them():
    (call,) = parse('<tool_call>{"name": "bash", "arguments": {"command": "\\u00fc 🤖 \\n\\t\\\\"}}</tool_call>')
    assert call.arguments == {"command": "ü 🤖 \n\t\\"}
