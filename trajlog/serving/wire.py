"""The wire between workers and engines: the OpenAI completions call with token ids, as vLLM speaks it.

    POST /v1/completions          CompletionRequest -> {"choices": [{text, finish_reason, token_ids, logprobs, ...}]}
    GET  /v1/models               {"data": [{"id": "policy-000017"}, ...]}
    GET  /health                  200 while the engine can answer
    POST /v1/load_lora_adapter    {"lora_name": "policy-000018", "lora_path": "/runs/demo/adapters/000018"}
    POST /v1/unload_lora_adapter  {"lora_name": "policy-000012"}

**Log-probabilities** are of the sampled token under `softmax(logits / temperature)`; for temperature 0 (greedy)
under `softmax(logits)`. `top_p` only cuts what can be sampled and does not enter them, so an importance ratio is
unbiased at top_p = 1 alone. vLLM reports `softmax(logits)` unless it was started with
`--logprobs-mode processed_logprobs`; at temperature 1 and top_p 1 all of them agree.

`token_ids` are all generated tokens, the sampled stop token included. `text` is what they decode to without that
stop token. An unscored token has logprob null, never 0.0.

**Routed experts** come with the choice (routed_experts_wire.py) where the engine records them; no request turns that on
or off. `routed_experts_prompt_start` spares their rows for tokens whose routing the client has already: 384 bytes a
token for 48 layers of top-8, over a whole conversation at each of its turns.
"""

import math
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Literal, Protocol

import msgspec

from trajlog.errors import EngineError
from trajlog.serving.routed_experts import RoutedExperts
from trajlog.serving.routed_experts_wire import UnusableRouting, encode_routed_experts, read_routed_experts

_UNSCORED_BELOW = -9998.0
"""vLLM writes -9999.0 where it has no finite log-probability (JSON has no -inf)."""


class BadRequest(EngineError):
    """The request itself is wrong; sending it again cannot help (HTTP 400)."""


class UnknownModel(EngineError):
    """The engine does not serve that model name, or no longer (HTTP 404)."""


class EngineUnreachable(EngineError):
    """Nothing answers at the engine's address, or it broke off in the middle; another engine may answer."""


class EngineBusy(EngineError):
    """The engine's queue is full; the same request may be sent again later (HTTP 429)."""


class CompletionRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One request. The engine continues `prompt` under the adapter named `model`."""

    model: str
    prompt: list[int]
    """Token ids, not empty. There is no text form: what was sampled must be what is continued."""
    max_tokens: int
    """Tokens to generate at most, at least 1; prompt and these must fit the context."""
    temperature: float = 1.0
    """0 = greedy."""
    top_p: float = 1.0
    """In (0, 1]; 1 = the whole distribution."""
    seed: int | None = None
    """Fixes the draws of this request; None = different every time. Batching may still move logits by rounding."""
    stop_token_ids: list[int] = []
    """Generation ends after one of these, and after the model's own end token."""
    logprobs: Literal[0] = 0
    """Log-probability of the sampled token only; alternatives are not served."""
    return_token_ids: Literal[True] = True
    routed_experts_prompt_start: int | None = None
    """Prompt tokens at the front whose routed experts are left out; None = none are left out, and nobody reads them."""
    n: Literal[1] = 1
    stream: Literal[False] = False

    def __post_init__(self) -> None:
        if not self.prompt:
            raise ValueError("prompt is empty; send the token ids of at least one token")
        if min(self.prompt) < 0:
            raise ValueError(f"prompt holds the negative token id {min(self.prompt)}")
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is {self.max_tokens}; it must be at least 1")
        if not 0.0 <= self.temperature <= 100.0:
            raise ValueError(f"temperature is {self.temperature}; it must be between 0 and 100")
        if not 0.0 < self.top_p <= 1.0:
            raise ValueError(f"top_p is {self.top_p}; it must be above 0 and at most 1")
        start = self.routed_experts_prompt_start
        if start is not None and not 0 <= start < len(self.prompt):
            raise ValueError(f"routed_experts_prompt_start is {start}; it must be below {len(self.prompt)}, the prompt")


class Completion(msgspec.Struct, frozen=True, kw_only=True):
    """What came back. `token_ids` and `logprobs` are aligned."""

    token_ids: list[int]
    logprobs: list[float | None]
    text: str
    finish_reason: Literal["stop", "length"]
    latency_s: float = 0.0
    """Seconds from send to answer as the client saw them, retries included; 0.0 on the server's side."""
    routed_experts: RoutedExperts | None = None
    """The routers' choices for the prompt and all generated tokens but the last; None where the engine has none.
    At the client without the prompt tokens that `routed_experts_prompt_start` left out."""
    routing_fault: str | None = None
    """At the client: why the routed experts that the engine gave cannot be used."""


class Engine(Protocol):
    """A policy engine behind the wire. Methods are called from several threads."""

    @property
    def failure(self) -> str | None:
        """Why the engine can serve no more, or None."""

    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        """Queue a request for a loaded model name. Cancelling the future ends the generation.

        Raises BadRequest, UnknownModel, EngineBusy at once; the future carries EngineError.
        """

    def load_adapter(self, name: str, path: Path) -> None:
        """Make `name` servable from an adapter directory. Raises ModelError; then nothing has changed."""

    def unload_adapter(self, name: str) -> None:
        """Take no new request for `name`; requests that run finish on it. Raises UnknownModel."""

    def models(self) -> list[str]:
        """Names that can be asked for, oldest first."""

    def close(self) -> None:
        """End the engine's threads; running requests get EngineError."""


def decode_request(body: bytes) -> CompletionRequest:
    """Parse and check a request body; BadRequest says which field is wrong and how."""
    try:
        return msgspec.json.decode(body, type=CompletionRequest)
    except msgspec.ValidationError as error:
        message = str(error)
        if "$.prompt`" in message and "str" in message:
            message += ": send token ids; this engine continues exactly the tokens that were sampled before"
        if "unknown field" in message:
            message += f"; known are {', '.join(CompletionRequest.__struct_fields__)}"
        raise BadRequest(f"bad completion request: {message}") from error
    except msgspec.DecodeError as error:
        raise BadRequest(f"the request body is not JSON: {error}") from error


def encode_completion(request_id: str, request: CompletionRequest, completion: Completion) -> bytes:
    """The response body, in OpenAI's shape with vLLM's `token_ids` and `routed_experts`."""
    prompt_tokens = len(request.prompt)
    choice = {
        "index": 0,
        "text": completion.text,
        "finish_reason": completion.finish_reason,
        "token_ids": completion.token_ids,
        "logprobs": {"token_logprobs": completion.logprobs},
    }
    if (routed := completion.routed_experts) is not None:
        start = request.routed_experts_prompt_start or 0
        choice["routed_experts"] = encode_routed_experts(routed.positions(start, routed.shape[0]))
    return msgspec.json.encode(
        {
            "id": request_id,
            "object": "text_completion",
            "model": request.model,
            "choices": [choice],
            "usage": {
                "prompt_tokens": prompt_tokens,
                "completion_tokens": len(completion.token_ids),
                "total_tokens": prompt_tokens + len(completion.token_ids),
            },
        }
    )


def decode_completion(body: bytes, request: CompletionRequest, latency_s: float) -> Completion:
    """Read a response of this engine or of vLLM. Raises EngineError where it does not hold what training needs.

    Routed experts are read where `request.routed_experts_prompt_start` is given; training can do without them.
    """
    try:
        answer: dict[str, Any] = msgspec.json.decode(body)
        choice: dict[str, Any] = answer["choices"][0]
        token_ids = msgspec.convert(choice.get("token_ids"), list[int])
        raw = msgspec.convert((choice.get("logprobs") or {}).get("token_logprobs"), list[float | None])
        completion = Completion(
            token_ids=token_ids,
            logprobs=[None if x is None or not math.isfinite(x) or x < _UNSCORED_BELOW else x for x in raw],
            text=msgspec.convert(choice["text"], str),
            finish_reason=msgspec.convert(choice["finish_reason"], Literal["stop", "length"]),
            latency_s=latency_s,
        )
    except (msgspec.DecodeError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise EngineError(
            f"the engine's answer lacks token ids, logprobs or a finish reason ({error}): {body[:200]!r}. "
            f"A vLLM server must know return_token_ids (0.20 or later)."
        ) from error
    if len(completion.token_ids) != len(completion.logprobs):
        raise EngineError(
            f"the engine answered {len(completion.token_ids)} token ids with {len(completion.logprobs)} logprobs; "
            f"they must be aligned. Check the engine's version."
        )
    if (start := request.routed_experts_prompt_start) is None:
        return completion
    try:
        routed = read_routed_experts(answer, choice, len(request.prompt), len(completion.token_ids), start)
    except UnusableRouting as error:
        return msgspec.structs.replace(completion, routing_fault=str(error))
    return msgspec.structs.replace(completion, routed_experts=routed)


def policy_name(version: int) -> str:
    """Served model name of a policy version: 17 -> policy-000017."""
    return f"policy-{version:06d}"


def policy_version(name: str) -> int:
    """Inverse of `policy_name`. Raises UnknownModel for a name that is not a version's."""
    head, _, digits = name.partition("-")
    if head != "policy" or not digits.isdecimal() or policy_name(int(digits)) != name:
        raise UnknownModel(f"{name!r} is not a policy version's name; they look like {policy_name(17)}")
    return int(digits)
