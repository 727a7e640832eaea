"""A conversation kept as token ids: appended to, never tokenised again.

Sampled tokens stay as they were sampled. What comes between them (tool results, the marks that open the next turn)
is rendered by the model's own chat template and only that piece is tokenised. The template is asked twice, for the
messages up to the assistant's turn and for all of them; each rendering must begin with the one before. Where it does
not (a template that rewrites history, such as one that drops earlier reasoning), a new chain begins: the whole prompt
is tokenised anew and what was generated before is context in it.

Worked example (ids in brackets)::

    prompt()              [system, user, <assistant>]     chain 0, prefix_len 0
    add_generation        [... call, <end>]
    add_result            nothing yet
    prompt()              [\\n <tool> result <end> \\n <assistant>]   the delta only, chain 0, prefix_len = all before
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from trajlog.schemas import token_digest
from trajlog.serving.tokenizers import Tokenizer

_MARK = re.compile(r"<\|(\w+)\|>")


class Prompt(msgspec.Struct, frozen=True):
    """What the next generation continues."""

    chain: int
    prefix_len: int
    prefix_sha256: str
    """token_digest of the chain's first prefix_len tokens."""
    new_token_ids: tuple[int, ...]
    """Context added since the chain's last generated token."""
    token_ids: tuple[int, ...]
    """The whole chain: what the engine is given."""


class Conversation:
    """Messages and their tokens. Call prompt, then add_generation, then add_result for each answer, and again."""

    def __init__(
        self, tokenizer: Tokenizer, messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]
    ) -> None:
        self.messages: list[Mapping[str, Any]] = list(messages)
        self.chain = 0
        self._tokenizer = tokenizer
        self._tools = list(tools)
        self._tokens: list[int] = []
        self._text = ""
        """Rendered text that the chain's tokens stand for, up to where the last generation began."""
        self._ended = True
        """Whether the last generation ended with a stop token."""

    def prompt(self) -> Prompt:
        """The next prompt; also moves the conversation to where that generation begins."""
        text = self._render(self.messages, generation=True)
        prefix_len = len(self._tokens)
        delta = self._delta(text) if self._tokens else text
        if delta is None:
            self.chain += 1
            self._tokens = []
            prefix_len, delta = 0, text
        digest = token_digest(self._tokens)
        new = self._tokenizer.encode(delta)
        if prefix_len and not self._ended:
            new = [self._tokenizer.stop_token_ids[0], *new]
        self._tokens += new
        self._text = text
        return Prompt(self.chain, prefix_len, digest, tuple(new), tuple(self._tokens))

    def add_generation(self, token_ids: Sequence[int]) -> str:
        """Append sampled tokens; returns the assistant's text without the stop token."""
        self._tokens += token_ids
        self._ended = bool(token_ids) and token_ids[-1] in self._tokenizer.stop_token_ids
        text = self._tokenizer.decode(token_ids[:-1] if self._ended else token_ids)
        self.messages.append({"role": "assistant", "content": text})
        return text

    def add_result(self, content: str, name: str | None = None, call_id: str | None = None) -> None:
        """Append what the environment answered: a tool message, or a user message when it answers no call.

        Marks such as <|im_end|> in it are spelled with spaces: as tokens they would end the message, and whatever
        prints them could speak in another role's name. The observation event keeps the text as it was.
        """
        content = _MARK.sub(r"<| \1 |>", content)
        if call_id is None:
            self.messages.append({"role": "user", "content": content})
        else:
            self.messages.append({"role": "tool", "name": name or "", "tool_call_id": call_id, "content": content})

    def num_tokens(self) -> int:
        """Length of the present chain."""
        return len(self._tokens)

    def _delta(self, text: str) -> str | None:
        """Text between the stop token of the last assistant turn and the end of `text`; None = history changed."""
        last = max(i for i, message in enumerate(self.messages) if message["role"] == "assistant")
        turn = self._render(self.messages[: last + 1], generation=False)
        if not turn.startswith(self._text) or not text.startswith(turn):
            return None
        stop = self._tokenizer.decode(self._tokenizer.stop_token_ids[:1])
        _, found, after = turn[len(self._text) :].rpartition(stop)
        if not found:
            return None
        return after + text[len(turn) :]

    def _render(self, messages: Sequence[Mapping[str, Any]], generation: bool) -> str:
        return self._tokenizer.apply_chat_template(messages, self._tools, add_generation_prompt=generation)
