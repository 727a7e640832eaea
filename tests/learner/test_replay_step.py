"""The tensors of a step come again, bit for bit, from the log and from the archive; and what differs is named."""

import json
import shutil
import threading
from itertools import cycle
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from typer.testing import CliRunner

import trajlog.learner.loop as loop
from tests.learner.learner_process import make_config, make_learner
from tests.stream import stream_events
from tests.stream.roles import role_thread, until, verdicts
from tests.stream.stream_events import episode
from trajlog.cli import app
from trajlog.config import RunConfig
from trajlog.errors import ConfigError
from trajlog.learner.replay_step import find_step, replay_step, write_step
from trajlog.learner.skipped import read_skipped
from trajlog.learner.tensors import tensor_digests
from trajlog.schemas import LearnerStarted, Producer, RejectedGroup, TrainStep, encode
from trajlog.stream.archive_records import RecordedArchive
from trajlog.stream.archiver import run_archiver
from trajlog.stream.assembler import run_assembler
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log
from trajlog.stream.recorded import RecordedLog, recorded_config
from trajlog.stream.replay_events import replay_events

PRODUCER = Producer("test")


def fill(log: Log, config: RunConfig) -> None:
    """Four groups of four, sealed by the real assembler; some turns are too old for the second step."""
    start_run(log, config, PRODUCER)
    for group in range(4):
        for member in range(4):
            versions = (0, 0, group // 2)[: 1 + member]
            events = episode(f"g{group}", f"g{group}e{member}", reward=float(member % 2), versions=versions)
            log.append(config.topic("rollouts"), encode(events))
    with role_thread(log.url, lambda own, stop: run_assembler(own, config, stop)):
        until(lambda: len(verdicts(log, config)[2]) == 4)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, torch.Tensor]]]:
    """A run of two real steps with its archive, and the tensors that its updates were given."""
    path = tmp_path_factory.mktemp("run")
    corpus = path / "corpus"
    corpus.mkdir()
    lines = [{"token_ids": list(range(2, 12 + n)), "assistant_masks": [0, 0] + [1] * (8 + n)} for n in range(9)]
    (corpus / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    config = make_config(max_off_policy_steps=0, max_steps=2, bc_coef=0.1, bc_corpus=str(corpus), kl_coef=0.0)
    config = msgspec.structs.replace(config, run_id="r", group=msgspec.structs.replace(config.group, min_group_size=1))
    given: list[dict[str, torch.Tensor]] = []
    real = loop.step_tensors
    with pytest.MonkeyPatch.context() as patch, open_log(f"sqlite:///{path}/log.db", create=True) as log:
        patch.setattr(loop, "step_tensors", lambda *args: given.append(real(*args)) or given[-1])
        patch.setattr(stream_events, "_tokens", cycle(range(2, 500)))  # the tiny model's vocabulary
        fill(log, config)
        make_learner(log, config, path / "learner").run(threading.Event())
        stop = threading.Event()
        stop.set()
        run_archiver(log, config, path, stop)
    return path, given


@pytest.mark.parametrize("number", [1, 2])
def test_a_step_comes_again_from_the_log_and_from_the_archive_bit_for_bit(run, tmp_path: Path, number: int) -> None:
    path, given = run
    written = []
    with open_log(f"sqlite:///{path}/log.db") as log, RecordedArchive(path) as archive:
        for source in (RecordedLog(log, "test"), archive):
            manifest, tensors = replay_step([source], recorded_config(source), number)
            assert (manifest.differences, manifest.proven, manifest.step) == ((), True, number)
            assert set(manifest.groups.values()) == {source.name}
            assert tensors.keys() == given[number - 1].keys()
            assert all(torch.equal(tensors[name], made) for name, made in given[number - 1].items())
            file, _ = write_step(tmp_path / source.name[4:8].strip(), manifest, tensors)
            written.append(file.read_bytes())
            assert tensor_digests(load_file(file)) == tensor_digests(tensors)
    assert written[0] == written[1]
    assert given[number - 1]["anchor_token_ids"].numel() > 0
    assert int(given[number - 1]["num_tokens"].sum()) == {1: 36, 2: 8}[number]


def test_groups_that_the_log_has_dropped_come_from_the_archive(run, tmp_path: Path) -> None:
    path, _ = run
    copy = shutil.copy(path / "log.db", tmp_path)
    with open_log(f"sqlite:///{copy}") as log, RecordedArchive(path) as archive:
        log.truncate("test.groups", 0, 3)
        sources = [RecordedLog(log, "test"), archive]
        manifest, _ = replay_step(sources, recorded_config(archive), 2)
        assert manifest.differences == ()
        assert sorted(manifest.groups.values()) == sorted(source.name for source in sources)
        with pytest.raises(ConfigError, match=r"step 2 cannot be rebuilt from the log .*: g\d \(no group_sealed\)"):
            replay_step(sources[:1], recorded_config(archive), 2)


def test_a_step_comes_again_from_a_copy_of_the_log_though_its_offsets_are_others(run, tmp_path: Path) -> None:
    path, _ = run
    with RecordedArchive(path) as archive, open_log(f"sqlite:///{tmp_path}/copy.db", create=True) as copy:
        replay_events(archive, copy, ["test.groups-0=1"])
        source = RecordedLog(copy, "test")
        manifest, _ = replay_step([source], recorded_config(source), 2)
        assert (manifest.differences, set(manifest.groups.values())) == ((), {source.name})


def test_other_settings_are_found_out_and_named(run) -> None:
    path, _ = run
    with open_log(f"sqlite:///{path}/log.db") as log:
        source = RecordedLog(log, "test")
        config = recorded_config(source)
        learner = msgspec.structs.replace(config.learner, length_alpha=0.75, seed=5)
        manifest, _ = replay_step([source], msgspec.structs.replace(config, learner=learner), 1)
        names = {"advantages", "anchor_token_ids", "anchor_lengths", "anchor_positions", "anchor_num_positions"}
        assert {text.removeprefix("the array ") for text in manifest.differences} == names
        stale = msgspec.structs.replace(config.staleness, max_off_policy_steps=4)
        manifest, _ = replay_step([source], msgspec.structs.replace(config, staleness=stale), 2)
        assert "the array positions" in manifest.differences
        assert manifest.batch_sha256[0] == manifest.batch_sha256[1]


def test_the_command_prints_the_proof_and_writes_both_files(run, tmp_path: Path) -> None:
    path, _ = run
    line = ["replay", "batch", "--step", "1", "--run-dir", str(path)]
    done = CliRunner().invoke(app, [*line, "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert done.output.endswith("step 1 (policy 1): its tensors are the very ones\n")
    assert done.output.count("equal yes") == 16
    manifest = json.loads((tmp_path / "step-1.json").read_bytes())
    assert manifest["differences"] == []
    assert set(load_file(tmp_path / "step-1.safetensors")) == set(manifest["tensors"])


def test_a_batch_whose_loss_is_not_finite_is_kept_by_name_and_comes_again(tmp_path: Path, caplog) -> None:
    """A base that only gives NaN: both batches of two groups are skipped, and nothing is trained."""
    config = make_config(max_off_policy_steps=0, kl_coef=0.0)
    config = msgspec.structs.replace(config, run_id="r", group=msgspec.structs.replace(config.group, min_group_size=1))
    with open_log(f"sqlite:///{tmp_path}/log.db", create=True) as log:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(stream_events, "_tokens", cycle(range(2, 500)))
            fill(log, config)
        stop = threading.Event()
        learner = make_learner(log, config, tmp_path, on_durable=lambda name: done.append(name) or stopped(done, stop))
        done: list[str] = []
        with torch.no_grad():
            learner._state.policy.model.model.norm.weight.fill_(torch.nan)
        learner.run(stop)
        with open_log(f"sqlite:///{tmp_path}/log.db") as again:
            events = list(role_events(again, config))
    assert [event.groups_trained for event in events] == [()]
    rejected = [(one.group_id, one.reason) for one in events[0].groups_rejected]
    assert rejected == [(f"g{n}", "non_finite") for n in range(4)]
    first, second = sorted((tmp_path / "non_finite").iterdir())
    line = ["replay", "batch", "--run-dir", str(tmp_path), "--skipped"]
    groups = set()
    for path in (first, second):
        assert any(str(path) in message and "replay batch" in message for message in caplog.messages)
        ran = CliRunner().invoke(app, [*line, str(path), "--out", str(tmp_path / path.stem)])
        assert ran.exit_code == 0, ran.output
        assert ran.output.endswith("the skipped batch of step 1 (policy 1): its tensors are the very ones\n")
        assert ran.output.count("equal yes") == 16
        groups |= set(json.loads((tmp_path / path.stem / "step-1.json").read_bytes())["groups"])
    assert groups == {f"g{n}" for n in range(4)}


def stopped(done: list[str], stop: threading.Event) -> None:
    """Version 0 is checkpointed and logged, then the rejections are logged: stop."""
    if len(done) == 3:
        stop.set()


def role_events(log: Log, config: RunConfig):
    with ControlFollower(log, config.topic("control"), {TrainStep.kind}) as follower:
        yield from (event for _, event in follower.catch_up() if isinstance(event, TrainStep))


def test_which_batch_must_be_said(run, tmp_path: Path) -> None:
    for options in ([], ["--step", "1", "--skipped", "x.json"]):
        with pytest.raises(ConfigError, match="which batch"):
            CliRunner().invoke(app, ["replay", "batch", "--run-dir", str(run[0]), *options], catch_exceptions=False)
    with pytest.raises(ConfigError, match="is not a skipped batch"):
        read_skipped(tmp_path / "none.json")


def step_event(number: int, *trained: str, epoch: int = 0) -> TrainStep:
    return TrainStep(
        **PRODUCER.stamp("r"),
        epoch=epoch,
        step=number,
        policy_version=number,
        groups_trained=trained,
        groups_rejected=() if trained else (RejectedGroup("x", "stale"),),
        metrics={},
        offsets={},
        batch_sha256="0" * 64,
        duration_s=0.0,
    )


def learner_started(epoch: int, step: int) -> LearnerStarted:
    return LearnerStarted(**PRODUCER.stamp("r"), epoch=epoch, step=step)


def test_steps_that_are_not_there_were_lost_or_trained_nothing_are_told_apart() -> None:
    rejections = step_event(0)
    events = [learner_started(0, 0), rejections, step_event(1, "a"), step_event(2, "b"), step_event(3, "c")]
    found, before = find_step(events, 2)
    assert (found, before) == (events[3], events[2])
    with pytest.raises(ConfigError, match=r"the run has no step 4\. It has steps 1 to 3\."):
        find_step(events, 4)
    with pytest.raises(ConfigError, match="step 0 trained nothing"):
        find_step(events, 0)
    events += [learner_started(1, 1), step_event(2, "d", epoch=1)]
    assert find_step(events, 2)[0].groups_trained == ("d",)
    with pytest.raises(ConfigError, match=r"step 3 was lost: the learner of epoch 1 began again from step 1"):
        find_step(events, 3)
    with pytest.raises(ConfigError, match="trained no step yet"):
        find_step(events[:1], 1)
