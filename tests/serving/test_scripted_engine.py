"""The scripted engine over its HTTP server: turns in order, status codes, retries, a busy port."""

import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import httpx
import pytest
import torch

from trajlog.errors import ConfigError, EngineError
from trajlog.serving.adapters import AdapterConfig, save_adapter
from trajlog.serving.client import EngineClient
from trajlog.serving.scripted_engine import Script, ScriptedEngine, read_scripts
from trajlog.serving.server import EngineServer
from trajlog.serving.tokenizers import ByteTokenizer
from trajlog.serving.wire import BadRequest, Completion, CompletionRequest, EngineBusy, UnknownModel

TOKENIZER = ByteTokenizer()
SCRIPTS = [Script("task one", ("first", "second \u00e9")), Script("task two", ("other",))]
NAME = "policy-000000"


@pytest.fixture
def client() -> Iterator[EngineClient]:
    engine = ScriptedEngine(TOKENIZER, SCRIPTS, [NAME])
    with EngineServer(engine) as server, EngineClient(server.url, retry_s=0.0) as client:
        yield client


def prompt(*contents: str) -> list[int]:
    messages = [{"role": ("user", "assistant")[i % 2], "content": c} for i, c in enumerate(contents)]
    return TOKENIZER.encode(TOKENIZER.apply_chat_template(messages, [], True))


def test_turns_follow_the_assistant_turns_in_the_prompt_and_the_last_repeats(client: EngineClient) -> None:
    texts = [
        client.complete(NAME, prompt(*conversation), 50).text
        for conversation in (
            ("task one",),
            ("task one", "first", "ok"),
            ("task one", "first", "ok", "second", "ok"),
            ("do task two",),
        )
    ]
    assert texts == ["first", "second \u00e9", "second \u00e9", "other"]


def test_tokens_are_certain_and_end_with_the_stop_token(client: EngineClient) -> None:
    out = client.complete(NAME, prompt("task one"), 50)
    assert out.token_ids == [*b"first", 257]
    assert out.logprobs == [0.0] * 6
    assert out.finish_reason == "stop"
    assert out.latency_s > 0


def test_max_tokens_cuts_the_text(client: EngineClient) -> None:
    out = client.complete(NAME, prompt("task one"), 3)
    assert (out.token_ids, out.text, out.finish_reason) == ([*b"fir"], "fir", "length")


def test_errors_have_their_status_and_type(client: EngineClient) -> None:
    with pytest.raises(UnknownModel, match="policy-000009"):
        client.complete("policy-000009", prompt("task one"), 3)
    with pytest.raises(BadRequest, match="markers are"):
        client.complete(NAME, prompt("something else"), 3)
    with pytest.raises(BadRequest, match="not below the vocabulary"):
        client.complete(NAME, [400], 3)
    bad = httpx.post(f"{client.url}/v1/completions", json={"model": NAME, "prompt": "text", "max_tokens": 1})
    assert bad.status_code == 400
    assert "send token ids" in bad.json()["error"]["message"]


def test_adapters_are_loaded_and_unloaded_by_name(client: EngineClient, tmp_path: Path) -> None:
    config = AdapterConfig(r=1, lora_alpha=1.0, target_modules=("q_proj",))
    save_adapter(tmp_path / "v1", {"x": torch.zeros(1, 1)}, config)
    client.load_adapter("policy-000001", tmp_path / "v1")
    assert client.models() == [NAME, "policy-000001"]
    assert client.complete("policy-000001", prompt("task one"), 50).text == "first"
    client.unload_adapter("policy-000001")
    assert client.models() == [NAME]
    with pytest.raises(BadRequest, match="does not exist"):
        client.load_adapter("policy-000002", tmp_path / "nowhere")
    with pytest.raises(BadRequest, match="lora_path is missing"):
        client._call("POST", "/v1/load_lora_adapter", {"lora_name": "policy-000002"})


def test_a_port_in_use_is_named_with_the_remedy() -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        port = holder.getsockname()[1]
        with pytest.raises(EngineError, match=f"127.0.0.1:{port}.*--port"):
            EngineServer(ScriptedEngine(TOKENIZER, SCRIPTS), port=port)


def test_an_engine_that_is_not_there_is_an_error_after_the_retry_time() -> None:
    started = time.monotonic()
    with (
        EngineClient("http://127.0.0.1:9", retry_s=0.3) as client,
        pytest.raises(EngineError, match="cannot reach the engine"),
    ):
        client.complete(NAME, [1], 1)
    assert time.monotonic() - started < 5.0


class _BusyTwice(ScriptedEngine):
    refused = 0

    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        if self.refused < 2:
            self.refused += 1
            raise EngineBusy("the queue is full; try again later")
        return super().submit(request)


def test_a_closed_client_says_so(client: EngineClient) -> None:
    client.close()
    with pytest.raises(EngineError, match=r"the client of the engine at \S+ was closed"):
        client.complete(NAME, prompt("task one"), 8)


def test_a_busy_engine_is_asked_again_and_given_up_in_bounded_time() -> None:
    engine = _BusyTwice(TOKENIZER, SCRIPTS, [NAME])
    with EngineServer(engine) as server:
        with EngineClient(server.url, retry_s=0.0) as client, pytest.raises(EngineBusy, match="429"):
            client.complete(NAME, prompt("task one"), 9)
        with EngineClient(server.url, retry_s=10.0) as client:
            assert client.complete(NAME, prompt("task one"), 9).text == "first"
    assert engine.refused == 2


class _NeverAnswers(ScriptedEngine):
    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        self.future: Future[Completion] = Future()
        self.cancelled = threading.Event()
        self.future.add_done_callback(lambda f: self.cancelled.set() if f.cancelled() else None)
        return self.future


def test_a_client_that_goes_away_cancels_its_generation() -> None:
    engine = _NeverAnswers(TOKENIZER, SCRIPTS, [NAME])
    with EngineServer(engine) as server:
        with (
            EngineClient(server.url, timeout_s=0.3, retry_s=0.0) as client,
            pytest.raises(EngineError, match="Timeout"),
        ):
            client.complete(NAME, prompt("task one"), 9)
        assert engine.cancelled.wait(10.0)


def test_scripts_are_read_from_json_and_errors_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text('[{"marker": "task one", "turns": ["a", "b"]}]')
    assert read_scripts(file) == [Script("task one", ("a", "b"))]
    file.write_text('[{"marker": 3}]')
    with pytest.raises(ConfigError, match=r"s\.json"):
        read_scripts(file)
    with pytest.raises(ConfigError, match="have no turns"):
        ScriptedEngine(TOKENIZER, [Script("m", ())])
