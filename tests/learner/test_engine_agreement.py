"""What the engine says it sampled is what the learner scores: on policy the importance ratio is one."""

import contextlib

import pytest
import torch

from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from tests.stream.roles import WITHIN_S
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.serving.adapters import AdapterConfig, save_adapter
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.serving.transformers_engine import TransformersEngine
from trajlog.serving.wire import CompletionRequest

BYTES = 259
EXPERTS = ("gate_proj", "up_proj", "down_proj")


@pytest.mark.parametrize(("build", "targets"), [(tiny_qwen3, TARGETS), (tiny_qwen3_moe, TARGETS + EXPERTS)])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_rollout_logprobs_equal_the_learners(tmp_path, temperature, build, targets):
    build(vocab_size=BYTES).save_pretrained(tmp_path / "model")
    policy = PolicyModel.load(tmp_path / "model", targets, temperature=temperature)
    policy.lora.add(POLICY, rank=4, alpha=8.0)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in policy.lora.parameters(POLICY).values():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    config = AdapterConfig(r=4, lora_alpha=8.0, target_modules=tuple(sorted(targets)))
    save_adapter(tmp_path / "adapter", policy.lora.export(POLICY), config)
    prompts = [list(range(10, 30)), list(range(40, 47)), [5, 6]]
    engine = TransformersEngine(tmp_path / "model", load_tokenizer("byte"), dtype="float32")
    with contextlib.closing(engine):
        engine.load_adapter("policy-000000", tmp_path / "adapter")
        requests = [
            CompletionRequest(
                model="policy-000000", prompt=prompt, max_tokens=24, temperature=temperature, stop_token_ids=[]
            )
            for prompt in prompts
        ]
        completions = [future.result(timeout=WITHIN_S) for future in [engine.submit(r) for r in requests]]
    sequences = [torch.tensor([*p, *c.token_ids]) for p, c in zip(prompts, completions, strict=True)]
    positions = [torch.arange(len(p), len(s)) for p, s in zip(prompts, sequences, strict=True)]
    with torch.no_grad():
        ours = policy.score(sequences, positions, POLICY).logprobs.cpu()
        base = policy.score(sequences, positions, None).logprobs.cpu()
    theirs = torch.tensor([value for c in completions for value in c.logprobs])
    torch.testing.assert_close(ours, theirs, rtol=0, atol=2e-4)
    assert (base - theirs).abs().max() > 0.05
