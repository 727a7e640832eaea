"""A whole run on a Qwen3-MoE: adapters on its experts are trained and served, and engine and learner agree.

The model is tiny and random, and so are its answers: rewards differ within a group by the number of turns that fit into
the context alone.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from trajlog.schemas import Generation, PolicyAcknowledged, TrainStep
from trajlog.serving.routed_experts import first_position, load_routed_experts
from trajlog.stream.control import ControlFollower
from trajlog.stream.open import open_log

pytestmark = [pytest.mark.model, pytest.mark.slow]
ROOT = Path(__file__).parents[2]
ALL = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
CHAT_TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SETTINGS = """
run_id = "mixture"
[log]
num_partitions = 1
[model]
name = "{folder}/model"
[sampling]
max_tokens = 300
[episode]
tasks = "{tasks}"
task_ids = ["pairs"]
tools = ["done"]
sandbox = "local"
turn_limit = 20
context_limit = 1280
[guards]
max_format_errors = 20
max_identical_calls = 20
max_cycles = 20
max_stalled_calls = 20
[group]
group_size = 4
min_group_size = 3
[staleness]
max_off_policy_steps = 0
off_policy_strategy = "wait"
[scheduler]
high_water_groups = 1
low_water_groups = 0
max_open_groups = 1
[learner]
groups_per_step = 1
max_steps = 2
learning_rate = 1e-2
lora_rank = 4
lora_alpha = 8.0
max_tokens_per_microbatch = 2048
init_adapter = "{folder}/adapter"
[archive]
flush_s = 2.0
[router_replay]
directory = "{folder}/routing"
"""


def make_tokenizer(path: Path) -> None:
    """A token per byte, and ChatML's two marks."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    bytes_ = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate(alphabet)}, merges=[]))
    bytes_.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    bytes_.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(
        tokenizer_object=bytes_, eos_token="<|im_end|>", additional_special_tokens=["<|im_start|>"]
    )
    made.chat_template = CHAT_TEMPLATE
    made.save_pretrained(path)


def make_model(folder: Path) -> None:
    """Random weights, and a random adapter on all projections, so that version 0 is not the base."""
    from tests.learner.test_qwen3_moe import randomise, transformers_model
    from trajlog.learner.qwen3_moe import Qwen3MoeModel
    from trajlog.serving.adapters import AdapterConfig, save_adapter

    hf = transformers_model(vocab_size=258, initializer_range=0.05, max_position_embeddings=4096)
    hf.save_pretrained(folder / "model")
    make_tokenizer(folder / "model")
    model = Qwen3MoeModel.from_transformers(hf, ALL)
    model.lora.add("start", rank=4, alpha=8.0)
    randomise(model, "start")
    config = AdapterConfig(r=4, lora_alpha=8.0, target_modules=tuple(sorted(ALL)))
    save_adapter(folder / "adapter", model.lora.export("start"), config)


@pytest.fixture(scope="module")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixture")
    make_model(folder)
    (folder / "run.toml").write_text(SETTINGS.format(folder=folder, tasks=ROOT / "examples/demo_tasks"))
    command = [sys.executable, "-m", "trajlog", "up", folder / "run.toml", "--run-dir", folder / "run", "--slots", "4"]
    done = subprocess.run(map(str, command), cwd=ROOT, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, f"{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    return folder / "run"


def events(run_dir: Path, topic: str, kind: type) -> list:
    with (
        open_log(f"sqlite:///{run_dir / 'log.db'}") as log,
        ControlFollower(log, f"trajlog.{topic}", {kind.kind}) as follower,
    ):
        return [event for _, event in follower.catch_up() if isinstance(event, kind)]


def test_every_version_is_served_and_the_trained_one_is_sampled_from(run_dir):
    assert [event.policy_version for event in events(run_dir, "control", PolicyAcknowledged)] == [0, 1, 2]
    parts = [part for event in events(run_dir, "rollouts", Generation) for part in event.policy_versions]
    assert {part.policy_version for part in parts} >= {0, 1}


def test_engine_and_learner_agree_on_every_token(run_dir):
    steps = events(run_dir, "control", TrainStep)
    assert [step.policy_version for step in steps if step.groups_trained] == [1, 2]
    for step in steps:
        if step.groups_trained:
            assert step.metrics["num_tokens"] > 500
            assert step.metrics["mismatch_kl"] == pytest.approx(0.0, abs=1e-6)
            assert step.metrics["grad_norm"] > 0


def test_every_generation_names_the_routing_of_the_positions_that_it_fed(run_dir):
    generations = events(run_dir, "rollouts", Generation)
    for event in generations:
        routed = load_routed_experts(event.routed_experts_uri, event.routed_experts_sha256)
        fed = event.prefix_len + len(event.prompt_token_ids) + len(event.token_ids) - 1
        assert routed.shape == (fed - first_position(event.prefix_len), 2, 2)
        assert max(routed.data) < 8
    assert {event.turn > 0 for event in generations} == {False, True}


def test_what_was_trained_are_the_experts(run_dir):
    from trajlog.serving.adapters import load_adapter

    last = sorted((run_dir / "checkpoints").iterdir())[-1]
    trained, _ = load_adapter(last / "adapter")
    start, _ = load_adapter(run_dir.parent / "adapter")
    experts = [key for key in trained if ".mlp.experts." in key]
    assert len(experts) == 2 * 8 * 3 * 2
    assert sum(not trained[key].equal(start[key]) for key in experts) > 0.8 * len(experts)
    assert json.loads((run_dir / "summary.json").read_text())["train_steps"] >= 2
