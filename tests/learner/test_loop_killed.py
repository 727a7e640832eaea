"""Killed between any two durable steps and started again, a learner makes the same adapters."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.learner.groups import simple_group
from tests.learner.learner_process import make_config, make_log
from tests.learner.lives import NAMES, check, events, fill, history, run
from trajlog.schemas import LearnerStarted, PolicyPublished

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("at", range(11))
def test_killed_after_any_durable_step_and_restarted(tmp_path, log, config, baseline, at):
    """2 at the start (checkpointed, logged), 3 for each of three steps."""
    fill(log, config)
    assert not run(log, config, tmp_path / "l", at)
    assert run(log, config, tmp_path / "l")
    assert [e.sha256 for e in check(log, config)] == baseline


@pytest.mark.parametrize("lives", [[0] * 3, [1, 2, 3, 1, 2], [3, 0, 0, 0], [4, 1, 1, 1, 1], [2, 2, 2, 2, 3]])
def test_killed_again_and_again(tmp_path, log, config, baseline, lives):
    fill(log, config)
    for at in lives:
        run(log, config, tmp_path / "l", at)
    assert run(log, config, tmp_path / "l")
    assert [e.sha256 for e in check(log, config)] == baseline
    epochs = [e.epoch for e in events(log, config) if isinstance(e, LearnerStarted)]
    assert epochs == list(range(len(lives) + 1))


@pytest.mark.slow
def test_kill_minus_nine(tmp_path, log, config, baseline):
    """Once after each durable step of a training step, in a process of its own each time, then to the end."""
    fill(log, config)
    command = [sys.executable, "-m", "tests.learner.learner_process", str(tmp_path)]
    root, env = Path(__file__).parents[2], {**os.environ, "OMP_NUM_THREADS": "1"}
    for at, expected in ((2, -signal.SIGKILL), (1, -signal.SIGKILL), (3, -signal.SIGKILL), (-1, 0)):
        done = subprocess.run([*command, str(at)], cwd=root, timeout=200, env=env)
        assert done.returncode == expected
    assert [e.sha256 for e in check(log, config)] == baseline


def test_an_older_checkpoint_goes_on_under_new_versions(tmp_path, log):
    """Two steps are lost with the disk: their groups are trained again, their versions never come back."""
    config = make_config(max_steps=3, max_off_policy_steps=10)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    for step in (2, 3):
        (tmp_path / "l/checkpoints" / f"epoch-0000-step-{step:06d}").rename(tmp_path / f"lost-{step}")
    assert run(log, config, tmp_path / "l")
    found = events(log, config)
    assert [e.step for e in found if isinstance(e, LearnerStarted)] == [0, 1]
    published = [e for e in found if isinstance(e, PolicyPublished)]
    assert [(e.policy_version, e.step) for e in published] == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 1), (5, 2), (6, 3)]
    assert published[4].sha256 == published[1].sha256
    steps = history(log, config).steps
    assert [(s.step, s.policy_version) for s in steps] == [(1, 1), (2, 5), (3, 6)]
    assert sorted(g for s in steps for g in s.groups_trained) == NAMES


def test_a_restored_learner_restarted_publishes_nothing_twice(tmp_path, log):
    config = make_config(max_steps=3, max_off_policy_steps=10)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    (tmp_path / "l/checkpoints/epoch-0000-step-000003").rename(tmp_path / "lost")
    assert not run(log, config, tmp_path / "l", at=0)  # killed right after version 4 is published for step 2
    assert run(log, config, tmp_path / "l")
    published = [(e.policy_version, e.step) for e in events(log, config) if isinstance(e, PolicyPublished)]
    assert published == [(0, 0), (1, 1), (2, 2), (3, 3), (4, 2), (5, 3)]


def test_rejections_survive_a_restart(tmp_path, log):
    config = make_config(max_steps=2, max_off_policy_steps=0)
    fill(log, config, [simple_group(n) for n in NAMES[:4]])
    assert not run(log, config, tmp_path / "l", at=5)  # after the rejections are logged
    fill(log, config, [simple_group("g4", version=1), simple_group("g5", version=1)])
    assert run(log, config, tmp_path / "l")
    rejected = [r.group_id for s in history(log, config).steps for r in s.groups_rejected]
    assert rejected == ["g2", "g3"]
    trained = [g for s in history(log, config).steps for g in s.groups_trained]
    assert trained == ["g0", "g1", "g4", "g5"]


def test_the_anchor_is_drawn_alike_after_a_restart(tmp_path, log):
    rows = [{"token_ids": [5, 6, 7 + n, 8], "assistant_masks": [0, 0, 1, 1]} for n in range(20)]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    config = make_config(max_steps=3, bc_coef=0.5, bc_corpus=str(tmp_path / "corpus"))
    fill(log, config)
    assert not run(log, config, tmp_path / "l", at=5)
    assert run(log, config, tmp_path / "l")
    killed = [e.sha256 for e in check(log, config)]
    assert all(s.metrics["bc_loss"] > 0 for s in history(log, config).steps)
    (tmp_path / "whole").mkdir()
    with make_log(tmp_path / "whole", config) as whole:
        fill(whole, config)
        assert run(whole, config, tmp_path / "l2")
        assert [e.sha256 for e in check(whole, config)] == killed
