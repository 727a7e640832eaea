"""The transformers engine equals plain transformers: mixed lengths, reused prefixes, an adapter a row."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

from trajlog.errors import EngineError, ModelError
from trajlog.kernels.lora import inject_lora
from trajlog.serving.adapters import AdapterConfig, load_adapter, save_adapter
from trajlog.serving.tokenizers import ByteTokenizer, load_tokenizer
from trajlog.serving.transformers_engine import TransformersEngine
from trajlog.serving.wire import BadRequest, Completion, CompletionRequest, UnknownModel

# PEFT asks transformers by a name that transformers has begun to rename.
pytestmark = pytest.mark.filterwarnings("ignore:.is_gradient_checkpointing. is deprecated:FutureWarning")
TOLERANCE = 2e-5
"""Nats; fp32 rounding of another order of summation."""
NAMES = ("policy-000000", "policy-000001", "policy-000002")
MakeAdapter = Callable[[int], Path]


@pytest.fixture
def engine(tiny_model: Path, make_adapter: MakeAdapter) -> Iterator[TransformersEngine]:
    engine = make_engine(tiny_model, make_adapter)
    yield engine
    engine.close()


def make_engine(tiny_model: Path, make_adapter: MakeAdapter, **settings: int) -> TransformersEngine:
    torch.set_num_threads(1)
    engine = TransformersEngine(tiny_model, ByteTokenizer(), dtype="float32", **settings)
    for seed, name in enumerate(NAMES):
        engine.load_adapter(name, make_adapter(seed))
    return engine


@pytest.fixture(scope="module")
def reference(tiny_model: Path, make_adapter: MakeAdapter) -> Callable[[str, list[int]], torch.Tensor]:
    """Log-probabilities [length, V] of a whole sequence under PEFT and plain transformers."""
    model = PeftModel.from_pretrained(
        AutoModelForCausalLM.from_pretrained(tiny_model), make_adapter(0), adapter_name=NAMES[0]
    )
    for seed, name in list(enumerate(NAMES))[1:]:
        model.load_adapter(str(make_adapter(seed)), adapter_name=name)
    model.eval()

    def logprobs(name: str, tokens: list[int]) -> torch.Tensor:
        model.set_adapter(name)
        with torch.inference_mode():
            return model(torch.tensor([tokens])).logits[0].log_softmax(-1)

    return logprobs


def tokens_of(length: int, seed: int) -> list[int]:
    return random.Random(seed).choices(range(256), k=length)


def ask(prompt: list[int], max_tokens: int = 8, model: str = NAMES[0], **fields: float) -> CompletionRequest:
    return CompletionRequest(model=model, prompt=prompt, max_tokens=max_tokens, **fields)  # type: ignore[arg-type]


def check(reference: Callable, request: CompletionRequest, out: Completion) -> None:
    """The answer's logprobs are the model's own for exactly these tokens after exactly this prompt."""
    table = reference(request.model, [*request.prompt, *out.token_ids])
    first = len(request.prompt) - 1
    expected = [table[first + i, token].item() for i, token in enumerate(out.token_ids)]
    assert out.logprobs == pytest.approx(expected, abs=TOLERANCE)


def test_rows_of_mixed_lengths_and_adapters_in_one_batch_equal_plain_transformers(engine, reference) -> None:
    requests = [
        ask(tokens_of(length, seed=length), max_tokens=5 + i, model=NAMES[i % 3])
        for i, length in enumerate((1, 2, 40, 17, 300, 3, 64, 33, 5))
    ]
    answers = [future.result(60) for future in [engine.submit(request) for request in requests]]
    for request, out in zip(requests, answers, strict=True):
        assert len(out.token_ids) == request.max_tokens or out.token_ids[-1] == 257
        check(reference, request, out)


def test_a_growing_conversation_reads_only_what_is_new(engine, reference) -> None:
    prompt = tokens_of(100, seed=1)
    for turn in range(3):
        request = ask(prompt, max_tokens=10)
        before = engine.num_prompt_reused
        out = engine.submit(request).result(60)
        check(reference, request, out)
        expected = 0 if turn == 0 else len(prompt) - 21  # the last sampled token and the 20 new ones were not done
        assert engine.num_prompt_reused - before == expected
        prompt = [*prompt, *out.token_ids, *tokens_of(20, seed=turn + 2)]


def test_members_of_a_group_share_their_first_prompt_even_when_asked_at_once(engine, reference) -> None:
    prompt = tokens_of(280, seed=3)
    requests = [ask([*prompt, i], max_tokens=6) for i in range(4)]
    for request, future in zip(requests, [engine.submit(r) for r in requests], strict=True):
        check(reference, request, future.result(60))
    assert engine.num_prompt_reused >= 3 * 256


def test_keys_of_one_version_are_never_used_by_another(engine, reference) -> None:
    prompt = tokens_of(60, seed=4)
    for name in NAMES:
        request = ask(prompt, max_tokens=6, model=name)
        check(reference, request, engine.submit(request).result(60))
    assert engine.num_prompt_reused == 0


def test_answers_do_not_depend_on_the_prefix_cache(tiny_model, make_adapter) -> None:
    answers = []
    for room in (0, 65536):
        engine = make_engine(tiny_model, make_adapter, prefix_cache_tokens=room)
        first = engine.submit(ask(tokens_of(50, 5), seed=7)).result(60)
        prompt = [*tokens_of(50, 5), *first.token_ids, 1, 2, 3]
        answers.append((first, engine.submit(ask(prompt, seed=8)).result(60)))
        assert (engine.num_prompt_reused > 0) == (room > 0)
        engine.close()
    for without, with_cache in zip(*answers, strict=True):
        assert without.token_ids == with_cache.token_ids
        assert without.logprobs == pytest.approx(with_cache.logprobs, abs=TOLERANCE)


def test_a_seed_fixes_the_draws_and_greedy_needs_none(engine, reference) -> None:
    prompt = tokens_of(10, 6)
    twice = [engine.submit(ask(prompt, 20, seed=3)).result(60).token_ids for _ in range(2)]
    assert twice[0] == twice[1] != engine.submit(ask(prompt, 20, seed=4)).result(60).token_ids
    request = ask(prompt, 5, temperature=0.0)
    out = engine.submit(request).result(60)
    check(reference, request, out)
    table = reference(request.model, [*prompt, *out.token_ids])
    assert out.token_ids == table[len(prompt) - 1 : -1].argmax(-1).tolist()


def test_generation_stops_at_a_stop_token_which_is_part_of_the_answer(engine) -> None:
    prompt = tokens_of(10, 6)
    first = engine.submit(ask(prompt, 5, temperature=0.0)).result(60)
    stop = first.token_ids[2]
    request = CompletionRequest(model=NAMES[0], prompt=prompt, max_tokens=5, temperature=0.0, stop_token_ids=[stop])
    out = engine.submit(request).result(60)
    end = first.token_ids.index(stop) + 1
    assert (out.token_ids, out.finish_reason) == (first.token_ids[:end], "stop")
    assert out.text == ByteTokenizer().decode(first.token_ids[: end - 1])
    assert first.finish_reason == "length"


def test_a_version_that_is_unloaded_finishes_what_runs_and_takes_nothing_new(engine, reference) -> None:
    request = ask(tokens_of(20, 7), max_tokens=120, model=NAMES[1], temperature=0.0)
    running = engine.submit(request)
    engine.unload_adapter(NAMES[1])
    with pytest.raises(UnknownModel, match=NAMES[1]):
        engine.submit(request)
    assert engine.models() == [NAMES[0], NAMES[2]]
    check(reference, request, running.result(60))
    with pytest.raises(UnknownModel):
        engine.unload_adapter(NAMES[1])


def test_a_cancelled_request_makes_room(tiny_model, make_adapter) -> None:
    engine = make_engine(tiny_model, make_adapter, max_batch=1)
    hog = engine.submit(ask(tokens_of(5, 8), max_tokens=500))
    following = engine.submit(ask(tokens_of(5, 9), max_tokens=2))
    assert hog.cancel()
    assert len(following.result(60).token_ids) <= 2
    engine.close()


@pytest.mark.parametrize(
    ("request_", "error", "words"),
    [
        (ask([1, 259]), BadRequest, "259 is not below the vocabulary's 259"),
        (ask([1] * 510, max_tokens=3), BadRequest, "context limit of 512"),
        (ask([1], model="policy-000009"), UnknownModel, "policy-000009"),
    ],
)
def test_what_cannot_be_served_is_refused_at_once(engine, request_, error, words) -> None:
    with pytest.raises(error, match=words):
        engine.submit(request_)


def test_a_wrong_adapter_is_refused_and_the_others_serve_on(engine, reference, make_adapter, tmp_path: Path) -> None:
    tensors, config = load_adapter(make_adapter(0))
    tensors.pop(sorted(tensors)[0])
    save_adapter(tmp_path / "short", tensors, config)
    with pytest.raises(ModelError, match="lacks 1 tensors"):
        engine.load_adapter("policy-000007", tmp_path / "short")
    with pytest.raises(ModelError, match="loaded already"):
        engine.load_adapter(NAMES[0], make_adapter(1))
    request = ask(tokens_of(9, 1))
    check(reference, request, engine.submit(request).result(60))


def test_an_adapter_of_nan_fails_its_own_requests_only(engine, reference, make_adapter, tmp_path: Path) -> None:
    tensors, config = load_adapter(make_adapter(0))
    save_adapter(tmp_path / "nan", {k: t * float("nan") for k, t in tensors.items()}, config)
    engine.load_adapter("policy-000008", tmp_path / "nan")
    bad = engine.submit(ask(tokens_of(9, 1), model="policy-000008"))
    request = ask(tokens_of(9, 1))
    check(reference, request, engine.submit(request).result(60))
    with pytest.raises(EngineError, match=r"policy-000008 gives no finite probabilities"):
        bad.result(60)


def test_closing_fails_what_runs_and_refuses_what_comes(engine) -> None:
    running = engine.submit(ask(tokens_of(5, 8), max_tokens=500))
    engine.close()
    with pytest.raises(EngineError, match="closed"):
        running.result(10)
    with pytest.raises(EngineError, match="closed"):
        engine.submit(ask([1]))


def test_a_model_that_is_not_there_or_needs_another_engine_is_refused(tiny_model: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot load the model"):
        TransformersEngine(tmp_path, ByteTokenizer())
    text = (tiny_model / "config.json").read_text().replace("full_attention", "sliding_attention")
    (tmp_path / "config.json").write_text(text)
    with pytest.raises(ModelError, match="Serve it with vLLM"):
        TransformersEngine(tmp_path, ByteTokenizer())


def test_config_of_an_adapter_is_kept(make_adapter) -> None:
    assert load_adapter(make_adapter(0))[1] == AdapterConfig(
        r=4, lora_alpha=8.0, target_modules=("down_proj", "q_proj", "v_proj")
    )


@pytest.mark.model
@pytest.mark.slow
def test_the_real_small_model_answers_as_plain_transformers_does(smollm2: Path, tmp_path: Path) -> None:
    plain = AutoModelForCausalLM.from_pretrained(smollm2, dtype=torch.float32)
    lora = inject_lora(plain, ("q_proj", "down_proj"))
    lora.add("zero", rank=2, alpha=4.0)
    save_adapter(
        tmp_path / "zero",
        lora.export("zero"),
        AdapterConfig(r=2, lora_alpha=4.0, target_modules=("down_proj", "q_proj")),
    )
    tokenizer = load_tokenizer(smollm2)
    question = [{"role": "user", "content": "What is the capital of France? Answer in one sentence."}]
    prompt = tokenizer.encode(tokenizer.apply_chat_template(question, [], True))
    engine = TransformersEngine(smollm2, tokenizer, dtype="float32")
    try:
        engine.load_adapter(NAMES[0], tmp_path / "zero")
        greedy = engine.submit(ask(prompt, 20, temperature=0.0))
        sampled = engine.submit(ask(prompt, 12, seed=1))
        assert greedy.result(200).text == "The capital of France is Paris."
        assert greedy.result(0).finish_reason == "stop"
        out = sampled.result(200)
    finally:
        engine.close()
    with torch.inference_mode():
        table = plain(torch.tensor([[*prompt, *out.token_ids]])).logits[0].log_softmax(-1)
    expected = [table[len(prompt) - 1 + i, token].item() for i, token in enumerate(out.token_ids)]
    assert out.logprobs == pytest.approx(expected, abs=1e-3)
