"""A learner's whole run: its steps, what it starts from and refuses to start from, and what it says while it waits."""

import json
from pathlib import Path

import pytest
import torch

from tests.learner.groups import PRODUCER, simple_group
from tests.learner.learner_process import make_config, make_learner, make_log
from tests.learner.lives import FOREVER, check, events, fill, history, run
from tests.learner.tiny import TARGETS, tiny_qwen3
from trajlog.errors import ConfigError, LogIdentityMismatch, ModelError, RoleBusy
from trajlog.learner.loop import run_learner
from trajlog.schemas import LearnerStarted, encode
from trajlog.serving.adapters import AdapterConfig, load_adapter, save_adapter

pytestmark = pytest.mark.usefixtures("one_thread")


def test_three_steps(tmp_path, log, config, baseline):
    fill(log, config)
    seen = []
    make_learner(log, config, tmp_path / "l", on_step=seen.append).run(FOREVER)
    steps = history(log, config).steps
    assert [s.event_id for s in seen] == [s.event_id for s in steps]
    assert [(s.step, s.policy_version, s.groups_trained) for s in steps] == [
        (1, 1, ("g0", "g1")),
        (2, 2, ("g2", "g3")),
        (3, 3, ("g4", "g5")),
    ]
    assert [s.offsets for s in steps] == [{f"{config.topic('groups')}-0": n} for n in (2, 4, 6)]
    assert [s.metrics["off_policy_steps_mean"] for s in steps] == [0.0, 1.0, 2.0]
    assert steps[0].metrics["reward_mean"] == 0.5
    assert steps[0].metrics["kl"] == pytest.approx(0.0, abs=1e-9)
    assert steps[1].metrics["kl"] > 0
    assert [s.metrics["kl_coef"] for s in steps] == pytest.approx([0.01, 0.0098, 0.0098 * 0.98])
    assert [e.sha256 for e in check(log, config)] == baseline
    assert len(set(baseline)) == 4
    assert list(log.committed("test.learner", [config.topic("groups")]).values()) == [6]


def test_old_checkpoints_are_pruned(tmp_path, log):
    config = make_config(max_steps=3, keep_checkpoints=2)
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    assert sorted(p.name for p in (tmp_path / "l/checkpoints").iterdir()) == [
        "epoch-0000-step-000002",
        "epoch-0000-step-000003",
    ]


def test_lost_checkpoints_are_refused_before_anything_is_written(tmp_path, log, config):
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    before = log.end_offsets(config.topic("control"))
    with pytest.raises(ConfigError, match=r"versions up to 3.*restore"):
        run(log, config, tmp_path / "elsewhere")
    assert log.end_offsets(config.topic("control")) == before


def test_another_log_is_refused(tmp_path, log, config):
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    (tmp_path / "other").mkdir()
    with make_log(tmp_path / "other", config) as other, pytest.raises(LogIdentityMismatch, match="checkpoint"):
        run(other, config, tmp_path / "l")


def test_a_damaged_checkpoint_is_named_not_skipped(tmp_path, log, config):
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    state = tmp_path / "l/checkpoints/epoch-0000-step-000003/state.json"
    fields = json.loads(state.read_text())
    state.write_text("{")
    with pytest.raises(ModelError, match=r"step-000003 is damaged.*move it away"):
        run(log, config, tmp_path / "l")
    state.write_text(json.dumps({**fields, "adapter_sha256": "0" * 64}))
    with pytest.raises(ModelError, match="not the one it recorded"):
        run(log, config, tmp_path / "l")


def test_a_second_learner_is_refused_and_a_superseded_one_ends(tmp_path, log, config):
    learner = make_learner(log, config, tmp_path / "l", on_durable=lambda name: None)

    class Rival:
        """A stop that is asked once per turn: first it tries a second learner, then a newer epoch appears."""

        asked = 0

        def is_set(self):
            self.asked += 1
            if self.asked == 1:
                with pytest.raises(RoleBusy, match="live member"):
                    run(log, config, tmp_path / "l")
                started = LearnerStarted(**PRODUCER.stamp(config.run_id), epoch=7, step=0)
                log.append(config.topic("control"), encode([started]))
            return self.asked > 50

    with pytest.raises(RoleBusy, match="epoch 7"):
        learner.run(Rival())


def test_version_0_is_the_adapter_that_training_starts_from(tmp_path, log):
    policy = make_learner(log, make_config(), tmp_path / "unused")._state.policy
    policy.lora.add("start", rank=2, alpha=4.0, seed=5)
    digest = save_adapter(
        tmp_path / "start", policy.lora.export("start"), AdapterConfig(r=2, lora_alpha=4.0, target_modules=TARGETS)
    )
    config = make_config(max_steps=1, init_adapter=str(tmp_path / "start"))
    fill(log, config)
    assert run(log, config, tmp_path / "l")
    assert events(log, config)[1].sha256 == digest


def test_an_adapter_of_another_rank_is_refused(tmp_path, log):
    policy = make_learner(log, make_config(), tmp_path / "unused")._state.policy
    policy.lora.add("start", rank=2, alpha=4.0)
    adapter = AdapterConfig(r=2, lora_alpha=4.0, target_modules=TARGETS)
    save_adapter(tmp_path / "start", policy.lora.export("start"), adapter)
    config = make_config(init_adapter=str(tmp_path / "start"), lora_rank=3)
    with pytest.raises(ConfigError, match="the settings say lora_rank 3"):
        run(log, config, tmp_path / "l")


def test_a_learner_that_gets_no_group_says_why(tmp_path, log, caplog):
    """g0 waits for a second group; nobody plays."""
    config = make_config(watchdog_s=0.2)
    fill(log, config, [simple_group("g0")])

    class Told:
        def is_set(self):
            return any(message.startswith("no group for ") for message in caplog.messages)

    make_learner(log, config, tmp_path / "l").run(Told())
    (line,) = (message for message in caplog.messages if message.startswith("no group for "))
    assert "1 of 2 wait here" in line
    assert "no_engine: no engine has loaded any policy version (none was heard of)" in line
    assert "no_worker: no worker lives" in line
    assert "no_scheduler: no scheduler has begun" in line


@pytest.mark.slow
def test_two_ranks_train_what_one_trains(tmp_path):
    """The other rank is a process of its own; sums over ranks are rounded otherwise, so close, not equal."""
    tiny_qwen3().save_pretrained(tmp_path / "model")
    adapters = []
    for num_ranks in (1, 2):
        config = make_config(max_steps=2, prefix=f"ranks{num_ranks}")
        path = tmp_path / str(num_ranks)
        path.mkdir()
        with make_log(path, config) as log:
            fill(log, config)
            run_learner(log, config, FOREVER, model_path=tmp_path / "model", directory=path, num_ranks=num_ranks)
            adapters.append([load_adapter(Path(e.uri))[0] for e in check(log, config, num_groups=4)])
    for one, two in zip(*adapters, strict=True):
        for name in one:
            torch.testing.assert_close(two[name], one[name], rtol=1e-3, atol=1e-5)
