"""An engine that plays given texts: for tests, examples and demonstrations (SFT seeds). No torch.

A script is a list of assistant texts, one a turn, chosen by a marker that must occur in the decoded prompt
(a task id, or words of its statement). Which turn it is, is counted: the assistant turns that the prompt holds
already. Nothing is remembered between requests, so replicas and restarts answer alike.

    ScriptedEngine(ByteTokenizer(), [Script("task shared-counter", ("<tool_call>...</tool_call>", "..."))])

After its last text a script repeats that one (a `done` call, usually). The texts are tokenised and ended with
the tokenizer's stop token. **Log-probabilities are 0.0, and that is true**: the policy is deterministic, each of
its tokens has probability 1. They are not "unscored". Such rollouts are for SFT and for exercising the system;
another policy's importance ratio against them is honest but useless.
"""

from collections.abc import Sequence
from concurrent.futures import Future
from pathlib import Path

import msgspec

from trajlog.errors import ConfigError
from trajlog.serving.adapters import adapter_sha256
from trajlog.serving.tokenizers import Tokenizer
from trajlog.serving.wire import BadRequest, Completion, CompletionRequest, UnknownModel


class Script(msgspec.Struct, frozen=True):
    """Texts for the conversations whose prompt contains `marker`."""

    marker: str
    """The first script (in order given) whose marker occurs in the prompt is played; "" fits every prompt."""
    turns: tuple[str, ...]
    """Assistant texts by turn, without the stop token; at least one."""


class ScriptedEngine:
    """Plays scripts. `names` are model names that are served from the start, without an adapter."""

    failure = None

    def __init__(self, tokenizer: Tokenizer, scripts: Sequence[Script], names: Sequence[str] = ()):
        if empty := [s.marker for s in scripts if not s.turns]:
            raise ConfigError(f"the scripts for {empty} have no turns; give at least one text each")
        if not scripts:
            raise ConfigError("the scripted engine has no scripts; give a file with at least one")
        self._tokenizer = tokenizer
        self._scripts = tuple(scripts)
        self._names = dict.fromkeys(names)
        question = [{"role": "user", "content": "?"}]
        asked = tokenizer.apply_chat_template(question, [], False)
        self._turn_mark = tokenizer.apply_chat_template(question, [], True).removeprefix(asked)
        if not self._turn_mark:
            raise ConfigError(
                "the chat template opens no assistant turn, so turns cannot be counted; use another model"
            )

    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        if request.model not in self._names:
            raise UnknownModel(f"model {request.model!r} is not served; served are {list(self._names)}")
        text = self._text_for(request.prompt)
        ids = [*self._tokenizer.encode(text), self._tokenizer.stop_token_ids[0]]
        shown = ids[: request.max_tokens]
        future: Future[Completion] = Future()
        future.set_result(
            Completion(
                token_ids=shown,
                logprobs=[0.0] * len(shown),
                text=text if len(shown) == len(ids) else self._tokenizer.decode(shown),
                finish_reason="stop" if len(shown) == len(ids) else "length",
            )
        )
        return future

    def _text_for(self, prompt: list[int]) -> str:
        if max(prompt) >= self._tokenizer.vocab_size:
            raise BadRequest(f"token id {max(prompt)} is not below the vocabulary's {self._tokenizer.vocab_size}")
        shown = self._tokenizer.decode(prompt)
        script = next((s for s in self._scripts if s.marker in shown), None)
        if script is None:
            known = [s.marker for s in self._scripts]
            raise BadRequest(f"no script's marker occurs in the prompt; markers are {known}")
        turn = max(0, shown.count(self._turn_mark) - 1)  # the last mark opens the turn to be played
        return script.turns[min(turn, len(script.turns) - 1)]

    def load_adapter(self, name: str, path: Path) -> None:
        """Serve the same scripts under another name; the adapter must be a readable one."""
        adapter_sha256(path)
        self._names[name] = None

    def unload_adapter(self, name: str) -> None:
        if name not in self._names:
            raise UnknownModel(f"model {name!r} is not served; served are {list(self._names)}")
        del self._names[name]

    def models(self) -> list[str]:
        return list(self._names)

    def close(self) -> None:
        pass


def read_scripts(path: Path) -> list[Script]:
    """Scripts of a JSON file: [{"marker": "...", "turns": ["...", ...]}, ...]. Raises ConfigError."""
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=list[Script])
    except OSError as error:
        raise ConfigError(f"cannot read the scripts in {path}: {error}") from error
    except msgspec.DecodeError as error:
        raise ConfigError(f'{path}: {error}. It must be a JSON list of {{"marker": str, "turns": [str]}}') from error
