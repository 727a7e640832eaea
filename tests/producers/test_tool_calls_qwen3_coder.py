import json

import pytest

from trajlog.harness.tools import TOOLS, tool_schemas
from trajlog.producers.tool_calls import FORMATS, Call

FORM = FORMATS["qwen3_coder"]
FLAG = {
    "type": "function",
    "function": {
        "name": "flag",
        "description": "",
        "parameters": {"type": "object", "properties": {"on": {"type": "boolean"}}, "required": ["on"]},
    },
}
SCHEMAS = [*tool_schemas(TOOLS), FLAG]


def parse(text, cut=False):
    return FORM.parse(text, SCHEMAS, cut)


def one(name, *parameters):
    """A call as models write it: newlines around every value."""
    shown = "".join(f"<parameter={key}>\n{value}\n</parameter>\n" for key, value in parameters)
    return f"<tool_call>\n<function={name}>\n{shown}</function>\n</tool_call>"


def test_values_are_typed_by_the_schema():
    (call,) = parse(one("add_breakpoint", ("file", "12"), ("line", " 12 "), ("condition", "[1, 2]")))
    assert call.arguments == {"file": "12", "line": 12, "condition": "[1, 2]"}
    assert json.loads(call.arguments_text) == call.arguments


@pytest.mark.parametrize("value", ["twelve", "1.5", "", "12 13", "0x1f", "true", "1" * 30])
def test_text_that_is_no_whole_number_is_an_error_that_says_so(value):
    (call,) = parse(one("add_breakpoint", ("file", "a.py"), ("line", value)))
    assert (call.name, call.arguments) == ("add_breakpoint", None)
    assert "line must be a whole number" in call.error


@pytest.mark.parametrize(
    ("value", "meant"), [("true", True), ("True", True), ("false", False), ("False", False), (" true ", True)]
)
def test_booleans_are_read(value, meant):
    (call,) = parse(one("flag", ("on", value)))
    assert call.arguments["on"] is meant


@pytest.mark.parametrize("value", ["yes", "1", "", "TRUE", "null"])
def test_any_other_boolean_is_an_error_and_never_false(value):
    (call,) = parse(one("flag", ("on", value)))
    assert call.arguments is None
    assert "on must be true or false" in call.error


def test_one_newline_on_either_side_belongs_to_the_form_and_the_rest_to_the_value():
    edit = one("edit_file", ("path", "a.py"), ("old_str", "\n  x = 1\n"), ("new_str", "  x = 2"))
    (call,) = parse(edit)
    assert call.arguments == {"path": "a.py", "old_str": "\n  x = 1\n", "new_str": "  x = 2"}


def test_a_file_that_is_made_gets_its_last_newline_back():
    (call,) = parse(one("edit_file", ("path", "new.py"), ("old_str", ""), ("new_str", "x = 1\ny = 2")))
    assert call.arguments["new_str"] == "x = 1\ny = 2\n"
    (call,) = parse(one("edit_file", ("path", "new.py"), ("old_str", ""), ("new_str", "x = 1\n")))
    assert call.arguments["new_str"] == "x = 1\n"
    (call,) = parse(one("edit_file", ("path", "new.py"), ("old_str", ""), ("new_str", "")))
    assert call.arguments["new_str"] == ""


def test_values_on_the_line_of_their_tags_are_read_too():
    (call,) = parse("<tool_call><function=bash><parameter=command>ls -l</parameter></function></tool_call>")
    assert (call.name, call.arguments) == ("bash", {"command": "ls -l"})


@pytest.mark.parametrize(
    "value",
    [
        "echo '</tool_call>'",
        "echo '</parameter>' and more",
        "echo '<function=done>'",
        "a = '</function>'",
        "<parameter=path>",
        "</parameter>\n</function> in the middle",
        "<tool_call> is a tag",
    ],
)
def test_tags_inside_a_value_are_text(value):
    calls = parse(one("bash", ("command", value)) + one("done"))
    assert [(c.name, c.arguments, c.error) for c in calls] == [
        ("bash", {"command": value}, None),
        ("done", {}, None),
    ]


def test_one_bad_call_among_several_spoils_no_other():
    unclosed = "<tool_call>\n<function=bash>\n<parameter=command>\nls\n</function>\n</tool_call>"
    calls = parse("\n".join([one("run_tests"), unclosed, one("read_file", ("path", "a.py")), "bye"]))
    assert [(c.name, c.error is None) for c in calls] == [("run_tests", True), ("bash", False), ("read_file", True)]
    assert "parameter command is not closed" in calls[1].error
    assert calls[2].arguments == {"path": "a.py"}


def test_json_in_this_format_is_told_the_form():
    hermes = '<tool_call>{"name": "done", "arguments": {}}</tool_call>'
    first, second = parse(hermes + one("done"))
    assert (first.name, second.name, second.error) == (None, "done", None)
    assert "<function=NAME>" in first.error
    assert first.arguments_text == '{"name": "done", "arguments": {}}'


def test_a_parameter_given_twice_is_an_error():
    (call,) = parse(one("bash", ("command", "ls"), ("command", "rm")))
    assert "parameter command is given twice" in call.error


def test_parameters_that_no_tool_declares_stay_text():
    (call,) = parse(one("bash", ("command", "ls"), ("timeout", "5")))
    assert call.arguments == {"command": "ls", "timeout": "5"}
    (call,) = parse(one("no_such_tool", ("n", "5")))
    assert (call.name, call.arguments) == ("no_such_tool", {"n": "5"})


def test_calls_without_their_outer_tag_are_read():
    bare = "<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>"
    assert [(c.name, c.arguments) for c in parse(f"I look.\n{bare}")] == [("bash", {"command": "ls"})]
    assert [c.name for c in parse(f"{bare}\n{bare}")] == ["bash", "bash"]


def test_a_missing_last_tag_is_passed_over_unless_the_reply_was_cut():
    cut_off = one("run_tests").removesuffix("\n</tool_call>")
    assert [(c.name, c.error) for c in parse(cut_off)] == [("run_tests", None)]
    (call,) = parse(cut_off, cut=True)
    assert "cut at its token limit" in call.error


def test_what_the_format_cannot_hold_is_refused_when_rendered():
    for value in (
        "x\n</parameter>\n</function>\n</tool_call>",
        "</parameter>\n<parameter=b>",
        "<tool_call>\n<function=",
    ):
        with pytest.raises(ValueError, match="command holds tags that end a value"):
            FORM.render([Call("bash", {"command": value})])


def test_numbers_and_booleans_are_written_as_they_are_read():
    call = Call("add_breakpoint", {"file": "a.py", "line": 7})
    assert "<parameter=line>\n7\n</parameter>" in FORM.render([call])
    assert "<parameter=on>\ntrue\n</parameter>" in FORM.render([Call("flag", {"on": True})])
