"""The engine role on a real log: acknowledged before routed, digests, epochs, restart, retirement, vLLM beside."""

import json
import logging
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch

from tests.serving.routing_engine import RoutingEngine
from trajlog.config import EngineConfig, LogConfig, ModelConfig, RouterReplayConfig, RunConfig, StalenessConfig
from trajlog.errors import ConfigError, EngineError, ModelError
from trajlog.schemas import (
    Event,
    Heartbeat,
    LearnerStarted,
    PolicyAcknowledged,
    PolicyPublished,
    Producer,
    encode,
)
from trajlog.serving.adapters import AdapterConfig, save_adapter
from trajlog.serving.client import EngineClient
from trajlog.serving.engine import run_engine
from trajlog.serving.gate import GatedEngine
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.server import EngineServer
from trajlog.serving.tokenizers import ByteTokenizer
from trajlog.serving.versions import PolicyVersions
from trajlog.serving.vllm_engine import VllmEngine
from trajlog.serving.wire import BadRequest, CompletionRequest, UnknownModel, policy_name
from trajlog.stream.control import ControlFollower
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

LEARNER = Producer("learner")
PROMPT = ByteTokenizer().encode("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n")
WAIT_S = 30.0


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        yield log


@pytest.fixture
def config(tmp_path: Path, log: Log) -> RunConfig:
    (tmp_path / "script.json").write_text(json.dumps([{"marker": "", "turns": ["hello"]}]))
    config = RunConfig(
        run_id="r",
        log=LogConfig(prefix="t", num_partitions=1),
        model=ModelConfig(name="byte"),
        engine=EngineConfig(kind="scripted", script=str(tmp_path / "script.json")),
        staleness=StalenessConfig(max_off_policy_steps=1),
    )
    log.create_topics(config.topics())
    return config


def append(log: Log, *events: Event) -> None:
    log.append("t.control", encode(events))


def epoch(number: int) -> LearnerStarted:
    return LearnerStarted(**LEARNER.stamp("r"), epoch=number, step=0)


def publish(run_dir: Path, version: int, *, of_epoch: int = 1, **changes: Any) -> PolicyPublished:
    uri = f"adapters/{version:06d}-{of_epoch}"
    tensors = {"x": torch.full((1, 2), 10.0 * of_epoch + version)}
    digest = save_adapter(run_dir / uri, tensors, AdapterConfig(r=1, lora_alpha=1.0, target_modules=("q_proj",)))
    fields = {"uri": uri, "sha256": digest, "policy_version": version, "epoch": of_epoch, **changes}
    return PolicyPublished(**LEARNER.stamp("r"), step=version, link="file", **fields)


def events_of(log: Log, topic: str, kind: type[Event]) -> list[Any]:
    with ControlFollower(log, topic, {kind.kind}) as follower:
        return [event for _, event in follower.catch_up() if isinstance(event, kind)]


def eventually(what: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + WAIT_S
    while not (found := what()):
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
    return found


def acknowledged(log: Log) -> list[int]:
    return [event.policy_version for event in events_of(log, "t.control", PolicyAcknowledged)]


@contextmanager
def role(log: Log, config: RunConfig, run_dir: Path) -> Iterator[None]:
    stop, failures = threading.Event(), []

    def run() -> None:
        try:
            with open_log(log.url) as own:
                run_engine(own, config, run_dir, stop)
        except BaseException as error:
            failures.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(WAIT_S)
        assert not thread.is_alive()
    if failures:
        raise failures[0]


def test_a_published_version_is_acknowledged_and_served_and_the_old_ones_retire(log, config, tmp_path) -> None:
    append(log, epoch(1))
    with role(log, config, tmp_path):
        for version in range(3):
            published = publish(tmp_path, version)
            append(log, published)
            eventually(lambda version=version: version in acknowledged(log))
        last = events_of(log, "t.control", PolicyAcknowledged)[-1]
        assert (last.policy_version, last.sha256) == (2, published.sha256)
        with EngineClient(last.endpoint) as client:
            assert client.health()
            eventually(lambda: client.models() == ["policy-000001", "policy-000002"])  # max_off_policy_steps + 1
            assert client.complete("policy-000002", PROMPT, 9).text == "hello"
            with pytest.raises(UnknownModel):
                client.complete("policy-000000", PROMPT, 9)
            with pytest.raises(BadRequest, match="takes its versions from the log"):
                client.load_adapter("policy-000003", tmp_path)
        eventually(lambda: events_of(log, "t.engines", Heartbeat)[-1].policy_version == 2)
    beats = events_of(log, "t.engines", Heartbeat)
    assert [beat.leaving for beat in beats[-2:]] == [False, True]
    assert {(beat.role, beat.endpoint) for beat in beats} == {("engine", last.endpoint)}
    assert acknowledged(log) == [0, 1, 2]


def test_an_engine_that_starts_late_or_again_serves_only_the_newest_version(log, config, tmp_path) -> None:
    append(log, epoch(1), *(publish(tmp_path, version) for version in range(3)))
    for starts in (1, 2):
        with role(log, config, tmp_path):
            eventually(lambda starts=starts: len(acknowledged(log)) == starts)
    assert acknowledged(log) == [2, 2]


def test_versions_of_an_epoch_that_was_replaced_are_ignored(log, config, tmp_path) -> None:
    append(log, epoch(1), publish(tmp_path, 0), epoch(2), publish(tmp_path, 1, of_epoch=2))
    append(log, publish(tmp_path, 2, of_epoch=1))
    with role(log, config, tmp_path):
        eventually(lambda: acknowledged(log))
        append(log, publish(tmp_path, 3, of_epoch=1), publish(tmp_path, 4, of_epoch=2))
        eventually(lambda: len(acknowledged(log)) == 2)
    assert acknowledged(log) == [1, 4]


@pytest.mark.parametrize(
    ("changes", "words"), [({"sha256": "0" * 64}, "has digest"), ({"uri": "adapters/none"}, "does not exist")]
)
def test_a_version_with_a_wrong_or_missing_adapter_is_not_served(log, config, tmp_path, caplog, changes, words) -> None:
    append(log, epoch(1), publish(tmp_path, 0))
    with role(log, config, tmp_path):
        eventually(lambda: acknowledged(log))
        with caplog.at_level(logging.ERROR):
            append(log, publish(tmp_path, 1, **changes))
            eventually(lambda: caplog.text)
        assert "policy version 1 is not served (versions [0] stay)" in caplog.text
        assert words in caplog.text
        append(log, publish(tmp_path, 2))
        eventually(lambda: len(acknowledged(log)) == 2)
    assert acknowledged(log) == [0, 2]


class _Recorder:
    """A log and a version host that write down what is done to them."""

    failure = None

    def __init__(self) -> None:
        self.done: list[str] = []

    def append(self, topic: str, records: list) -> None:
        self.done.append(f"append {topic} {records[0].headers[0][1]}")

    def load(self, name: str, path: Path) -> None:
        self.done.append(f"load {name} {path.name}")

    def route(self, name: str) -> None:
        self.done.append(f"route {name}")

    def retire(self, name: str) -> None:
        self.done.append(f"retire {name}")

    def close(self) -> None:
        self.done.append("close")


def test_a_version_is_loaded_then_acknowledged_then_routed(config, tmp_path) -> None:
    recorder = _Recorder()
    versions = PolicyVersions(recorder, config, tmp_path, recorder, Producer("e"), "http://e")  # type: ignore[arg-type]
    versions.see([publish(tmp_path, 3)])
    assert recorder.done == [
        "load policy-000003 000003-1",
        "append t.control policy_acknowledged",
        "route policy-000003",
    ]
    versions.see([publish(tmp_path, 2), publish(tmp_path, 3)])
    assert len(recorder.done) == 3, "an older or equal version changes nothing"


def test_a_loaded_version_cannot_be_asked_for_before_it_is_routed(tmp_path) -> None:
    publish(tmp_path, 0)
    gate = GatedEngine(ScriptedEngine(ByteTokenizer(), [Script("", ("hello",))]))
    request = CompletionRequest(model=policy_name(0), prompt=PROMPT, max_tokens=9)
    gate.load(policy_name(0), tmp_path / "adapters/000000-1")
    with pytest.raises(UnknownModel):
        gate.submit(request)
    gate.route(policy_name(0))
    assert gate.submit(request).result(1).text == "hello"


def test_a_port_in_use_stops_the_role_with_the_remedy(log, config, tmp_path) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        with pytest.raises(EngineError, match="--port"):
            run_engine(log, config, tmp_path, threading.Event(), port=holder.getsockname()[1])


def test_a_missing_model_stops_the_role_with_the_remedy(log, config, tmp_path) -> None:
    import msgspec

    config = msgspec.structs.replace(config, model=ModelConfig(name="/no/model"), engine=EngineConfig())
    with pytest.raises(ModelError, match="trajlog models fetch"):
        run_engine(log, config, tmp_path, threading.Event())


def test_an_address_with_a_login_is_not_advertised(log, config, tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"stored in the log for ever: give http://HOST:PORT alone") as refused:
        run_engine(log, config, tmp_path, threading.Event(), advertise="http://user:canary@host:1")
    assert "canary" not in str(refused.value)


def test_versions_are_loaded_into_a_server_beside_and_its_address_is_acknowledged(log, config, tmp_path) -> None:
    """The server is ours here: it speaks the same two calls as vLLM."""
    import msgspec

    with EngineServer(ScriptedEngine(ByteTokenizer(), [Script("", ("hello",))])) as server:
        beside = msgspec.structs.replace(config, engine=EngineConfig(kind="vllm", vllm_url=server.url))
        append(log, epoch(1), publish(tmp_path, 0))
        stop = threading.Event()
        stop.set()  # serve what is published, then end
        run_engine(log, beside, tmp_path, stop)
        (event,) = events_of(log, "t.control", PolicyAcknowledged)
        assert event.endpoint == server.url
        with EngineClient(server.url) as client:
            assert client.complete(policy_name(0), PROMPT, 9).text == "hello"


def test_routing_can_be_replayed_only_from_a_vllm_server_that_tells_it(log, config, tmp_path) -> None:
    """The server is ours here: it tells routing in the same form as vLLM, and lists its base model."""
    import msgspec

    stop = threading.Event()
    stop.set()
    script = [Script("", ("hello",))]
    with (
        EngineServer(ScriptedEngine(ByteTokenizer(), script, names=["base"])) as silent,
        EngineServer(RoutingEngine(ByteTokenizer(), script, names=["base"])) as telling,
    ):
        replaying = {
            server: msgspec.structs.replace(
                config,
                engine=EngineConfig(kind="vllm", vllm_url=server.url),
                router_replay=RouterReplayConfig(directory=str(tmp_path / "routing")),
            )
            for server in (silent, telling)
        }
        with pytest.raises(EngineError, match="Start it with --enable-return-routed-experts"):
            run_engine(log, replaying[silent], tmp_path, stop)
        run_engine(log, replaying[telling], tmp_path, stop)


def test_a_vllm_server_with_the_same_version_of_another_run_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EngineClient, "adapter_paths", lambda self: {"policy-000000": "/other/000000"})
    monkeypatch.setattr(EngineClient, "health", lambda self: True)
    engine = VllmEngine("http://127.0.0.1:9")
    with pytest.raises(EngineError, match="restart the server"):
        engine.load("policy-000000", Path("/mine/000000"))
    engine.load("policy-000000", Path("/other/000000"))
    assert engine.failure is None
    monkeypatch.setattr(EngineClient, "adapter_paths", lambda self: {})
    assert engine.failure is not None
    assert "has lost ['policy-000000']" in engine.failure
    engine.close()
