"""Tokenizers: the byte tokenizer is exact, prompts grow by appending, tools reach templates without tools."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.errors import ModelError
from trajlog.serving.tokenizers import ByteTokenizer, load_tokenizer, with_tools_in_system

TOOL = {"type": "function", "function": {"name": "bash", "description": "Run it", "parameters": {"type": "object"}}}


@given(st.lists(st.one_of(st.text(), st.sampled_from(["<|im_end|>", "<|im_start|>", "<|", "|>"]))))
def test_byte_tokenizer_round_trips_any_text(parts: list[str]) -> None:
    text = "".join(parts).encode(errors="replace").decode()
    tokenizer = ByteTokenizer()
    ids = tokenizer.encode(text)
    assert tokenizer.decode(ids) == text
    assert all(0 <= i < tokenizer.vocab_size for i in ids)


def test_marks_are_one_token_each() -> None:
    assert ByteTokenizer().encode("a<|im_end|>\u00e9<|x|>") == [97, 257, 0xC3, 0xA9, *b"<|x|>"]


def test_prompt_has_tools_in_the_system_message_and_opens_the_assistant_turn() -> None:
    text = ByteTokenizer().apply_chat_template([{"role": "user", "content": "Fix it"}], [TOOL], True)
    assert text.startswith("<|im_start|>system\nYou are a helpful assistant.\n\nTools:\n<tools>\n")
    assert '\n{"name":"bash","description":"Run it","parameters":{"type":"object"}}\n</tools>' in text
    assert '{"name": "NAME", "arguments": {...}}' in text
    assert text.endswith("<|im_end|>\n<|im_start|>user\nFix it<|im_end|>\n<|im_start|>assistant\n")


def test_tools_extend_the_given_system_message_and_leave_the_rest() -> None:
    messages = [{"role": "system", "content": "Debug."}, {"role": "user", "content": "go"}]
    shown = with_tools_in_system(messages, [TOOL])
    assert shown[0]["content"].startswith("Debug.\n\nTools:")
    assert shown[1:] == messages[1:]
    assert with_tools_in_system(messages, []) == messages


def test_rendered_conversation_only_grows() -> None:
    tokenizer = ByteTokenizer()
    messages = [
        {"role": r, "content": f"{i}"} for i, r in enumerate(("system", "user", "assistant", "tool", "assistant"))
    ]
    texts = [tokenizer.apply_chat_template(messages[: n + 1], [TOOL], False) for n in range(len(messages))]
    assert all(longer.startswith(shorter) for shorter, longer in pairwise(texts))


def test_a_missing_model_directory_says_how_to_get_one() -> None:
    with pytest.raises(ModelError, match="trajlog models fetch smollm2"):
        load_tokenizer("/nowhere/model")


def test_an_id_beyond_the_vocabulary_decodes_to_the_replacement_character() -> None:
    assert ByteTokenizer().decode([97, 40000, 98]) == "a\ufffdb"


@pytest.mark.model
def test_the_models_tokenizer_survives_an_id_beyond_its_vocabulary(smollm2) -> None:
    tokenizer = load_tokenizer(smollm2)
    assert tokenizer.decode([*tokenizer.encode("a"), tokenizer.vocab_size + 5]) == "a"


@pytest.mark.parametrize(
    ("template", "tool_format"),
    [
        ("{{ messages[0].content }}", "hermes"),
        ("{% if tools %}<tool_call>{{ tools }}{% endif %}", "hermes"),
        ("{% if tools %}<tool_call><function=NAME>{{ tools }}{% endif %}", "qwen3_coder"),
        ("{% if tools %}<|python_tag|>{{ tools }}{% endif %}", "other"),
    ],
)
def test_the_form_of_calls_is_read_off_the_chat_template(tmp_path: Path, template: str, tool_format: str) -> None:
    tokenizers, transformers = pytest.importorskip("tokenizers"), pytest.importorskip("transformers")
    words = tokenizers.Tokenizer(tokenizers.models.WordLevel({"<end>": 0, "a": 1}, unk_token="a"))
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=words, eos_token="<end>")
    made.chat_template = template
    made.save_pretrained(tmp_path)
    assert load_tokenizer(tmp_path).tool_format == tool_format
