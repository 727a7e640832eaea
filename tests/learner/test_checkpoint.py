import errno
import json
import os
import shutil
import stat
import threading

import msgspec
import peft
import pytest
import torch
from safetensors import safe_open

from tests.learner.test_update import CONFIG, batch, policy_model
from trajlog.errors import LogFull, ModelError, RoleBusy
from trajlog.learner import checkpoint
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.checkpoint import CheckpointState, load, load_newest, prune, save
from trajlog.learner.policy import POLICY
from trajlog.learner.update import make_optimizer, update
from trajlog.serving.adapters import AdapterConfig, adapter_sha256

ADAPTER = AdapterConfig(r=4, lora_alpha=8.0, target_modules=("k_proj", "o_proj", "q_proj", "v_proj"))


def state(step=1, epoch=0):
    return CheckpointState(
        run_id="run",
        log_identity="log",
        epoch=epoch,
        step=step,
        policy_version=step,
        adapter_sha256="",
        kl_coef=0.1,
        offsets={"test.groups-0": 4},
        train_step={"step": step},
    )


def trained(steps=1):
    policy = policy_model()
    optimizer = make_optimizer(list(policy.lora.parameters(POLICY).values()), 1e-2, 0.01)
    for seed in range(steps):
        update(policy, optimizer, batch(seed), ALGORITHMS["weighted_grpo"], CONFIG)
    return policy, optimizer


def write(path, policy, optimizer, step=1, epoch=0):
    return save(path, state(step, epoch), policy.lora.export(POLICY), ADAPTER, optimizer)


def test_a_restored_learner_takes_the_same_next_step_bit_for_bit(tmp_path):
    policy, optimizer = trained(2)
    write(tmp_path, policy, optimizer)
    random_then = torch.get_rng_state()
    torch.rand(5)
    update(policy, optimizer, batch(7), ALGORITHMS["weighted_grpo"], CONFIG)

    found = load_newest(tmp_path, CheckpointState)
    restored = policy_model()
    restored.lora.remove(POLICY)
    tensors, config = found.load_adapter()
    restored.lora.load(POLICY, tensors, rank=config.r, alpha=config.lora_alpha)
    fresh = make_optimizer(restored.lora.train_only(POLICY), 1e-2, 0.01)
    found.restore_optimizer(fresh, list(restored.lora.parameters(POLICY)))
    assert torch.equal(torch.get_rng_state(), random_then)
    update(restored, fresh, batch(7), ALGORITHMS["weighted_grpo"], CONFIG)
    want, got = policy.lora.export(POLICY), restored.lora.export(POLICY)
    assert all(torch.equal(want[key], got[key]) for key in want)


def test_state_and_digest_round_trip(tmp_path):
    saved = write(tmp_path, *trained())
    found = load_newest(tmp_path, CheckpointState)
    assert found == saved
    assert found.state == msgspec.structs.replace(state(), adapter_sha256=adapter_sha256(found.adapter))


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_the_adapter_loads_in_peft_with_equal_logits(tmp_path):
    from tests.learner.tiny import tiny_qwen3

    policy, optimizer = trained()
    saved = write(tmp_path, policy, optimizer)
    theirs = peft.PeftModel.from_pretrained(tiny_qwen3(), str(saved.adapter)).eval()
    ids = torch.tensor([[5, 6, 7]])
    with torch.no_grad(), policy.lora.using(POLICY):
        torch.testing.assert_close(theirs(input_ids=ids).logits, policy.model(input_ids=ids).logits)


def test_checkpoints_are_for_their_owner_alone_and_hold_safetensors_and_json(tmp_path):
    folder = tmp_path / "checkpoints"
    before = os.umask(0)
    try:
        saved = write(folder, *trained())
    finally:
        os.umask(before)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    files = {str(path.relative_to(saved.path)) for path in saved.path.rglob("*") if path.is_file()}
    assert files == {
        "adapter/adapter_config.json",
        "adapter/adapter_model.safetensors",
        "optimizer.safetensors",
        "state.json",
    }
    for name in files:
        content = (saved.path / name).read_bytes()
        if name.endswith(".json"):
            assert isinstance(json.loads(content), dict)
        else:
            with safe_open(saved.path / name, "pt") as tensors:
                assert list(tensors.keys())


def test_the_newest_is_the_highest_epoch_then_step(tmp_path):
    trained_once = trained()
    for step, epoch in [(9, 0), (10, 0), (2, 1), (1, 1)]:
        write(tmp_path, *trained_once, step=step, epoch=epoch)
    assert load_newest(tmp_path, CheckpointState).path.name == "epoch-0001-step-000002"
    prune(tmp_path, 2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["epoch-0001-step-000001", "epoch-0001-step-000002"]


def test_none_yet(tmp_path):
    assert load_newest(tmp_path / "none", CheckpointState) is None


@pytest.mark.parametrize("broken", ["save_adapter", "write_tensors", "_fsync"])
def test_a_full_disk_leaves_the_checkpoint_before_and_a_clear_message(tmp_path, monkeypatch, broken):
    trained_once = trained()
    write(tmp_path, *trained_once, step=1)

    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, broken, full)
        with pytest.raises(LogFull, match=r"step-000002.*No space left.*start again"):
            write(tmp_path, *trained_once, step=2)
    assert load_newest(tmp_path, CheckpointState).state.step == 1
    write(tmp_path, *trained_once, step=2)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["epoch-0000-step-000001", "epoch-0000-step-000002"]


@pytest.mark.parametrize("part", ["save_adapter", "write_tensors", "_fsync"])
def test_a_checkpoint_that_a_successor_cleared_away_is_no_full_disk(tmp_path, monkeypatch, part):
    """Each part first loses the directory, as when its process slept meanwhile, then runs."""
    original = getattr(checkpoint, part)

    def after_the_loss(path, *args):
        temporary = next(tmp_path.glob("*.tmp"), None)
        if temporary is not None:
            shutil.rmtree(temporary)
        return original(path, *args)

    monkeypatch.setattr(checkpoint, part, after_the_loss)
    with pytest.raises(RoleBusy, match=r"another learner cleared .*step-000001.tmp away"):
        write(tmp_path, *trained())
    assert load_newest(tmp_path, CheckpointState) is None


def test_of_two_that_save_at_once_the_later_epoch_ends_well_and_nothing_damaged_is_seen(tmp_path):
    """The earlier one goes on writing while the later clears it away."""
    older, newer = trained(), trained()
    ended = []

    def save_old():
        try:
            write(tmp_path, *older, step=1, epoch=1)
        except Exception as error:
            ended.append(type(error))

    for _ in range(40):
        thread = threading.Thread(target=save_old)
        thread.start()
        write(tmp_path, *newer, step=1, epoch=2)
        thread.join()
        for path in (p for p in tmp_path.iterdir() if p.name.startswith("epoch-") and p.suffix == ""):
            load(path, CheckpointState).load_adapter()
            shutil.rmtree(path)
    assert set(ended) <= {RoleBusy}
    assert not list(tmp_path.glob("*.cleared"))


def test_a_damaged_optimizer_is_named(tmp_path):
    saved = write(tmp_path, *trained())
    (saved.path / "optimizer.safetensors").write_bytes(b"x")
    with pytest.raises(ModelError, match=r"optimizer.safetensors cannot be read"):
        saved.restore_optimizer(trained()[1], [])
