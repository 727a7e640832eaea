import json
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
import torch

from tests.learner.lives import Killed, killer
from tests.learner.sft_process import ADAPTER, CONFIG, examples, fine_tune
from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from tests.stream.roles import WITHIN_S
from trajlog.errors import ConfigError, ModelError
from trajlog.held_folder import alone
from trajlog.learner import sft
from trajlog.learner.examples import make_example
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.sft import SftConfig, cloning_loss, plan_steps, train_sft
from trajlog.serving.adapters import adapter_sha256, load_adapter

pytestmark = pytest.mark.usefixtures("one_thread")

LONG = SftConfig(epochs=12, learning_rate=5e-2, examples_per_step=2, max_tokens_per_microbatch=64)
DURABLE = 9 + 6 + 1
"""Of CONFIG: nine steps of two or one example in three passes, checkpoints after steps 2, 3, 4, 6, 8, 9, the end."""
MIXTURE = msgspec.structs.replace(
    ADAPTER, target_modules=tuple(sorted((*TARGETS, "gate_proj", "up_proj", "down_proj")))
)


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory, one_thread):
    """The result of a fine-tuning that nobody killed."""
    return fine_tune(tmp_path_factory.mktemp("unbroken"))


def numbers(out: Path) -> list[dict]:
    """metrics.jsonl without its clocks."""
    lines = [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
    return [{k: v for k, v in line.items() if k not in ("time", "tokens_per_s")} for line in lines]


def same(one: sft.SftResult, two: sft.SftResult) -> bool:
    return msgspec.structs.replace(one, adapter=two.adapter) == two


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe])
def test_it_learns_the_assistants_tokens(tmp_path, build):
    policy, seen, chosen = PolicyModel(build(), TARGETS), [], examples(4)
    with torch.no_grad():
        first = policy.score([e.token_ids for e in chosen], [e.positions for e in chosen], None).logprobs
    result = train_sft(policy, chosen, ADAPTER, LONG, tmp_path, on_progress=seen.append)
    assert len(seen) == len(result.losses) == 24
    assert (seen[-1].step, seen[-1].num_steps) == (24, 24)
    assert result.losses[0] == pytest.approx(-first.mean().item(), rel=0.05)
    assert result.losses[-1] < result.losses[0] - 0.3
    with torch.no_grad():
        tuned = policy.score([e.token_ids for e in chosen], [e.positions for e in chosen], POLICY).logprobs
    assert (tuned > first).float().mean() > 0.9
    stored, config = load_adapter(result.adapter)
    assert config == ADAPTER
    assert all(torch.equal(stored[name], tensor) for name, tensor in policy.lora.export(POLICY).items())
    assert result.sha256 == adapter_sha256(result.adapter)


def test_the_loss_is_the_mean_over_examples_of_the_mean_over_assistant_tokens(tmp_path):
    """By hand from the model's own logits; a step's loss is measured before it moves anything."""
    model, chosen = tiny_qwen3(), examples(2)
    means = []
    for example in chosen:
        with torch.no_grad():
            logits = model(input_ids=example.token_ids[None]).logits[0]
        logprobs = logits.log_softmax(-1)
        told = [-logprobs[p - 1, example.token_ids[p]].item() for p in example.positions.tolist()]
        means.append(sum(told) / len(told))
    config = SftConfig(examples_per_step=2, max_tokens_per_microbatch=64)
    result = fine_tune(tmp_path, config, training=chosen, held_out=chosen)
    assert result.losses[0] == pytest.approx(sum(means) / 2, abs=1e-5)
    assert result.held_out[0] == (0, pytest.approx(sum(means) / 2, abs=1e-5))
    assert result.held_out[1][1] < result.held_out[0][1]


def test_held_out_loss_does_not_depend_on_the_packing():
    policy = PolicyModel(tiny_qwen3(), TARGETS)
    policy.lora.add(POLICY, rank=2, alpha=4.0, seed=1)
    losses = [cloning_loss(policy, examples(), max_tokens) for max_tokens in (14, 30, 1000)]
    assert losses == pytest.approx([losses[0]] * 3, abs=1e-6)


def test_every_pass_has_each_example_once_in_another_order():
    plan = plan_steps(7, SftConfig(epochs=3, examples_per_step=3))
    assert [number for number, _ in plan] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    passes = [[i for number, chosen in plan if number == k for i in chosen] for k in (1, 2, 3)]
    assert all(Counter(order) == Counter(range(7)) for order in passes)
    assert len({tuple(order) for order in passes}) == 3
    assert plan == plan_steps(7, SftConfig(epochs=3, examples_per_step=3))
    assert plan != plan_steps(7, SftConfig(epochs=3, examples_per_step=3, seed=1))


@pytest.mark.parametrize("at", range(DURABLE))
def test_killed_after_any_durable_step_and_restarted(tmp_path, unbroken, at):
    with pytest.raises(Killed):
        fine_tune(tmp_path, on_durable=killer(at))
    assert (tmp_path / "adapter").exists() == (at == DURABLE - 1)
    assert same(fine_tune(tmp_path), unbroken)
    assert numbers(tmp_path) == numbers(unbroken.adapter.parent)
    assert adapter_sha256(tmp_path / "adapter") == unbroken.sha256
    assert len(list((tmp_path / "checkpoints").iterdir())) <= 2


def test_a_mixture_resumes_from_a_checkpoint_with_the_same_bytes(tmp_path):
    """Its optimizer's parameters are stacked over experts; its exported adapter names each expert."""
    mixture = dict(build=tiny_qwen3_moe, adapter=MIXTURE)
    unbroken = fine_tune(tmp_path / "unbroken", **mixture)
    assert any(".experts." in name for name in load_adapter(unbroken.adapter)[0])
    for at in (3, 8):  # right after a checkpoint, and one step later
        out = tmp_path / f"killed{at}"
        with pytest.raises(Killed):
            fine_tune(out, **mixture, on_durable=killer(at))
        assert same(fine_tune(out, **mixture), unbroken)
        assert numbers(out) == numbers(unbroken.adapter.parent)
        assert (out / "adapter" / "adapter_model.safetensors").read_bytes() == (
            unbroken.adapter / "adapter_model.safetensors"
        ).read_bytes()


@pytest.mark.slow
def test_kill_minus_nine(tmp_path, unbroken):
    """Real processes and a real signal, again and again, a few durable steps further each time."""
    lives = 0
    while not (tmp_path / "adapter").exists():
        done = subprocess.run([sys.executable, "-m", "tests.learner.sft_process", str(tmp_path), "8"], timeout=WITHIN_S)
        assert done.returncode in (0, -signal.SIGKILL)
        lives += 1
    assert lives > 1
    assert adapter_sha256(tmp_path / "adapter") == unbroken.sha256


def test_a_line_torn_by_a_kill_is_written_again(tmp_path, unbroken):
    with pytest.raises(Killed):
        fine_tune(tmp_path, on_durable=killer(6))
    with (tmp_path / "metrics.jsonl").open("ab") as file:
        file.write(b'{"step": 99, "lo')
    assert same(fine_tune(tmp_path), unbroken)
    assert numbers(tmp_path) == numbers(unbroken.adapter.parent)


def test_what_is_finished_is_not_trained_again(tmp_path, unbroken):
    shutil.copytree(unbroken.adapter.parent, tmp_path / "copy")
    seen = []
    assert same(fine_tune(tmp_path / "copy", on_progress=seen.append), unbroken)
    assert seen == []


def test_other_settings_or_examples_need_another_folder(tmp_path):
    with pytest.raises(Killed):
        fine_tune(tmp_path, on_durable=killer(3))
    for config, training in (
        (msgspec.structs.replace(CONFIG, learning_rate=1e-3), None),
        (CONFIG, examples(4)),
    ):
        with pytest.raises(ConfigError, match="other examples or settings: name another folder"):
            fine_tune(tmp_path, config, training=training)


def test_a_second_process_in_the_folder_is_refused(tmp_path):
    with alone(tmp_path, "tests"), pytest.raises(ConfigError, match="another process fine-tunes into"):
        fine_tune(tmp_path)


def test_it_stops_when_the_held_out_loss_rises_and_takes_the_best(tmp_path):
    """What is held out contradicts what is trained: after the same context, other tokens."""
    other = [make_example([*e.token_ids[:2].tolist(), *range(300, 306)], [0, 0, *[1] * 6]) for e in examples()]
    config = msgspec.structs.replace(CONFIG, epochs=40, learning_rate=5e-2, patience=2)
    result = fine_tune(tmp_path, config, held_out=other)
    measured = dict(result.held_out[1:])
    assert result.stopped_early
    assert len(result.losses) < 40 * 3
    assert measured[result.best_step] == min(measured.values())
    steps = sorted(measured)
    assert steps.index(result.best_step) == len(steps) - 3, "two measurements after the best none was better"
    assert result.sha256 == adapter_sha256(result.adapter)
    names = sorted(path.name for path in (tmp_path / "checkpoints").iterdir())
    assert [int(name.rpartition("-")[2]) for name in names] == [result.best_step, len(result.losses)]


def test_without_anything_held_out_the_last_adapter_counts(tmp_path):
    result = fine_tune(tmp_path, held_out=[])
    assert (result.held_out, result.best_step, result.stopped_early) == ((), 9, False)


def test_the_same_settings_give_the_same_adapter(tmp_path, unbroken):
    assert same(fine_tune(tmp_path), unbroken)


def test_long_examples_are_left_out_and_counted(tmp_path):
    long = make_example(list(range(2, 102)), [0] + [1] * 99)
    assert fine_tune(tmp_path / "a", training=[*examples(), long]).num_too_long == 1
    with pytest.raises(ConfigError, match="none of 1 examples"):
        fine_tune(tmp_path / "b", training=[long])
    with pytest.raises(ConfigError, match="none of 1 held-out examples"):
        fine_tune(tmp_path / "c", held_out=[long])


def test_a_loss_that_is_not_finite_says_what_to_change(tmp_path):
    model = tiny_qwen3()
    policy = PolicyModel(model, TARGETS)
    with torch.no_grad():
        model.model.norm.weight.fill_(float("nan"))
    with pytest.raises(ModelError, match="lower the learning rate"):
        train_sft(policy, examples(), ADAPTER, LONG, tmp_path)
