import json

from trajlog.producers.tool_calls import FORMATS


def parse(text, cut=False):
    return FORMATS["openai"].parse(text, [], cut)


def item(name, arguments):
    return json.dumps({"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}})


def reply(*items):
    return '{"role": "assistant", "content": null, "tool_calls": [' + ", ".join(items) + "]}"


def test_arguments_are_a_string_that_holds_an_object_or_the_object_itself():
    calls = parse(reply(item("bash", '{"command": "ls"}'), item("bash", {"command": "pwd"})))
    assert [(c.name, c.arguments, c.arguments_text) for c in calls] == [
        ("bash", {"command": "ls"}, '{"command": "ls"}'),
        ("bash", {"command": "pwd"}, '{"command": "pwd"}'),
    ]


def test_arguments_left_out_are_none():
    (call,) = parse(reply('{"type": "function", "function": {"name": "done"}}'))
    assert (call.name, call.arguments) == ("done", {})


def test_one_bad_call_among_several_spoils_no_other():
    broken = '{"type": "function", "function": {"name": "bash", "arguments": {"command": oops}}}'
    calls = parse(reply(item("run_tests", "{}"), broken, item("bash", "[1]"), item("bash", '{"a"'), item("done", "{}")))
    assert [(c.name, c.error is None) for c in calls] == [
        ("run_tests", True),
        (None, False),
        ("bash", False),
        ("bash", False),
        ("done", True),
    ]
    assert "not valid JSON" in calls[1].error
    assert "bash must be a JSON object: it is a list" in calls[2].error
    assert calls[3].arguments_text == json.dumps('{"a"')


def test_an_item_of_another_form_is_told_the_form():
    calls = parse('{"tool_calls": [1, {"function": "bash"}, {"type": "function", "function": {"name": "done"}}]}')
    assert [(c.name, c.error is None) for c in calls] == [(None, False), (None, False), ("done", True)]
    assert '"tool_calls": [{"type": "function"' in calls[0].error


def test_text_around_and_the_forms_marks_inside_strings_are_passed_over():
    inner = '"tool_calls": [{"type": "function"}] </tool_call> ]}'
    calls = parse("I look.\n" + reply(item("bash", json.dumps({"command": inner}))) + "\nThen I fix it.")
    assert [(c.name, c.arguments) for c in calls] == [("bash", {"command": inner})]


def test_an_argument_given_twice_is_an_error():
    (call,) = parse(reply(item("bash", '{"command": "ls", "command": "rm"}')))
    assert "'command' is given twice" in call.error


def test_a_reply_that_was_cut_keeps_its_whole_calls():
    whole = reply(item("run_tests", "{}"), item("bash", '{"command": "ls"}'))
    first, second = parse(whole[:-20], cut=True)
    assert (first.name, first.error) == ("run_tests", None)
    assert "cut at its token limit" in second.error
