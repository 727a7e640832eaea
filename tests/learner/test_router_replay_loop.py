"""Recorded routing from a worker's events through assembler, learner and archive, and to the proof of a step."""

import threading
from itertools import cycle
from pathlib import Path

import msgspec
import pytest
import torch

import trajlog.learner.loop as loop
from tests.learner.groups import simple_group
from tests.learner.learner_process import make_config, make_learner, make_log
from tests.learner.lives import NAMES, Killed, check, events, fill, killer
from tests.learner.routing import drawn, recorded, recorded_episode, side_file
from tests.learner.tiny import TARGETS, tiny_qwen3_moe
from tests.stream import stream_events
from tests.stream.roles import role_thread, until, verdicts
from tests.stream.stream_events import episode
from trajlog.config import RouterReplayConfig
from trajlog.errors import ConfigError, ModelError
from trajlog.learner.loop import Learner
from trajlog.learner.policy import PolicyModel
from trajlog.learner.replay_step import replay_step
from trajlog.schemas import Generation, Producer, TrainStep, encode
from trajlog.stream.archive_records import RecordedArchive
from trajlog.stream.archiver import run_archiver
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import start_run
from trajlog.stream.open import open_log
from trajlog.stream.recorded import RecordedLog, recorded_config

pytestmark = pytest.mark.usefixtures("one_thread")
EXPERTS = ("gate_proj", "up_proj", "down_proj")


def replaying(path: Path, **learner):
    config = make_config(max_steps=2, lora_targets=TARGETS + EXPERTS, **learner)
    return msgspec.structs.replace(config, router_replay=RouterReplayConfig(directory=str(path / "routed")))


def learn(log, config, directory: Path, at: int = -1) -> bool:
    """One life of a learner of a tiny mixture; whether it reached its end."""
    policy = PolicyModel(tiny_qwen3_moe(), config.learner.lora_targets)
    try:
        Learner(log, config, policy, directory, on_durable=killer(at)).run(threading.Event())
    except Killed:
        return False
    return True


def steps(log, config) -> list[TrainStep]:
    return [event for event in events(log, config) if isinstance(event, TrainStep)]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, one_thread):
    """Four groups of four by real roles; of two turns in each step there is no side file, or none any more."""
    path = tmp_path_factory.mktemp("replaying")
    config = replaying(path)
    config = msgspec.structs.replace(config, run_id="r")
    given, told, lost = [], [], []
    real = loop.step_tensors
    with pytest.MonkeyPatch.context() as patch, open_log(f"sqlite:///{path}/log.db", create=True) as log:
        patch.setattr(loop, "step_tensors", lambda *args: given.append(real(*args)) or given[-1])
        patch.setattr(loop._logger, "warning", lambda text, *args: told.append(text % args))
        patch.setattr(stream_events, "_tokens", cycle(range(2, 500)))
        start_run(log, config, Producer("test"))
        for group in range(4):
            for member in range(4):
                played = episode(f"g{group}", f"g{group}e{member}", reward=float(member % 2), versions=(0, 0, 0))
                played = recorded_episode(played, path / "routed", seed=1000 * group + 100 * member)
                turns = [event for event in played if isinstance(event, Generation)]
                if (group, member) == (0, 1):
                    place = played.index(turns[1])
                    played[place] = msgspec.structs.replace(
                        turns[1], routed_experts_uri=None, routed_experts_sha256=None
                    )
                if member == 2:
                    lost.append(Path(turns[2].routed_experts_uri))
                log.append(config.topic("rollouts"), encode(played))
        with role_thread(log.url, lambda own, stop: run_assembler(own, config, stop)):
            until(lambda: len(verdicts(log, config)[2]) == 4)
        for file in lost[:3]:
            file.unlink()
        assert learn(log, config, path / "learner")
        stop = threading.Event()
        stop.set()
        run_archiver(log, config, path, stop)
        metrics = [step.metrics for step in steps(log, config)]
    return path, given, told, metrics, lost


def test_turns_without_a_record_train_are_counted_and_told_once_a_step(run) -> None:
    _, _, told, metrics, lost = run
    assert [step["num_turns_without_routing"] for step in metrics] == [3.0, 1.0]
    first, second = [text for text in told if "recorded routing" in text]
    assert first.startswith("step 1 trains turns without recorded routing")
    assert "the first is turn 1 of episode g0e1: its generation names no side file" in first
    assert f"the first is turn 2 of episode g2e2: {lost[2]} does not exist. Copy it back" in second
    assert all(0.0 < step["routing_agreement"] < 0.5 for step in metrics)  # drawn at random: 1 of 28 sets


def test_the_rows_trained_are_those_of_the_side_files(run) -> None:
    _, given, _, _, _ = run
    rows = given[0]["routed_experts"].split(given[0]["routed_lengths"].tolist())
    assert len(rows) == 8
    first = torch.cat([drawn(count, seed=number) for number, count in ((1, 4), (4, 5), (7, 5))])
    assert torch.equal(rows[0][:-1], first)
    assert torch.equal(rows[1][:4], drawn(4, seed=101))
    assert (rows[1][4:9] == -1).all()
    assert torch.equal(rows[1][9:14], drawn(5, seed=107))


@pytest.mark.parametrize("number", [1, 2])
def test_a_replayed_step_is_proven_from_the_log_and_from_the_archive(run, number: int) -> None:
    path, given, _, _, _ = run
    with open_log(f"sqlite:///{path}/log.db") as log, RecordedArchive(path) as archive:
        for source in (RecordedLog(log, "test"), archive):
            manifest, tensors = replay_step([source], recorded_config(source), number)
            assert (manifest.differences, manifest.proven) == ((), True)
            assert tensors.keys() == given[number - 1].keys()
            assert all(torch.equal(tensors[name], made) for name, made in given[number - 1].items())


def test_a_side_file_lost_since_is_named(run) -> None:
    path, _, _, _, lost = run
    content = lost[3].read_bytes()
    lost[3].unlink()
    try:
        with open_log(f"sqlite:///{path}/log.db") as log:
            source = RecordedLog(log, "test")
            manifest, _ = replay_step([source], recorded_config(source), 2)
    finally:
        lost[3].write_bytes(content)
    array, gone = manifest.differences
    assert array == "the array routed_experts"
    assert gone.startswith("recorded routing that is not there any more, of 2 turns: turn 2 of episode g2e2")


@pytest.mark.parametrize("at", [3, 4])
def test_killed_and_restarted_it_trains_the_same(tmp_path: Path, at: int) -> None:
    published = []
    for name, kill in (("whole", -1), ("killed", at)):
        path = tmp_path / name
        path.mkdir()
        config = replaying(tmp_path)
        with make_log(path, config) as log:
            fill(log, config, [recorded(simple_group(g), tmp_path, seed=n) for n, g in enumerate(NAMES)])
            assert learn(log, config, path / "learner", kill) == (kill == -1)
            if kill != -1:
                assert learn(log, config, path / "learner")
            published.append([event.sha256 for event in check(log, config, num_groups=4)])
            digests = [step.batch_sha256 for step in steps(log, config)]
    assert published[0] == published[1]
    assert len(set(digests)) == 2


def test_a_side_file_of_another_model_stops_the_learner_before_the_step(tmp_path: Path) -> None:
    config = replaying(tmp_path)
    group = recorded(simple_group("g0"), tmp_path)
    uri, sha256 = side_file(tmp_path, drawn(7, 0)[:, :1])
    first = msgspec.structs.replace(group.routed_experts[0], uri=uri, sha256=sha256)
    group = msgspec.structs.replace(group, routed_experts=(first, *group.routed_experts[1:]))
    with make_log(tmp_path, config) as log:
        fill(log, config, [group, simple_group("g1")])
        with pytest.raises(ModelError, match="has 1 layers with 2 experts a token, the model has 2 with 2") as raised:
            learn(log, config, tmp_path / "learner")
        assert steps(log, config) == []
    assert uri in str(raised.value)


def test_a_dense_model_is_refused(tmp_path: Path) -> None:
    config = msgspec.structs.replace(make_config(), router_replay=RouterReplayConfig(directory=str(tmp_path)))
    with make_log(tmp_path, config) as log, pytest.raises(ConfigError, match="no routers to replay: take it out"):
        make_learner(log, config, tmp_path / "learner")
