"""A worker process killed by SIGKILL in the middle of its episodes: what it costs its group, with real roles."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.stream.roles import role_thread, until
from trajlog.config import (
    EpisodeConfig,
    GroupConfig,
    LogConfig,
    ModelConfig,
    RunConfig,
    SamplingConfig,
    SchedulerConfig,
)
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeVerdict,
    GroupVerdict,
    Heartbeat,
    PolicyAcknowledged,
    Producer,
    ToolCall,
    encode,
)
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.server import EngineServer
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.wire import policy_name
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import ControlFollower, Followed, start_run
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.open import open_log
from trajlog.stream.scheduler import run_scheduler

ROOT = Path(__file__).parents[2]
TASKS = ROOT / "examples" / "demo_tasks"
LEASE_S = 5.0
CONFIG = RunConfig(
    run_id="r",
    log=LogConfig(prefix="p", num_partitions=1),
    model=ModelConfig(name="byte"),
    episode=EpisodeConfig(tasks=str(TASKS), task_ids=("cart",), sandbox="local", turn_limit=3),
    sampling=SamplingConfig(max_tokens=2000),
    group=GroupConfig(group_size=3, min_group_size=2),
    scheduler=SchedulerConfig(lease_s=LEASE_S, max_episodes=3),
)


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_costs_one_lease_and_its_group_is_sealed_full(tmp_path):
    """Two of a group's three episodes hang in a tool call when their worker dies; another worker plays the group out.
    One episode of the group is solved, so that it has something to learn from."""
    url, go = f"sqlite:///{tmp_path}/log.db", tmp_path / "go"
    bash = (
        f"[ -e {go} ] || sleep 60; if mkdir {tmp_path}/solved 2>/dev/null; then cp {TASKS}/cart/solution/cart.py .; fi"
    )
    calls = [{"name": "bash", "arguments": {"command": bash}}, {"name": "done", "arguments": {}}]
    script = Script("", tuple(f"<tool_call>{json.dumps(call)}</tool_call>" for call in calls))
    engine = ScriptedEngine(load_tokenizer("byte"), [script], names=[policy_name(3)])
    tasks = [CurriculumTask("cart")]

    def worker(name):
        arguments = ["--log", url, "--slots", "2", "--engine", server.url, "--name", name]
        return subprocess.Popen([sys.executable, "-m", "trajlog", "worker", *arguments], cwd=ROOT)

    with open_log(url, create=True) as log, EngineServer(engine) as server:
        start_run(log, CONFIG, Producer("test"))
        stamp = Producer("engine").stamp("r")
        served = PolicyAcknowledged(**stamp, engine="e", endpoint=server.url, policy_version=3, sha256="ab" * 32)
        log.append("p.control", encode([served]))

        def read(topic, kind) -> list[Followed]:
            with ControlFollower(log, f"p.{topic}", {kind.kind}) as follower:
                return [found for found in follower.catch_up() if isinstance(found.event, kind)]

        with (
            role_thread(url, lambda own, stop: run_scheduler(own, CONFIG, tasks, stop)),
            role_thread(url, lambda own, stop: run_assembler(own, CONFIG, stop)),
        ):
            workers = [worker("killed")]
            try:
                until(lambda: len(read("rollouts", ToolCall)) == 2)
                workers[0].kill()
                workers[0].wait()
                go.touch()
                workers.append(worker("other"))
                (closed,) = until(lambda: read("control", GroupVerdict))
            finally:
                for process in workers:
                    process.terminate()
                    process.wait(60)
        assigned = [event for _, event in read("control", EpisodeAssigned)]
        judged = read("control", EpisodeVerdict)
        last_heard = max(
            r.append_time for r, event in read("liveness", Heartbeat) if event.producer.startswith("killed")
        )
    by_worker = Counter(event.worker.partition("/")[0] for event in assigned)
    assert by_worker == {"killed": 2, "other": 3}
    assert {event.group_id for event in assigned} == {closed.event.group_id}
    assert (closed.event.verdict, closed.event.reason) == ("sealed", "full")
    assert closed.event.numbers["members"] == 3
    ends = {event.episode_id: event.verdict for _, event in judged}
    assert len(ends) == len(judged) == 5
    lost = {event.episode_id for event in assigned if event.worker.startswith("killed")}
    assert {name for name, end in ends.items() if end == "abandoned"} == lost
    assert Counter(ends.values()) == {"abandoned": 2, "sealed": 3}
    silent_s = [(r.append_time - last_heard).total_seconds() for r, event in judged if event.episode_id in lost]
    assert all(LEASE_S <= waited < 2 * LEASE_S for waited in silent_s)
