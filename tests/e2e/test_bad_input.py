"""What a user sees when something is wrong: a message that says what to do, a non-zero exit, nothing left running."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import psutil
import pytest

from trajlog.config import config_to_json, load_config

pytestmark = pytest.mark.timeout(1000)

ROOT = Path(__file__).parents[2]
WITHIN_S = 300.0
"""Longest that anything awaited may take on a busy machine: a run starts seven processes that import much."""
SETTINGS = """
run_id = "bad"
[log]
num_partitions = 2
[model]
name = "{model}"
[sampling]
max_tokens = 16
[episode]
tasks = "{tasks}"
turn_limit = 2
context_limit = 1024
max_observation_bytes = 300
[group]
group_size = 2
min_group_size = 2
[learner]
groups_per_step = 1
[scheduler]
high_water_groups = 2
low_water_groups = 1
"""


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory):
    """A random two-layer model under the small model's tokenizer: everything but its answers is real."""
    import shutil

    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    from trajlog.serving.models import fetch_model

    real = fetch_model()
    path = tmp_path_factory.mktemp("tiny")
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=49152,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
    )
    LlamaForCausalLM(config).save_pretrained(path)
    for name in os.listdir(real):
        if "tokenizer" in name or "template" in name or name.startswith(("vocab", "merges", "special")):
            shutil.copy(real / name, path / name)
    return path


@pytest.fixture
def settings(tmp_path, request):
    """A settings file; the model is the tiny one when the test asks for it."""
    model = request.getfixturevalue("tiny_model") if "tiny_model" in request.fixturenames else "smollm2"
    path = tmp_path / "settings.toml"
    path.write_text(SETTINGS.format(model=model, tasks=ROOT / "examples/demo_tasks"))
    return path


def command(*arguments):
    return [sys.executable, "-m", "trajlog", *map(str, arguments)]


def refused(*arguments, timeout_s=WITHIN_S, **kwargs):
    """Run a command that must fail: one message, no traceback, exit code 1."""
    done = subprocess.run(command(*arguments), capture_output=True, text=True, timeout=timeout_s, check=False, **kwargs)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    assert "Traceback" not in done.stdout + done.stderr
    return done.stderr


def left_behind(run_dir):
    """Processes whose command line names the run."""
    found = []
    for process in psutil.process_iter(["pid", "cmdline"]):
        if any(str(run_dir) in word for word in process.info["cmdline"] or []):
            found.append(process.info)
    return found


def wait_for(condition):
    deadline = time.monotonic() + WITHIN_S
    while not condition():
        assert time.monotonic() < deadline, f"not within {WITHIN_S} s"
        time.sleep(0.1)


def test_a_missing_settings_file_is_named(tmp_path):
    assert "there is no settings file" in refused("up", tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("turn_limit = 2", "turn_limits = 2", "unknown field `turn_limits`"),
        (
            "group_size = 2\nmin_group_size = 2",
            "group_size = 2\nmin_group_size = 3",
            "lower it, or raise group.group_size",
        ),
        ("turn_limit = 2", "turn_limit = 0", "turn_limit"),
        ("turn_limit = 2", "turn_limit = ", "not valid TOML"),
        ("[learner]", '[learner]\nalgorithm = "ppo"', "weighted_grpo"),
    ],
)
def test_a_wrong_setting_is_named_with_what_it_should_be(settings, tmp_path, before, after, said):
    text = settings.read_text()
    assert before in text
    settings.write_text(text.replace(before, after))
    assert said in refused("up", settings, "--run-dir", tmp_path / "run")
    assert not (tmp_path / "run" / "log.db").exists()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("redis://localhost", "sqlite:///"),
        ("sqlite:///no/such/folder/log.db", "no/such/folder"),
        ("kafka://127.0.0.1:1", "127.0.0.1:1"),
    ],
)
def test_a_log_that_is_not_there_is_named(url, said, tmp_path):
    assert said in refused("tail", "--log", url)


def test_a_log_without_a_run_says_how_to_start_one(tmp_path):
    from trajlog.stream.open import open_log

    url = f"sqlite:///{tmp_path / 'log.db'}"
    with open_log(url, create=True):
        pass
    assert "trajlog up" in refused("archive", "verify", "--log", url, "--run-dir", tmp_path)


def test_a_missing_and_a_broken_model_are_named(settings, tmp_path):
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "config.json").write_text("{")
    for model in (tmp_path / "nowhere", broken):
        settings.write_text(SETTINGS.format(model=model, tasks=ROOT / "examples/demo_tasks"))
        said = refused("up", settings, "--run-dir", tmp_path / "run")
        assert str(model) in said
        assert "trajlog models fetch" in said or "fetch or copy the model again" in said


def test_a_task_folder_with_an_error_is_named(settings, tmp_path):
    import shutil

    tasks = tmp_path / "tasks"
    shutil.copytree(ROOT / "examples/demo_tasks", tasks)
    toml = tasks / "cart/task.toml"
    toml.write_text(toml.read_text().replace("difficulty = 1", 'difficulty = "easy"'))
    settings.write_text(SETTINGS.format(model="smollm2", tasks=tasks))
    said = refused("up", settings, "--run-dir", tmp_path / "run")
    assert "cart/task.toml" in said
    assert "difficulty" in said


@pytest.mark.model
@pytest.mark.slow
def test_a_port_in_use_ends_the_run_and_every_process(settings, tmp_path, tiny_model):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused("up", settings, "--run-dir", tmp_path / "run", "--engine-port", port)
    assert f"{port}" in said
    assert "engine" in said
    assert left_behind(tmp_path / "run") == []


@pytest.mark.model
@pytest.mark.slow
def test_a_full_disk_ends_the_run_with_a_message_and_a_log_that_reads(settings, tmp_path, tiny_model):
    script = f"ulimit -f 700; exec {' '.join(command('up', settings, '--run-dir', tmp_path / 'run'))}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 1, (done.stdout, done.stderr)
    assert "space" in done.stderr
    assert left_behind(tmp_path / "run") == []
    told = subprocess.run(
        command("tail", "--log", f"sqlite:///{tmp_path / 'run/log.db'}", "--json"),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=True,
    )
    assert "run_started" in told.stdout


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_up_interrupted_after_three_seconds_leaves_no_process_and_a_log_that_verifies(
    settings, tmp_path, tiny_model, number
):
    run_dir = tmp_path / "run"
    process = subprocess.Popen(
        command("up", settings, "--run-dir", run_dir), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    wait_for(lambda: (run_dir / "archive").exists())
    time.sleep(3)  # the point of the test: an instant, not a state
    started = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    _, stderr = process.communicate(timeout=WITHIN_S)
    assert process.returncode == 130
    assert b"Traceback" not in stderr
    assert [child for child in started if child.is_running()] == []
    assert left_behind(run_dir) == []
    verified = subprocess.run(
        command("archive", "verify", "--run-dir", run_dir),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.model
@pytest.mark.slow
def test_roles_end_by_themselves_when_up_is_killed(settings, tmp_path, tiny_model):
    run_dir = tmp_path / "run"
    process = subprocess.Popen(command("up", settings, "--run-dir", run_dir), stdout=subprocess.DEVNULL)
    wait_for(lambda: len(left_behind(run_dir)) >= 7)
    process.kill()
    process.wait()
    wait_for(lambda: left_behind(run_dir) == [])


@pytest.mark.model
@pytest.mark.slow
def test_a_killed_role_is_started_again_and_the_run_goes_on(settings, tmp_path, tiny_model):
    run_dir = tmp_path / "run"
    process = subprocess.Popen(command("up", settings, "--run-dir", run_dir), stdout=subprocess.PIPE, text=True)
    try:
        url = f"sqlite:///{run_dir / 'log.db'}"
        wait_for(lambda: all(at_work(run_dir, url)))
        killed = {pid_of(role, run_dir) for role in KILLED}
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not killed & {pid_of(role, run_dir) for role in KILLED} - {None})
        wait_for(lambda: None not in {pid_of(role, run_dir) for role in KILLED})
        *others, num_finished = at_work(run_dir, url)
        before = *others, num_finished + 3
        wait_for(lambda: all(now > then for now, then in zip(at_work(run_dir, url), before, strict=True)))
    finally:
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=WITHIN_S)
    assert out.count("was killed and is started again") == 3
    assert left_behind(run_dir) == []
    verified = subprocess.run(
        command("archive", "verify", "--run-dir", run_dir),
        capture_output=True,
        text=True,
        timeout=WITHIN_S,
        check=False,
    )
    assert verified.returncode == 0, verified.stdout + verified.stderr


KILLED = ("assembler", "scheduler", "archiver")


def pid_of(role, run_dir):
    return next((process["pid"] for process in left_behind(run_dir) if role in process["cmdline"]), None)


def at_work(run_dir, url):
    """What each of KILLED has done: groups judged, episodes assigned, archive commits; and episodes finished."""
    from trajlog.errors import TrajlogError
    from trajlog.stream.open import open_log

    commits = len(list((run_dir / "archive").rglob("_delta_log/*.json")))
    kinds = Counter()
    if (run_dir / "log.db").exists():
        try:
            with open_log(url) as log:
                topics = [t for t in log.topics() if t.endswith((".control", ".rollouts"))]
                with log.reader(topics, "beginning") as reader:
                    while records := reader.poll(0.0):
                        kinds.update(record.header("kind") for record in records)
        except TrajlogError:
            kinds.clear()
    return kinds["group_verdict"], kinds["episode_assigned"], commits, kinds["episode_finished"]


def test_every_settings_file_in_the_repository_loads():
    names = subprocess.run(["git", "ls-files", "*.toml"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = [ROOT / n for n in names.split() if Path(n).name not in ("pyproject.toml", "task.toml", "splits.toml")]
    assert ROOT / "demo.toml" in files
    for file in files:
        assert config_to_json(load_config(file))
