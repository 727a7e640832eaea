"""The worker's side of the wire: one synchronous client, usable from many threads at once.

    with EngineClient("http://127.0.0.1:8000") as engine:
        out = engine.complete("policy-000003", prompt_token_ids, max_tokens=96, temperature=1.0)
        out.token_ids, out.logprobs, out.finish_reason

It speaks to trajlog's own engines and to a vLLM server alike. A connection that is refused or breaks and the
answers 429 and 503 are tried again, for `retry_s` seconds in all; a request changes nothing in the engine, so
sending it twice only samples twice.
"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec

from trajlog.errors import EngineError
from trajlog.serving.wire import (
    BadRequest,
    Completion,
    CompletionRequest,
    EngineBusy,
    EngineUnreachable,
    UnknownModel,
    decode_completion,
)

_RETRIED_STATUS = (429, 502, 503)
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.05, 1.0


class EngineClient:
    """A client of one engine. `retry_s` bounds all retries of one call, `timeout_s` one answer."""

    def __init__(self, url: str, *, timeout_s: float = 300.0, retry_s: float = 30.0, max_connections: int = 256):
        self.url = url.rstrip("/")
        self._retry_s = retry_s
        try:
            self._http = httpx.Client(
                base_url=self.url,
                timeout=httpx.Timeout(timeout_s, connect=5.0),
                limits=httpx.Limits(max_connections=max_connections, max_keepalive_connections=max_connections),
                trust_env=False,
            )
        except (httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise EngineError(f"{url!r} is not an engine address ({error}); use http://HOST:PORT") from error

    def complete(
        self,
        model: str,
        prompt_token_ids: Sequence[int],
        max_tokens: int,
        temperature: float = 1.0,
        top_p: float = 1.0,
        stop_token_ids: Sequence[int] = (),
        seed: int | None = None,
        routed_experts_start: int | None = None,
    ) -> Completion:
        """Continue a prompt. Raises BadRequest, UnknownModel, EngineBusy, EngineError (all EngineError).

        `routed_experts_start`: first position whose routed experts are wanted, in the prompt; None = of no position.
        """
        try:
            request = CompletionRequest(
                model=model,
                prompt=list(prompt_token_ids),
                max_tokens=max_tokens,
                temperature=temperature,
                top_p=top_p,
                seed=seed,
                stop_token_ids=list(stop_token_ids),
                routed_experts_prompt_start=routed_experts_start,
            )
        except ValueError as error:
            raise BadRequest(f"bad completion request: {error}") from error
        started = time.monotonic()
        # vLLM refuses a null start.
        fields = {name: value for name, value in msgspec.to_builtins(request).items() if value is not None}
        body = self._call("POST", "/v1/completions", fields)
        return decode_completion(body, request, time.monotonic() - started)

    def models(self) -> list[str]:
        """Model names that the engine serves now."""
        answer = msgspec.json.decode(self._call("GET", "/v1/models"))
        return [entry["id"] for entry in answer["data"]]

    def adapter_paths(self) -> dict[str, str]:
        """Adapter names that a vLLM server holds, with the directory that each came from."""
        answer = msgspec.json.decode(self._call("GET", "/v1/models"))
        return {entry["id"]: str(entry.get("root")) for entry in answer["data"] if entry.get("parent")}

    def load_adapter(self, name: str, path: Path) -> None:
        """Load an adapter directory (a path on the engine's machine) under a new name."""
        self._call("POST", "/v1/load_lora_adapter", {"lora_name": name, "lora_path": str(path)})

    def unload_adapter(self, name: str) -> None:
        """Stop serving a name; its running requests finish."""
        self._call("POST", "/v1/unload_lora_adapter", {"lora_name": name})

    def health(self) -> bool:
        """One try, no retry: does the engine answer?"""
        try:
            return self._http.get("/health", timeout=5.0).status_code == 200
        except httpx.HTTPError:
            return False

    def _call(self, method: str, path: str, fields: dict[str, Any] | None = None) -> bytes:
        give_up = time.monotonic() + self._retry_s
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                response = self._http.request(method, path, json=fields)
            except (httpx.ConnectError, httpx.ConnectTimeout, httpx.RemoteProtocolError, httpx.ReadError) as error:
                failure = EngineUnreachable(
                    f"cannot reach the engine at {self.url}: {error}. Tried for {self._retry_s:g} s; is it "
                    f"running (trajlog engine), and is the address right?"
                )
                failure.__cause__ = error
            except RuntimeError as error:  # httpx's for a client that was closed, perhaps by another thread
                if not self._http.is_closed:
                    raise
                raise EngineError(
                    f"the client of the engine at {self.url} was closed: its process is ending"
                ) from error
            except httpx.HTTPError as error:
                raise EngineError(
                    f"{method} {self.url}{path} failed: {type(error).__name__} {error}. "
                    f"The engine is overloaded or stuck; look at its output."
                ) from error
            else:
                if response.status_code == 200:
                    return response.content
                failure = self._refusal(path, response)
                if response.status_code not in _RETRIED_STATUS:
                    raise failure
            if time.monotonic() + pause_s > give_up:
                raise failure
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    def _refusal(self, path: str, response: httpx.Response) -> EngineError:
        message = f"engine {self.url}{path} answered {response.status_code}: {_error_text(response)}"
        kind = {400: BadRequest, 404: UnknownModel, 429: EngineBusy, 503: EngineBusy}.get(
            response.status_code, EngineError
        )
        return kind(message)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> "EngineClient":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def _error_text(response: httpx.Response) -> str:
    """The message of an OpenAI error body (both of vLLM's shapes), else the start of the body."""
    try:
        fields = response.json()
        return str((fields.get("error") or fields)["message"])
    except (ValueError, KeyError, AttributeError, TypeError):
        return response.text[:500]
