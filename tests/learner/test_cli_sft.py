"""`trajlog sft train` from a corpus's folder to an adapter that a learner starts from."""

import json
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from tests.learner.learner_process import make_config
from tests.learner.tiny import TARGETS, tiny_qwen3
from trajlog.cli import app
from trajlog.errors import ConfigError
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.state import TrainingState
from trajlog.serving.adapters import adapter_sha256, read_config


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A corpus of six tasks, a tiny model, and settings that name it."""
    lines = [
        {"token_ids": [9 + n, 20, *range(100, 106 + n)], "assistant_masks": [0, 0] + [1] * (6 + n), "task_id": f"t{n}"}
        for n in range(6)
    ]
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    tiny_qwen3().save_pretrained(tmp_path / "model")
    (tmp_path / "model" / "tokenizer_config.json").write_text("{}")
    (tmp_path / "settings.toml").write_text(
        f'run_id = "tuned"\n[model]\nname = "{tmp_path / "model"}"\n[learner]\nlora_rank = 3\nlora_alpha = 6.0\n'
        f"lora_targets = {json.dumps(TARGETS)}\nmax_tokens_per_microbatch = 200\n[episode]\ncontext_limit = 200\n"
    )
    return tmp_path


def train(folder: Path, *more: str):
    line = ["sft", "train", "--corpus", str(folder / "corpus"), "--out", str(folder / "out")]
    settings = ["--settings", str(folder / "settings.toml"), "--learning-rate", "0.02"]
    return CliRunner().invoke(app, [*line, *settings, *more], catch_exceptions=False)


def test_it_tells_what_it_does_and_makes_an_adapter_that_a_learner_starts_from(folder: Path) -> None:
    done = train(folder, "--held-out", "0.3", "--examples-per-step", "2", "--epochs", "2")
    assert done.exit_code == 0
    said = done.output
    assert "training on 4 examples, 2 of 2 tasks held out" in said
    assert "step 2 of 4, loss " in said
    assert "step 4 of 4, loss " in said
    assert f'init_adapter = "{folder}/out/adapter"' in said
    adapter = folder / "out" / "adapter"
    assert (read_config(adapter).r, read_config(adapter).lora_alpha) == (3, 6.0)
    assert f"sha256 {adapter_sha256(adapter)}" in said
    lines = [json.loads(line) for line in (folder / "out" / "metrics.jsonl").read_text().splitlines()]
    assert [(line["step"], "loss" in line) for line in lines] == [
        (0, False),
        *((1, True), (2, True), (2, False)),
        *((3, True), (4, True), (4, False)),
    ]

    config = make_config(lora_rank=3, lora_alpha=6.0, init_adapter=str(adapter))
    state = TrainingState(PolicyModel(tiny_qwen3(), TARGETS), config, folder / "run")
    state.create()
    assert adapter_sha256(folder / "run" / "reference") == adapter_sha256(adapter)
    assert any(tensor.abs().sum() > 0 for name, tensor in state.policy.lora.export(POLICY).items() if "lora_B" in name)


def test_started_again_it_says_the_same_and_trains_nothing(folder: Path) -> None:
    first = train(folder, "--held-out", "0").stdout.splitlines()
    again = train(folder, "--held-out", "0").stdout.splitlines()
    assert [line for line in first if not line.startswith("step ")] == again


def test_other_words_for_the_same_folder_are_refused(folder: Path) -> None:
    train(folder)
    with pytest.raises(ConfigError, match="holds a fine-tuning with other examples or settings"):
        train(folder, "--seed", "1")


def test_demonstrations_train_by_the_same_core_and_go_on_after_their_corpus(folder: Path, monkeypatch) -> None:
    from trajlog import demonstrations

    monkeypatch.setattr(demonstrations, "_play", lambda *args: pytest.fail("the corpus is there"))
    config = msgspec.structs.replace(
        make_config(lora_rank=2),
        model=msgspec.structs.replace(make_config().model, name=str(folder / "model")),
        demonstrations=msgspec.structs.replace(make_config().demonstrations, epochs=2, examples_per_step=3),
    )
    run = folder / "demonstrations"
    run.mkdir()
    (folder / "corpus").rename(run / demonstrations.CORPUS)
    said: list[str] = []
    made = demonstrations.make_adapter(config, run, said.append)
    assert made == run / "adapter"
    assert read_config(made).r == 2
    assert said[0] == "training on 6 examples"
    assert said[4].startswith("SFT step 4 of 4, loss ")
    assert said[5].startswith("adapter for version 0, SFT loss ")
    assert demonstrations.make_adapter(config, run, said.append) == made
    assert said[6] == f"the adapter of an earlier start is used: {made}"
