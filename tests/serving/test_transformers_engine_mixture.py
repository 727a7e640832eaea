"""The transformers engine on a Qwen3-MoE equals PEFT and the learner's own decoder, and tells the routing."""

import contextlib
import gc
import random
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import torch
from peft import PeftModel

from tests.learner.test_qwen3_moe import ALL, randomise, transformers_model
from trajlog.errors import ModelError
from trajlog.kernels.lora import LoraSet
from trajlog.learner.policy import PolicyModel
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.serving.adapters import AdapterConfig, load_adapter, save_adapter
from trajlog.serving.routed_experts import RoutedExperts
from trajlog.serving.tokenizers import ByteTokenizer
from trajlog.serving.transformers_engine import TransformersEngine
from trajlog.serving.wire import Completion, CompletionRequest

pytestmark = [
    pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing. is deprecated:FutureWarning"),
    pytest.mark.filterwarnings("ignore:The following:RuntimeWarning"),  # PEFT's words for patterns that it made itself
]
TOLERANCE = 1e-4
"""Nats; fp32 rounding of another order of summation."""
RANKS = {"policy-000000": 4, "policy-000001": 9}
OLD, NEW = RANKS
Table = Callable[[str, list[int]], torch.Tensor]


@pytest.fixture(scope="module")
def model_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("mixture")
    transformers_model(vocab_size=259, max_position_embeddings=512, eos_token_id=257).save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def learner(model_dir: Path) -> PolicyModel:
    """The learner's model with both versions, all of their numbers random."""
    policy = PolicyModel.load(model_dir, ALL)
    for seed, (name, rank) in enumerate(RANKS.items()):
        policy.lora.add(name, rank=rank, alpha=2.0 * rank)
        randomise(policy.model, name, seed)
    return policy


@pytest.fixture(scope="module")
def adapters(learner: PolicyModel, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Directories of both versions as the learner exports them."""
    paths = {name: tmp_path_factory.mktemp("adapters") / name for name in RANKS}
    for name, path in paths.items():
        save_adapter(path, learner.lora.export(name), config_of(RANKS[name]))
    return paths


def config_of(rank: int, targets: tuple[str, ...] = ALL) -> AdapterConfig:
    return AdapterConfig(r=rank, lora_alpha=2.0 * rank, target_modules=tuple(sorted(targets)))


@pytest.fixture(scope="module")
def peft_table(model_dir: Path, adapters: dict[str, Path]) -> Table:
    """Log-probabilities [length, V] of a whole sequence under PEFT and plain transformers."""
    base = transformers_model(vocab_size=259, max_position_embeddings=512, eos_token_id=257)
    model = PeftModel.from_pretrained(base, adapters[OLD], adapter_name=OLD)
    model.load_adapter(str(adapters[NEW]), adapter_name=NEW)
    model.eval()

    def logprobs(name: str, tokens: list[int]) -> torch.Tensor:
        model.set_adapter(name)
        with torch.inference_mode():
            return model(torch.tensor([tokens])).logits[0].log_softmax(-1)

    return logprobs


@pytest.fixture
def engine(model_dir: Path, adapters: dict[str, Path]) -> Iterator[TransformersEngine]:
    torch.set_num_threads(1)
    engine = TransformersEngine(model_dir, ByteTokenizer(), dtype="float32", routed_experts=True)
    with contextlib.closing(engine):
        for name, path in adapters.items():
            engine.load_adapter(name, path)
        yield engine


def tokens_of(length: int, seed: int) -> list[int]:
    return random.Random(seed).choices(range(256), k=length)


def ask(prompt: list[int], max_tokens: int = 6, model: str = OLD, **fields: float) -> CompletionRequest:
    return CompletionRequest(model=model, prompt=prompt, max_tokens=max_tokens, seed=1, **fields)  # type: ignore[arg-type]


def experts_of(routed: RoutedExperts | None) -> np.ndarray:
    assert routed is not None
    return np.frombuffer(routed.data, "u1" if routed.dtype == "U8" else "<i2").reshape(routed.shape)


def check(learner: PolicyModel, peft_table: Table, request: CompletionRequest, out: Completion) -> None:
    """Log-probabilities are PEFT's and the learner's, and the experts are those of the learner's routers."""
    tokens, first = [*request.prompt, *out.token_ids], len(request.prompt)
    table = peft_table(request.model, tokens)
    expected = [table[first - 1 + i, token].item() for i, token in enumerate(out.token_ids)]
    assert out.logprobs == pytest.approx(expected, abs=TOLERANCE)
    ids = torch.tensor(tokens)
    with torch.no_grad():
        scored = learner.score([ids], [torch.arange(first, len(tokens))], request.model).logprobs
        theirs = torch.stack(learner.model(ids[:-1], [len(ids) - 1], request.model).routed_experts, dim=1)
    assert out.logprobs == pytest.approx(scored.tolist(), abs=TOLERANCE)
    ours = experts_of(out.routed_experts)
    assert ours.shape == (len(tokens) - 1, 2, 2)
    assert np.array_equal(np.sort(ours, axis=-1), theirs.sort(dim=-1).values.numpy())


def test_two_versions_in_one_batch_equal_peft_and_the_learner(engine, learner, peft_table) -> None:
    requests = [
        ask(tokens_of(length, seed=length), max_tokens=5 + i, model=(OLD, NEW)[i % 2])
        for i, length in enumerate((1, 2, 40, 17, 300, 3, 64, 33))
    ]
    answers = [future.result(60) for future in [engine.submit(request) for request in requests]]
    for request, out in zip(requests, answers, strict=True):
        check(learner, peft_table, request, out)
    old, new = (peft_table(name, requests[2].prompt) for name in RANKS)
    assert (old - new).abs().max() > 1.0


def test_one_token_leaves_most_experts_without_a_row(engine, learner, peft_table) -> None:
    request = ask(tokens_of(1, 5), max_tokens=1)
    out = engine.submit(request).result(60)
    assert experts_of(out.routed_experts).shape == (1, 2, 2)  # so 6 of 8 experts had none
    check(learner, peft_table, request, out)


def test_the_prefix_cache_gives_choices_back_with_keys_and_values(engine, learner, peft_table) -> None:
    prompt = tokens_of(100, seed=1)
    for turn in range(3):
        request = ask(prompt, max_tokens=10, model=NEW)
        before = engine.num_prompt_reused
        out = engine.submit(request).result(60)
        check(learner, peft_table, request, out)
        assert engine.num_prompt_reused - before == (0 if turn == 0 else len(prompt) - 21)
        prompt = [*prompt, *out.token_ids, *tokens_of(20, seed=turn + 2)]


def test_members_of_a_group_copy_the_choices_of_their_common_prompt(engine, learner, peft_table) -> None:
    prompt = tokens_of(280, seed=3)
    requests = [ask([*prompt, i], max_tokens=4) for i in range(4)]
    for request, future in zip(requests, [engine.submit(r) for r in requests], strict=True):
        check(learner, peft_table, request, future.result(60))
    assert engine.num_prompt_reused >= 3 * 256


def test_a_version_that_is_unloaded_frees_its_numbers(engine, learner, peft_table) -> None:
    engine.submit(ask(tokens_of(30, 1), model=NEW)).result(60)
    experts = [layer.mlp.experts for layer in engine._model.model.layers]
    held = [weakref.ref(t) for layer in experts for pair in layer.adapters[NEW].values() for t in pair]
    assert len(held) == 2 * 2 * 2
    engine.unload_adapter(NEW)
    request = ask(tokens_of(30, 1))
    check(learner, peft_table, request, engine.submit(request).result(60))
    gc.collect()
    assert [ref() for ref in held] == [None] * len(held)
    assert not any("policy-000001" in name for name, _ in engine._model.named_parameters())
    assert {name for name, _, _ in engine._cache._entries.values()} == {OLD}


@pytest.mark.parametrize("targets", [("gate_proj", "up_proj", "down_proj"), ("down_proj", "q_proj"), ("v_proj",)])
def test_any_choice_of_targets(model_dir, tmp_path, targets) -> None:
    policy = PolicyModel.load(model_dir, targets)
    policy.lora.add(OLD, rank=4, alpha=8.0)
    randomise(policy.model, OLD, 3)
    save_adapter(tmp_path / "a", policy.lora.export(OLD), config_of(4, targets))
    request = ask(tokens_of(20, 2))
    with contextlib.closing(TransformersEngine(model_dir, ByteTokenizer(), dtype="float32")) as engine:
        engine.load_adapter(OLD, tmp_path / "a")
        out = engine.submit(request).result(60)
    assert out.routed_experts is None  # nobody asked
    ids = torch.tensor([*request.prompt, *out.token_ids])
    with torch.no_grad():
        scored = policy.score([ids], [torch.arange(20, len(ids))], OLD).logprobs
    assert out.logprobs == pytest.approx(scored.tolist(), abs=TOLERANCE)


def test_the_stacked_layout_is_served_too(model_dir, adapters, learner, tmp_path, peft_table) -> None:
    assert isinstance(learner.model, Qwen3MoeModel)
    save_adapter(tmp_path / "stacked", learner.model.lora.export_stacked(NEW), config_of(RANKS[NEW]))
    request = ask(tokens_of(20, 2), model=NEW)
    engine = TransformersEngine(model_dir, ByteTokenizer(), dtype="float32", routed_experts=True)
    with contextlib.closing(engine):
        engine.load_adapter(NEW, tmp_path / "stacked")
        check(learner, peft_table, request, engine.submit(request).result(60))


KEY = "base_model.model.model.layers.1.mlp.experts.7.down_proj.lora_A.weight"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: {k: v for k, v in t.items() if k != KEY}, rf"'policy-000007': the adapter lacks {KEY}"),
        (lambda t: {**t, KEY: t[KEY][:3]}, rf"{KEY} has shape \(3, 16\), expected \(4, 16\)"),
        (lambda t: {**t, KEY.replace("7", "8"): t[KEY]}, r"no layer takes, such as .*experts\.8\.down_proj"),
        (lambda t: {**t, KEY.replace("down", "gate"): t[KEY][:, :1].expand(4, 32)}, "share"),
        (lambda t: {k: v for k, v in t.items() if "q_proj" not in k}, "lacks 4 tensors, the first is .*q_proj"),
    ],
)
def test_an_adapter_that_does_not_fit_is_refused_and_the_others_serve_on(
    engine, learner, peft_table, adapters, tmp_path, change, words
) -> None:
    tensors, config = load_adapter(adapters[OLD])
    save_adapter(tmp_path / "bad", change(tensors), config)
    with pytest.raises(ModelError, match=words):
        engine.load_adapter("policy-000007", tmp_path / "bad")
    assert engine.models() == [OLD, NEW]
    request = ask(tokens_of(9, 1))
    check(learner, peft_table, request, engine.submit(request).result(60))


@pytest.mark.parametrize(
    ("targets", "words"), [(("q_proj", "lm_head"), r"\['lm_head'\]"), (("gate_proj",), "name both as target modules")]
)
def test_a_target_that_the_model_does_not_have_is_refused(model_dir, tmp_path, targets, words) -> None:
    save_adapter(tmp_path / "bad", {"x": torch.zeros(1)}, config_of(1, targets))
    with (
        contextlib.closing(TransformersEngine(model_dir, ByteTokenizer(), dtype="float32")) as engine,
        pytest.raises(ModelError, match=words),
    ):
        engine.load_adapter(OLD, tmp_path / "bad")


def test_more_than_256_experts_are_numbered_in_two_bytes(tmp_path) -> None:
    hf = transformers_model(vocab_size=259, num_experts=300, num_experts_per_tok=3, eos_token_id=257)
    hf.save_pretrained(tmp_path / "model")
    policy = PolicyModel(hf, ("q_proj",))
    policy.lora.add(OLD, rank=2, alpha=4.0)
    save_adapter(tmp_path / "a", policy.lora.export(OLD), config_of(2, ("q_proj",)))
    engine = TransformersEngine(tmp_path / "model", ByteTokenizer(), dtype="float32", routed_experts=True)
    with contextlib.closing(engine):
        engine.load_adapter(OLD, tmp_path / "a")
        out = engine.submit(ask(tokens_of(40, 2), max_tokens=1)).result(60)
    assert out.routed_experts is not None
    assert out.routed_experts.dtype == "I16"
    with torch.no_grad():
        theirs = torch.stack(policy.model(torch.tensor(tokens_of(40, 2)), [40], OLD).routed_experts, dim=1)
    ours = experts_of(out.routed_experts)
    assert ours.max() > 255
    assert np.array_equal(np.sort(ours, axis=-1), theirs.sort(dim=-1).values.numpy())


def test_choices_of_a_model_without_routers_are_refused(tiny_model) -> None:
    with pytest.raises(ModelError, match="Qwen3ForCausalLM has no routers"):
        TransformersEngine(tiny_model, ByteTokenizer(), dtype="float32", routed_experts=True)


def test_a_dense_model_has_no_mixtures_layers(tiny_model, make_adapter) -> None:
    with contextlib.closing(TransformersEngine(tiny_model, ByteTokenizer(), dtype="float32")) as engine:
        engine.load_adapter(OLD, make_adapter(0))
        assert isinstance(engine._lora, LoraSet)
        assert engine.submit(ask(tokens_of(5, 1))).result(60).routed_experts is None
