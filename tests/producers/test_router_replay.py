"""Routing from the engine's answer to the generation event: which rows, in which order with the event, and its lack."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections import defaultdict
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.harness.tiny_task import CALC
from tests.producers.test_agent import call, of
from tests.producers.test_conversation import Rewriting
from tests.producers.test_worker import CONFIG, TOKENIZER, TURNS, acknowledge, assign, events, told, until, working
from tests.serving.routing_engine import RoutingEngine, row, rows_of
from tests.stream.roles import role_thread
from trajlog.analytics.query import connect
from trajlog.config import EpisodeConfig, LearnerConfig, RouterReplayConfig, RunConfig, SamplingConfig
from trajlog.errors import LogFull, ModelError
from trajlog.producers.agent import Assignment, Episode
from trajlog.schemas import EpisodeStarted, Generation, PolicyAcknowledged, Producer, TrainStep, encode
from trajlog.serving.client import EngineClient
from trajlog.serving.routed_experts import first_position, load_routed_experts
from trajlog.serving.scripted_engine import Script, ScriptedEngine
from trajlog.serving.server import EngineServer
from trajlog.serving.wire import policy_name
from trajlog.stream.archiver import run_archiver
from trajlog.stream.control import start_run
from trajlog.stream.curriculum import CurriculumTask
from trajlog.stream.open import open_log
from trajlog.stream.scheduler import run_scheduler
from trajlog.stream.verify import verify

ROOT = Path(__file__).parents[2]


def side_files(directory):
    return {str(path) for path in Path(directory).rglob("*") if path.is_file()}


def played(engine, directory, tokenizer=TOKENIZER, max_tokens=2000, append=None):
    """The events of one episode against an engine behind HTTP."""
    appended = []
    config = RunConfig(
        run_id="r",
        episode=EpisodeConfig(turn_limit=4, context_limit=16_000, sandbox="local"),
        sampling=SamplingConfig(max_tokens=max_tokens),
        learner=LearnerConfig(max_tokens_per_microbatch=60_000),
        router_replay=RouterReplayConfig(directory=str(directory)),
    )
    with EngineServer(engine) as server, EngineClient(server.url) as client:

        def sample(prompt, room):
            start = first_position(prompt.prefix_len)
            return 7, client.complete("m", prompt.token_ids, room, routed_experts_start=start)

        assignment = Assignment("r", "g", "e", CALC, 0)
        Episode(assignment, config, tokenizer, Producer("w"), append or appended.extend, sample, 7).run()
    return appended


TEXTS = st.text(st.characters(codec="ascii", exclude_characters="<>|"), max_size=8)
TURN = st.one_of(
    TEXTS, st.builds(lambda text: text + call("read_file", '{"path": "calc.py"}'), TEXTS), st.just(call("done"))
)


class Rewritten(Rewriting):
    tool_format = TOKENIZER.tool_format


@pytest.mark.parametrize("tokenizer", [TOKENIZER, Rewritten()], ids=["one chain", "chains that are rewritten"])
@given(turns=st.lists(TURN, min_size=1, max_size=4), max_tokens=st.sampled_from([1, 5, 2000]))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_side_files_of_a_chain_cover_all_its_positions_but_the_last(tokenizer, turns, max_tokens, tmp_path):
    engine = RoutingEngine(TOKENIZER, [Script("", tuple(turns))], names=["m"])
    generations = of(played(engine, tmp_path, tokenizer, max_tokens), Generation)
    tokens, rows = defaultdict(list), defaultdict(list)
    for event in generations:
        tokens[event.chain] += [*event.prompt_token_ids, *event.token_ids]
        routed = load_routed_experts(event.routed_experts_uri, event.routed_experts_sha256)
        assert first_position(event.prefix_len) == len(rows[event.chain])
        rows[event.chain] += rows_of(routed)
    assert generations
    for chain, whole in tokens.items():
        assert rows[chain] == [row(*place) for place in enumerate(whole[:-1])]


def test_a_rewritten_chain_begins_its_files_at_position_0(tmp_path):
    engine = RoutingEngine(TOKENIZER, [Script("", ("a", "b", call("done")))], names=["m"])
    generations = of(played(engine, tmp_path, Rewritten()), Generation)
    assert [(event.chain, event.prefix_len) for event in generations] == [(0, 0), (1, 0), (2, 0)]
    assert engine.starts == [0, 0, 0]
    for event in generations:
        tokens = [*event.prompt_token_ids, *event.token_ids]
        routed = load_routed_experts(event.routed_experts_uri, event.routed_experts_sha256)
        assert rows_of(routed) == [row(*place) for place in enumerate(tokens[:-1])]


def test_the_side_file_is_written_before_the_event_that_names_it(tmp_path):
    def append(batch):
        if isinstance(batch[0], Generation):
            assert side_files(tmp_path) == {batch[0].routed_experts_uri}
            raise LogFull("no space")

    engine = RoutingEngine(TOKENIZER, [Script("", TURNS)], names=["m"])
    with pytest.raises(LogFull):
        played(engine, tmp_path, append=append)
    assert len(side_files(tmp_path)) == 1


def test_a_side_file_that_cannot_be_written_leaves_no_event_behind_it(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    appended = []
    engine = RoutingEngine(TOKENIZER, [Script("", TURNS)], names=["m"])
    with pytest.raises(ModelError, match="cannot write"):
        played(engine, tmp_path / "file", append=appended.extend)
    assert [type(event) for event in appended] == [EpisodeStarted]


@pytest.fixture
def log(tmp_path):
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as opened:
        opened.create_topics(CONFIG.topics())
        yield opened


def replaying(directory):
    return msgspec.structs.replace(CONFIG, router_replay=RouterReplayConfig(directory=str(directory)))


def generations_of(log, engine, config, *episodes):
    """What a worker appends of those episodes, and what it says."""
    said = []
    with EngineServer(engine) as server, working(log, server, said.append, config) as worker:
        acknowledge(log, server)
        assign(log, worker, *episodes)
        until(lambda: told(log) == set(episodes))
    return events(log, "rollouts", Generation), [line for line in said if "routing" in line]


def test_a_worker_asks_for_the_rows_it_lacks_and_names_the_files(log, tmp_path):
    engine = RoutingEngine(TOKENIZER, [Script("", TURNS)], names=[policy_name(3)])
    (first, second), said = generations_of(log, engine, replaying(tmp_path / "routing"), "e1")
    assert engine.starts == [0, second.prefix_len - 1]
    assert side_files(tmp_path / "routing") == {first.routed_experts_uri, second.routed_experts_uri}
    with connect(tmp_path / "run", log) as con:
        named = con.sql("SELECT routed_experts_uri, routed_experts_sha256 FROM generations ORDER BY turn").fetchall()
    assert named == [(event.routed_experts_uri, event.routed_experts_sha256) for event in (first, second)]
    rows = [
        *rows_of(load_routed_experts(first.routed_experts_uri, first.routed_experts_sha256)),
        *rows_of(load_routed_experts(second.routed_experts_uri, second.routed_experts_sha256)),
    ]
    chain = [*first.prompt_token_ids, *first.token_ids, *second.prompt_token_ids, *second.token_ids]
    assert rows == [row(*place) for place in enumerate(chain[:-1])]
    assert said == []


def test_the_documented_query_lists_the_files_that_no_group_still_needs(log, tmp_path):
    engine = RoutingEngine(TOKENIZER, [Script("", TURNS)], names=[policy_name(3)])
    generations, _ = generations_of(log, engine, replaying(tmp_path / "routing"), "e1")
    text = (ROOT / "docs" / "delivery.md").read_text(encoding="utf-8")
    (query,) = re.findall(r'trajlog sql --format csv "(SELECT routed_experts_uri [^"]+)"', text)
    with connect(tmp_path / "run", log) as con:
        assert con.execute(query).fetchall() == []
    step = TrainStep(
        **Producer("learner").stamp("r"),
        epoch=1,
        step=1,
        policy_version=1,
        groups_trained=("g",),
        groups_rejected=(),
        metrics={},
        offsets={},
        batch_sha256="a" * 64,
        duration_s=1.0,
    )
    log.append("p.control", encode([step]))
    with connect(tmp_path / "run", log) as con:
        listed = {uri for (uri,) in con.execute(query).fetchall()}
    assert listed == {event.routed_experts_uri for event in generations}


def test_without_the_setting_nothing_is_asked_for_or_written(log, tmp_path):
    engine = RoutingEngine(TOKENIZER, [Script("", TURNS)], names=[policy_name(3)])
    before = {path.name for path in tmp_path.iterdir()}
    generations, said = generations_of(log, engine, CONFIG, "e1")
    assert {(event.routed_experts_uri, event.routed_experts_sha256) for event in generations} == {(None, None)}
    assert engine.starts == [None, None]
    assert {path.name for path in tmp_path.iterdir()} == before
    assert said == []


class StandIns(RoutingEngine):
    """Has no routing of the prompt's first position, as out of a prefix cache."""

    def submit(self, request):
        future = super().submit(request)
        routed = future.result().routed_experts
        size = len(routed.data) // routed.shape[0]
        broken = msgspec.structs.replace(routed, data=b"\xff" * size + routed.data[size:])
        completion, future = future.result(), type(future)()
        future.set_result(msgspec.structs.replace(completion, routed_experts=broken))
        return future


@pytest.mark.parametrize(
    ("engine", "files", "words"),
    [
        (ScriptedEngine, 0, "its answers have no routed experts. A vLLM server needs --enable-return-routed-experts"),
        (StandIns, 3, "numbers from -1 to"),
    ],
)
def test_a_worker_without_routing_says_so_once_and_plays_on(log, tmp_path, engine, files, words):
    played_by = engine(TOKENIZER, [Script("", TURNS)], names=[policy_name(3)])
    generations, said = generations_of(log, played_by, replaying(tmp_path / "routing"), "e1", "e2", "e3")
    assert len(generations) == 6
    assert sum(event.routed_experts_uri is not None for event in generations) == files
    assert all(event.routed_experts_uri is None for event in generations if event.turn == 0)
    (line,) = said
    assert "(said once)" in line
    assert words in line


DIES = """
import os, signal, sys
from trajlog.producers import agent

saved = agent.save_routed_experts

def save_and_die(directory, routed):
    saved(directory, routed)
    os.kill(os.getpid(), signal.SIGKILL)

agent.save_routed_experts = save_and_die
from trajlog.cli import main
main()
"""


def test_a_worker_killed_between_side_file_and_event_leaves_a_log_that_verifies(tmp_path):
    tasks = ROOT / "examples" / "demo_tasks"
    config = msgspec.structs.replace(
        replaying(tmp_path / "routing"),
        episode=EpisodeConfig(tasks=str(tasks), task_ids=("cart",), sandbox="local", turn_limit=3),
    )
    url = f"sqlite:///{tmp_path}/log.db"
    engine = RoutingEngine(TOKENIZER, [Script("", (call("done"),))], names=[policy_name(3)])
    with open_log(url, create=True) as log, EngineServer(engine) as server:
        start_run(log, config, Producer("test"))
        stamp = Producer("engine").stamp("r")
        served = PolicyAcknowledged(**stamp, engine="e", endpoint=server.url, policy_version=3, sha256="ab" * 32)
        log.append("p.control", encode([served]))
        with role_thread(url, lambda own, stop: run_scheduler(own, config, [CurriculumTask("cart")], stop)):
            arguments = ["worker", "--log", url, "--slots", "1", "--engine", server.url, "--name", "killed"]
            died = subprocess.run([sys.executable, "-c", DIES, *arguments], cwd=ROOT, timeout=120)
        assert died.returncode == -signal.SIGKILL
        (file,) = side_files(tmp_path / "routing")
        assert file.endswith(".safetensors")
        assert len(events(log, "rollouts", EpisodeStarted)) == 1
        assert events(log, "rollouts", Generation) == []
        stop = threading.Event()
        stop.set()  # archive what is there, then end
        run_archiver(log, config, tmp_path, stop)
        report = verify(log, config, tmp_path)
    assert report.ok, json.dumps(msgspec.to_builtins(report))
