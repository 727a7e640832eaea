"""Ranks started as the learner starts them: a child of this process that reads its base model from a directory."""

import math
import shutil
import signal
import subprocess
import sys
from subprocess import PIPE

import msgspec
import pytest
import torch
import torch.distributed as dist

from tests.learner.learner_process import make_config
from tests.learner.test_update import batch
from tests.learner.tiny import tiny_qwen3
from tests.stream.roles import WITHIN_S
from trajlog.errors import ConfigError
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.following import lead
from trajlog.learner.policy import POLICY, REFERENCE
from trajlog.learner.rank_processes import check_devices, rank_processes
from trajlog.learner.sharding import load_base
from trajlog.learner.update import make_optimizer, update


@pytest.fixture
def threads():
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.slow
def test_a_child_takes_part_until_it_is_dismissed(tmp_path, threads):
    tiny_qwen3().save_pretrained(tmp_path)
    config = make_config(max_off_policy_steps=4)
    with rank_processes(2, tmp_path, config) as ranks:
        policy = load_base(tmp_path, config, ranks)
        for name in (POLICY, REFERENCE):
            policy.lora.add(name, rank=2, alpha=4.0)
        optimizer = make_optimizer(policy.lora.train_only(POLICY), 1e-2, 0.0)
        lead(policy, optimizer, ranks)
        steps = [
            update(policy, optimizer, batch(n), ALGORITHMS["weighted_grpo"], config.learner, kl_coef=0.1, ranks=ranks)
            for n in range(2)
        ]
        assert (ranks.rank, ranks.size, ranks.sharded) == (0, 2, False)
    assert [step.applied for step in steps] == [True, True]
    assert all(math.isfinite(step.metrics["grad_norm"]) for step in steps)
    assert steps[0].metrics["rank_balance"] < 1
    assert not dist.is_initialized()


@pytest.mark.slow
def test_a_rank_that_cannot_start_ends_the_learner_and_says_so(tmp_path):
    config = tmp_path / "config.json"
    config.write_bytes(msgspec.json.encode(make_config()))
    code = (
        "import sys; from pathlib import Path; from trajlog.config import config_from_json as read\n"
        "from trajlog.learner.rank_processes import rank_processes\n"
        "folder = Path(sys.argv[1])\n"
        "with rank_processes(2, folder / 'nothing', read((folder / 'config.json').read_text())) as ranks:\n"
        "    ranks.gather(__import__('torch').zeros(1))\n"
    )
    script = tmp_path / "start.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script, tmp_path], capture_output=True, text=True, timeout=WITHIN_S)
    assert done.returncode == 1
    assert "error: rank 1: cannot load the base model from" in done.stderr


ALONE = """
import sys, time
from pathlib import Path
from trajlog.config import RunConfig
from trajlog.learner import rank_processes

def connect(rank, size, device, meeting):
    while not Path(meeting.removeprefix("file://")).exists():
        time.sleep(0.1)
    print("met", flush=True)
    time.sleep(600)

rank_processes.connect = connect
sys.executable = sys.argv[1]
with rank_processes.rank_processes(2, Path("nothing"), RunConfig(run_id="any")):
    pass
"""
"""Rank 0 says when rank 1 waits for it at the meeting, and never comes; rank 1 is started by the program given."""


@pytest.mark.slow
def test_a_rank_that_ends_while_the_learner_waits_for_it_ends_the_learner_and_its_exit_code_is_told():
    ended = shutil.which("false")
    done = subprocess.run([sys.executable, "-c", ALONE, ended], capture_output=True, text=True, timeout=WITHIN_S)
    assert done.returncode == 1
    assert "rank 1 ended with exit code 1, and so does the learner" in done.stderr


@pytest.mark.slow
def test_a_child_that_waits_for_the_learner_ends_when_it_is_killed():
    learner = subprocess.Popen([sys.executable, "-c", ALONE, sys.executable], stdout=PIPE, stderr=PIPE, text=True)
    assert learner.stdout.readline() == "met\n"
    learner.kill()
    learner.communicate(timeout=WITHIN_S)  # to the end of the pipes, which the child holds, too
    assert learner.returncode == -signal.SIGKILL


def test_more_ranks_than_gpus_are_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    check_devices(2)
    with pytest.raises(ConfigError, match="4 ranks need as many GPUs, and this host shows 2: give --ranks 2"):
        check_devices(4)
