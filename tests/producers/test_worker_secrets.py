"""What the worker's environment holds reaches no event, no log file and no archive, whatever its tools look at."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import psutil

from trajlog.config import EpisodeConfig, LogConfig, ModelConfig, RunConfig, SamplingConfig
from trajlog.schemas import (
    KINDS,
    EpisodeAssigned,
    EpisodeFinished,
    Event,
    Heartbeat,
    Observation,
    PolicyAcknowledged,
    Producer,
    encode,
)
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.server import EngineServer
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.wire import policy_name
from trajlog.stream.archive import Archive
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archiver import archive_location, run_archiver
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

ROOT = Path(__file__).parents[2]
CANARY = "canary-9b1f44e07d"
LOOKS = (
    "env; export -p; set",
    "cat /proc/self/environ /proc/$PPID/environ | tr '\\0' '\\n'",
    "python -c 'import os; print(dict(os.environ))'",
    "ls -A ~ $TMPDIR; cat ~/.netrc ~/.aws/credentials",
)
CALLS = [
    *({"name": "bash", "arguments": {"command": command}} for command in LOOKS),
    {"name": "run_tests", "arguments": {}},
    {"name": "done", "arguments": {}},
]
CONFIG = RunConfig(
    run_id="r",
    log=LogConfig(prefix="p", num_partitions=1),
    model=ModelConfig(name="byte"),
    episode=EpisodeConfig(
        tasks=str(ROOT / "examples" / "demo_tasks"), task_ids=("cart",), sandbox="local", turn_limit=len(CALLS)
    ),
    sampling=SamplingConfig(max_tokens=2000),
)
TOPICS = ("rollouts", "control", "liveness", "groups")
SECRETS = {
    "TRAJLOG_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
    "TRAJLOG_KAFKA_SASL_MECHANISM": "PLAIN",
    "TRAJLOG_KAFKA_USERNAME": "worker",
    "TRAJLOG_KAFKA_PASSWORD": CANARY,
    "AWS_SECRET_ACCESS_KEY": CANARY,
    "HF_TOKEN": CANARY,
    "MY_OWN_SECRET": CANARY,
}


def events(log: Log, topic: str, *kinds: type[Event]) -> list[Event]:
    with ControlFollower(log, f"p.{topic}", {kind.kind for kind in kinds}) as follower:
        return [event for _, event in follower.catch_up()]


def until(condition, worker):
    deadline = time.monotonic() + 60
    while not (answer := condition()):
        assert worker.poll() is None, worker.returncode
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer


def rows(run_dir: Path) -> list[str]:
    """Every row of the archive, all columns."""
    with duckdb.connect() as connection:
        create_events_view(connection, "a", Archive(archive_location(run_dir)).files())
        return [repr(row) for row in connection.execute("SELECT * FROM a").fetchall()]


def test_a_secret_in_the_workers_environment_is_in_no_event_no_log_file_and_no_archive(tmp_path):
    url = f"sqlite:///{tmp_path}/log.db"
    script = Script("", tuple(f"<tool_call>{json.dumps(call)}</tool_call>" for call in CALLS))
    engine = ScriptedEngine(load_tokenizer("byte"), [script], names=[policy_name(3)])
    output = tmp_path / "worker.log"
    command = [sys.executable, "-m", "trajlog", "worker", "--log", url, "--slots", "1"]
    with open_log(url, create=True) as log, EngineServer(engine) as server, output.open("wb") as out:
        start_run(log, CONFIG, Producer("test"))
        ready = PolicyAcknowledged(
            **Producer("engine").stamp("r"), engine="e", endpoint=server.url, policy_version=3, sha256="ab" * 32
        )
        log.append("p.control", encode([ready]))
        worker = subprocess.Popen(
            [*command, "--engine", server.url], stdout=out, stderr=out, cwd=ROOT, env=os.environ | SECRETS
        )
        try:
            beat = until(lambda: events(log, "liveness", Heartbeat), worker)[0]
            assert psutil.Process(worker.pid).environ().items() >= SECRETS.items()
            stamp = Producer("scheduler").stamp("r", group_id="g", episode_id="e1")
            assigned = EpisodeAssigned(**stamp, epoch=1, worker=beat.producer, task_id="cart", attempt=0)
            log.append("p.control", encode([assigned]))
            until(lambda: events(log, "rollouts", EpisodeFinished), worker)
        finally:
            worker.terminate()
            worker.wait(60)
        looked = [event.content for event in events(log, "rollouts", Observation)]
        stored = [repr(event) for topic in TOPICS for event in events(log, topic, *KINDS.values())]
        stop = threading.Event()
        stop.set()
        run_archiver(log, CONFIG, tmp_path, stop)
    assert worker.returncode == 0, output.read_text()
    assert len(looked) == len(CALLS)
    assert "HOME=" in looked[0]
    assert looked[1].count("TRAJLOG_SANDBOX_ID=") == 2
    assert "PYTHONHASHSEED" in looked[2]
    assert any("TRAJLOG_SANDBOX_ID" in event for event in stored)
    assert not [event for event in stored if CANARY in event]
    archived = rows(tmp_path)
    assert any("TRAJLOG_SANDBOX_ID" in row for row in archived)
    assert not [row for row in archived if CANARY in row]
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"worker.log", "log.db"} < {path.name for path in files}
    assert not [path for path in files if CANARY.encode() in path.read_bytes()]
