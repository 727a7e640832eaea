"""Text to token ids and back, and chat messages to prompt text, for workers and engines.

Two tokenizers share one interface: the model's own (transformers, loaded from a model directory), and `byte`
(256 bytes and three marks; no download, no torch) for the scripted engine, tests and examples.

    tokenizer = load_tokenizer("byte")
    text = tokenizer.apply_chat_template(messages, tools, add_generation_prompt=True)
    ids = tokenizer.encode(text)

A prompt is rendered by the model's own chat template. Where the template takes no `tools` (SmolLM2's), they go
into the system message in the Hermes form: `<tools>` with one JSON object a line, and how to call them,
`<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.

Message dicts are OpenAI's, with string contents: {"role": "system" | "user" | "assistant" | "tool", "content": str}.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from trajlog.errors import ConfigError, ModelError
from trajlog.serving.models import resolve_model

Message = Mapping[str, Any]
IM_START, IM_END = "<|im_start|>", "<|im_end|>"
DEFAULT_SYSTEM = "You are a helpful assistant."
_HERMES = (
    'Tools:\n<tools>\n{lines}\n</tools>\nTo call one, reply with\n<tool_call>\n{{"name": "NAME", '
    '"arguments": {{...}}}}\n</tool_call>'
)


class Tokenizer(Protocol):
    """What workers and engines need of a tokenizer."""

    vocab_size: int
    """Ids are below this."""
    stop_token_ids: tuple[int, ...]
    """An assistant's turn ends with one of these; at least one."""
    tool_format: str
    """The form in which apply_chat_template tells how to call its `tools`: `hermes`, `qwen3_coder` or `other`."""

    def encode(self, text: str) -> list[int]:
        """Token ids of rendered text; marks such as <|im_end|> become their one id, nothing is added."""

    def decode(self, token_ids: Iterable[int]) -> str:
        """Text of token ids, marks included; bytes that are not UTF-8 become U+FFFD.

        Ids that the model has and the tokenizer has not (padded vocabularies) raise nothing.
        """

    def apply_chat_template(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], add_generation_prompt: bool
    ) -> str:
        """The prompt text of a conversation. `tools` are OpenAI function schemas, [] for none."""


def hermes_description(tools: Sequence[Mapping[str, Any]]) -> str:
    """The tools and how to call them, in the Hermes form."""
    lines = "\n".join(json.dumps(tool["function"], separators=(",", ":"), ensure_ascii=False) for tool in tools)
    return _HERMES.format(lines=lines)


def in_system(messages: Sequence[Message], text: str) -> list[Message]:
    """The same conversation with `text` at the end of its system message (one is added if there is none)."""
    rest = list(messages)
    system = DEFAULT_SYSTEM
    if rest and rest[0]["role"] == "system":
        system = rest.pop(0)["content"]
    return [{"role": "system", "content": f"{system}\n\n{text}"}, *rest]


def with_tools_in_system(messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> list[Message]:
    """The same conversation with the tools described in its system message."""
    return in_system(messages, hermes_description(tools)) if tools else list(messages)


class ByteTokenizer:
    """UTF-8 bytes as ids 0-255, then <|im_start|> 256, <|im_end|> 257, <|endoftext|> 258; ChatML prompts."""

    vocab_size = 259
    stop_token_ids = (257,)
    tool_format = "hermes"
    _marks: ClassVar = {IM_START: 256, IM_END: 257, "<|endoftext|>": 258}

    def encode(self, text: str) -> list[int]:
        ids: list[int] = []
        start = position = 0
        while (position := text.find("<|", position)) >= 0:
            mark = next((m for m in self._marks if text.startswith(m, position)), None)
            if mark is None:
                position += 2
                continue
            ids += text[start:position].encode("utf-8", errors="replace")
            ids.append(self._marks[mark])
            start = position = position + len(mark)
        return ids + list(text[start:].encode("utf-8", errors="replace"))

    def decode(self, token_ids: Iterable[int]) -> str:
        names = {token_id: mark.encode() for mark, token_id in self._marks.items()}
        pieces = (bytes((i,)) if i < 256 else names.get(i, b"\xff") for i in token_ids)
        return b"".join(pieces).decode("utf-8", errors="replace")

    def apply_chat_template(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], add_generation_prompt: bool
    ) -> str:
        turns = (f"{IM_START}{m['role']}\n{m['content']}{IM_END}\n" for m in with_tools_in_system(messages, tools))
        return "".join(turns) + (f"{IM_START}assistant\n" if add_generation_prompt else "")


class HuggingFaceTokenizer:
    """The tokenizer of a model directory, with the model's chat template. Needs transformers, not torch."""

    def __init__(self, path: Path):
        from transformers import AutoTokenizer

        try:
            self._tokenizer = AutoTokenizer.from_pretrained(str(path), local_files_only=True)
        except Exception as error:  # transformers raises many kinds for a broken directory
            raise ModelError(
                f"cannot load a tokenizer from {path}: {error}. The directory must hold tokenizer.json and "
                f"tokenizer_config.json; `trajlog models fetch smollm2` makes a complete one."
            ) from error
        if not self._tokenizer.chat_template:
            raise ModelError(
                f"the tokenizer in {path} has no chat template; choose an instruct model, or put a "
                f"chat_template.jinja beside its tokenizer.json"
            )
        self.vocab_size = len(self._tokenizer)
        self.stop_token_ids = self._find_stop_tokens(path)
        self._template_takes_tools = "tools" in self._tokenizer.chat_template
        self.tool_format = _tool_format(str(self._tokenizer.chat_template)) if self._template_takes_tools else "hermes"

    def _find_stop_tokens(self, path: Path) -> tuple[int, ...]:
        """The tokenizer's end token and those of generation_config.json (a model may have several)."""
        found: list[int] = []
        file = Path(path) / "generation_config.json"
        if file.exists():
            listed = json.loads(file.read_text()).get("eos_token_id")
            found += listed if isinstance(listed, list) else [listed]
        found.append(self._tokenizer.eos_token_id)
        unique = tuple(dict.fromkeys(token_id for token_id in found if token_id is not None))
        if not unique:
            raise ModelError(f"the tokenizer in {path} names no end token; set eos_token in its config")
        return unique

    def encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def decode(self, token_ids: Iterable[int]) -> str:
        return str(
            self._tokenizer.decode(list(token_ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        )

    def apply_chat_template(
        self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]], add_generation_prompt: bool
    ) -> str:
        shown = list(messages) if self._template_takes_tools else with_tools_in_system(messages, tools)
        return str(
            self._tokenizer.apply_chat_template(
                shown,
                tools=list(tools) or None if self._template_takes_tools else None,
                tokenize=False,
                add_generation_prompt=add_generation_prompt,
            )
        )


def _tool_format(template: str) -> str:
    """The form that a chat template with tools describes, by the marks it writes."""
    if "<function=" in template:
        return "qwen3_coder"
    return "hermes" if "<tool_call>" in template else "other"


def load_tokenizer(source: str | Path) -> Tokenizer:
    """`byte`, a model directory, or what models.resolve_model takes. Raises ModelError, ConfigError."""
    if str(source) == "byte":
        return ByteTokenizer()
    path = Path(source)
    if not path.is_dir():
        path = resolve_model(str(source))
    try:
        return HuggingFaceTokenizer(path)
    except ImportError as error:
        raise ConfigError("a model's tokenizer needs transformers: pip install 'trajlog[serving]'") from error
