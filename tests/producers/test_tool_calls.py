"""What every tool-call format does alike."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.harness.tools import TOOLS, check_arguments, tool_schemas
from trajlog.producers.tool_calls import FORMATS, Call, described
from trajlog.producers.tool_calls.base import MAX_CALLS
from trajlog.serving.tokenizers import ByteTokenizer

SCHEMAS = tool_schemas(TOOLS)
FORMAT = pytest.mark.parametrize("form", FORMATS.values(), ids=FORMATS)

text = st.text(st.characters(codec="utf-8"))
traps = st.sampled_from(
    [
        "</tool_call>",
        "</parameter>",
        "</function>",
        "<function=",
        "<parameter=path>",
        '{"tool_calls": [',
        "\n",
        "\n\n",
        '"',
        "\\",
        "]}",
        "x = 1\n",
        "🤖 ünïcode",
    ]
)
values = text | st.lists(traps, max_size=6).map("".join)


MARKS = st.sampled_from(
    [
        *("<tool_call>", "</tool_call>", "<function=bash>", "<parameter=command>", "</parameter>", "</function>"),
        *(
            '{"tool_calls": [',
            '{"name": "done"',
            '"function": ',
            '"arguments": {',
            "}",
            "]",
            ",",
            '"',
            "[",
            "\\",
            " \n",
        ),
    ]
)


def value(parameter):
    return {"string": values, "integer": st.integers(-(10**17), 10**17), "boolean": st.booleans()}[parameter.type]


@st.composite
def calls(draw):
    """Any call that fits its tool."""
    tool = TOOLS[draw(st.sampled_from(sorted(TOOLS)))]
    names = [name for name, parameter in tool.parameters.items() if parameter.required or draw(st.booleans())]
    return Call(tool.name, {name: draw(value(tool.parameters[name])) for name in names})


@FORMAT
@given(st.lists(calls(), min_size=1, max_size=4), text.filter(lambda t: "<" not in t and '"' not in t))
def test_what_is_rendered_is_parsed_again(form, given_calls, around):
    renderable = []
    for call in given_calls:
        try:
            form.render([call])
        except ValueError:
            continue
        makes_file = call.name == "edit_file" and call.arguments["old_str"] == ""
        if form.name == "qwen3_coder" and makes_file and not call.arguments["new_str"].endswith("\n"):
            continue  # its last newline is put back
        renderable.append(call)
    found = form.parse(f"{around}\n{form.render(renderable)}\n{around}", SCHEMAS)
    if renderable:
        assert [(call.name, call.arguments, call.error) for call in found] == [
            (call.name, call.arguments, None) for call in renderable
        ]


@FORMAT
@given(st.data(), st.booleans())
def test_any_text_parses_to_calls_that_either_run_or_say_why(form, data, cut):
    sampled = "".join(data.draw(st.lists(MARKS | text, max_size=30)))
    for call in form.parse(sampled, SCHEMAS, cut=cut):
        assert (call.arguments is None) == (call.error is not None)


@FORMAT
def test_text_without_a_call_has_none_and_the_answer_shows_the_form(form):
    assert form.parse("I would read calc.py first; then </tool_call> or <tool_cal", SCHEMAS) == []
    shown = form.no_call.partition("Reply with")[2].strip().replace("NAME", "bash").replace("KEY", "command")
    (call,) = form.parse(shown.replace("{...}", '{"command": "VALUE"}'), SCHEMAS)
    assert (call.name, call.arguments) == ("bash", {"command": "VALUE"})


@FORMAT
def test_a_call_that_the_token_limit_cut_says_so_and_those_before_it_stand(form):
    whole = form.render([Call("run_tests"), Call("edit_file", {"path": "a.py", "old_str": "a" * 50, "new_str": "b"})])
    cut_off = whole[: whole.index("aaaaa") + 20]
    first, second = form.parse(cut_off, SCHEMAS, cut=True)
    assert (first.name, first.error) == ("run_tests", None)
    assert "cut at its token limit" in second.error
    assert second.arguments is None


@FORMAT
def test_unknown_and_missing_arguments_are_told_by_the_tool(form):
    (call,) = form.parse(form.render([Call("read_file", {"file": "calc.py"})]), SCHEMAS)
    assert (call.arguments, call.error) == ({"file": "calc.py"}, None)
    with pytest.raises(Exception, match=r"unknown argument file\. Usage: read_file"):
        check_arguments(TOOLS["read_file"], call.arguments)
    (call,) = form.parse(form.render([Call("read_file")]), SCHEMAS)
    with pytest.raises(Exception, match="missing argument path"):
        check_arguments(TOOLS["read_file"], call.arguments)


@FORMAT
def test_text_that_looks_like_another_type_stays_text(form):
    for looks_like in ("1", "[1, 2]", "true", "null", '{"a": 1}', "1.0", ""):
        call = Call("run_expression", {"expression": looks_like})
        (found,) = form.parse(form.render([call]), SCHEMAS)
        assert found.arguments == {"expression": looks_like}


@FORMAT
def test_a_name_that_is_none_is_an_error(form):
    for name in ("", "a" * 65):
        (call,) = form.parse(form.render([Call(name)]), SCHEMAS)
        assert (call.name, call.arguments) == (None, None)
        assert "1 to 64 characters" in call.error


@FORMAT
def test_more_calls_than_anyone_needs_are_told_and_not_read(form):
    found = form.parse(form.render([Call("run_tests")] * (MAX_CALLS + 5)), SCHEMAS)
    assert len(found) == MAX_CALLS + 1
    assert "at most 64 calls" in found[-1].error
    assert all(call.error is None for call in found[:-1])


HOSTILE = {
    "opened": "<tool_call>",
    "opened JSON": '<tool_call>{"name": "bash", "arguments": {"command": "',
    "nested": "<tool_call>" + "[" * 50 + "{",
    "functions": "<tool_call><function=bash><parameter=command>",
    "bare functions": "<function=bash>",
    "values": "<tool_call><function=bash><parameter=command>x</parameter>",
    "closings": "</parameter>   \n</function>",
    "spaces": "<tool_call>" + " " * 200,
    "items": '{"tool_calls": [{"type": "function", "function": {"name": "',
    "arrays": '"tool_calls": [{',
    "quotes": '<tool_call>{"',
    "long names": "<tool_call><function=" + "a" * 300,
}


@FORMAT
@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE)
def test_time_is_linear_in_hostile_text(form, unit):
    """A quadratic reader would take four hundred times as long for twenty times the text, which is minutes here."""

    def seconds(num_bytes):
        sampled = unit * (num_bytes // len(unit))
        begun = time.process_time()
        form.parse(sampled, SCHEMAS, cut=True)
        return time.process_time() - begun

    assert seconds(2_000_000) < 2.0


@FORMAT
def test_the_model_reads_of_its_tools_once_in_its_format(form):
    tokenizer = ByteTokenizer()
    messages = [{"role": "system", "content": "Fix it."}, {"role": "user", "content": "It fails."}]
    shown, schemas = described(form, tokenizer, messages, SCHEMAS)
    prompt = tokenizer.apply_chat_template(shown, schemas, add_generation_prompt=True)
    assert prompt.count('"run_expression"') == 1
    assert prompt.count("Fix it.") == 1
    assert {"hermes": '{"name": "NAME"', "qwen3_coder": "<function=NAME>", "openai": '"tool_calls": ['}[
        form.name
    ] in prompt
    assert described(form, tokenizer, messages, []) == (messages, [])


@FORMAT
def test_a_template_that_describes_tools_in_another_format_is_not_asked_to(form):
    class Other(ByteTokenizer):
        tool_format = "other"

    shown, schemas = described(form, Other(), [{"role": "user", "content": "It fails."}], SCHEMAS)
    assert schemas == []
    assert [message["role"] for message in shown] == ["system", "user"]
    assert shown[0]["content"].endswith(form.describe(SCHEMAS))
