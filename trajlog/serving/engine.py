"""The engine role: serves the policy to workers and takes its versions from the log.

Consumes policy_published on `.control`; produces policy_acknowledged there and heartbeats on `.engines`; waits for
the learner's first version; is unblocked by policy_published. Killed at any instant and started again, it reads
`.control` from its beginning and serves, and acknowledges again, the newest version.

Versions of a learner's epoch that a newer one replaced are ignored. A version whose adapter is missing, broken or has
another digest is not served: the reason is logged, and the versions before it stay.
"""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from trajlog.config import RunConfig
from trajlog.errors import ConfigError, EngineError
from trajlog.schemas import Heartbeat, PolicyPublished, Producer, encode
from trajlog.serving.gate import GatedEngine
from trajlog.serving.models import resolve_model
from trajlog.serving.scripted_engine import ScriptedEngine, read_scripts
from trajlog.serving.server import EngineServer, listen
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.versions import PolicyVersions, VersionHost
from trajlog.serving.vllm_engine import VllmEngine
from trajlog.serving.wire import Engine
from trajlog.stream.control import ControlFollower, Stop
from trajlog.stream.log import Log

POLL_S = 0.2
HEARTBEAT_S = 5.0


def run_engine(
    log: Log,
    config: RunConfig,
    run_dir: Path,
    stop: Stop,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    advertise: str | None = None,
) -> None:
    """Serve until `stop` is set. `advertise`: URL that workers reach this engine by, None = the one it listens on.

    `run_dir`: where a relative adapter uri lies. Raises ModelError, ConfigError, LogError; EngineError when the
    address is taken or the engine fails.
    """
    if advertise is not None and "@" in advertise:
        raise ConfigError(
            "--advertise holds a login (something before an @), and the address is stored in the log for ever: give "
            "http://HOST:PORT alone"
        )
    producer = Producer(f"engine-{socket.gethostname()}-{os.getpid()}")
    control = config.topic("control")
    with (
        ControlFollower(log, control, {PolicyPublished.kind}, run_id=config.run_id) as follower,
        _serving(config, host, port) as (version_host, url),
    ):
        endpoint = advertise or url
        versions = PolicyVersions(log, config, run_dir, version_host, producer, endpoint)
        versions.see(event for _, event in follower.catch_up())
        last_beat, said = float("-inf"), None
        while not stop.is_set():
            versions.see(event for _, event in follower.poll(POLL_S))
            newest = versions.served[-1] if versions.served else None
            if newest != said or time.monotonic() - last_beat >= HEARTBEAT_S:
                if (failure := version_host.failure) is not None:
                    raise EngineError(f"{failure}. Start the engine again; it takes up the newest version.")
                _beat(log, config, producer, endpoint, newest, leaving=False)
                last_beat, said = time.monotonic(), newest
        _beat(log, config, producer, endpoint, said, leaving=True)


@contextmanager
def _serving(config: RunConfig, host: str, port: int) -> Iterator[tuple[VersionHost, str]]:
    """The engine that the settings name, reachable at the URL given beside it."""
    if config.engine.kind == "vllm":
        server = VllmEngine(config.engine.vllm_url)
        try:
            if config.router_replay.directory:
                server.require_routed_experts()
            yield server, config.engine.vllm_url
        finally:
            server.close()
        return
    # The address first: a port in use should not cost the time that a model takes to load.
    listener = listen(host, port)
    with closing(listener):
        gate = GatedEngine(_make_engine(config))
        with closing(gate), EngineServer(gate, host, listener=listener) as http:
            yield gate, http.url


def _make_engine(config: RunConfig) -> Engine:
    tokenizer = load_tokenizer(config.model.name)
    if config.engine.kind == "scripted":
        return ScriptedEngine(tokenizer, read_scripts(Path(config.engine.script)))
    try:
        import torch

        from trajlog.serving.transformers_engine import TransformersEngine
    except ImportError as error:
        raise ConfigError(f"the transformers engine needs {error.name}: pip install 'trajlog[serving]'") from error
    # Threads wait for each other in every layer: one that lacks a core stalls all (seen: 2 threads on 2 busy cores gave
    # a fifth of 1 thread's tokens). Half the cores are left to sandboxes and the learner.
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // 2))
    return TransformersEngine(
        resolve_model(config.model.name),
        tokenizer,
        dtype=config.model.dtype,
        max_batch=config.engine.max_batch,
        prefix_cache_tokens=config.engine.prefix_cache_tokens,
        routed_experts=bool(config.router_replay.directory),
    )


def _beat(log: Log, config: RunConfig, producer: Producer, endpoint: str, newest: int | None, *, leaving: bool) -> None:
    heartbeat = Heartbeat(
        **producer.stamp(config.run_id),
        role="engine",
        num_slots=config.engine.max_batch,
        running=(),
        finished=(),
        policy_version=newest,
        endpoint=endpoint,
        leaving=leaving,
    )
    log.append(config.topic("engines"), encode([heartbeat]))
