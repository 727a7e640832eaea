"""Tool-call formats by name (`episode.tool_format`). A new one is a file here and an entry in FORMATS."""

from collections.abc import Mapping, Sequence

from trajlog.producers.tool_calls.base import Call, ParsedCall, Schemas, ToolFormat
from trajlog.producers.tool_calls.hermes import Hermes
from trajlog.producers.tool_calls.openai import OpenAI
from trajlog.producers.tool_calls.qwen3_coder import Qwen3Coder
from trajlog.serving.tokenizers import Message, Tokenizer, in_system

FORMATS: Mapping[str, ToolFormat] = {form.name: form for form in (Hermes(), Qwen3Coder(), OpenAI())}


def described(
    form: ToolFormat, tokenizer: Tokenizer, messages: Sequence[Message], schemas: Schemas
) -> tuple[Sequence[Message], Schemas]:
    """Messages and tools to give to the chat template, so that the model reads of its tools once, in this format.

    A template that describes tools in this format does it; for any other the description goes into the system message.
    """
    if not schemas or tokenizer.tool_format == form.name:
        return messages, schemas
    return in_system(messages, form.describe(schemas)), []


__all__ = ["FORMATS", "Call", "ParsedCall", "Schemas", "ToolFormat", "described"]
