import logging

import pytest

from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.config import LearnerConfig, ModelConfig, RunConfig
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.ranks import Ranks
from trajlog.learner.sharding import count_elements, decide, load_base

GIB = 1024**3
CODER_30B = dict(base_bytes=57 * GIB, adapter_elements=315_000_000)


@pytest.mark.parametrize(("memory_gib", "sharded"), [(140, False), (94, True), (80, True)])
def test_auto_shards_only_where_the_whole_base_leaves_too_little_memory(memory_gib, sharded):
    found, why = decide("auto", num_ranks=2, memory_bytes=memory_gib * GIB, **CODER_30B)
    assert found is sharded
    assert f"take 62.9 GiB of {memory_gib}.0 GiB on each device, and {'more' if sharded else 'no more'} than" in why


def test_the_setting_goes_before_memory_and_one_rank_before_the_setting():
    assert decide("sharded", num_ranks=2, memory_bytes=1000 * GIB, **CODER_30B)[0]
    assert not decide("replicated", num_ranks=2, memory_bytes=GIB, **CODER_30B)[0]
    assert not decide("sharded", num_ranks=1, memory_bytes=GIB, **CODER_30B)[0]
    assert not decide("auto", num_ranks=2, memory_bytes=None, **CODER_30B)[0]


@pytest.mark.parametrize(
    ("build", "targets"),
    [(tiny_qwen3, TARGETS), (tiny_qwen3, ("self_attn.q_proj", "down_proj")), (tiny_qwen3_moe, (*TARGETS, "down_proj"))],
)
def test_what_is_counted_before_the_load_is_what_is_there_after_it(build, targets):
    model = build()
    base, adapter = count_elements(model.config, targets, rank=3)
    assert base == sum(p.numel() for p in model.parameters())
    policy = PolicyModel(model, targets)
    policy.lora.add(POLICY, rank=3, alpha=3.0)
    assert adapter == sum(p.numel() for p in policy.lora.parameters(POLICY).values())


def test_the_choice_is_made_before_the_load_and_told(tmp_path, caplog):
    tiny_qwen3().save_pretrained(tmp_path)
    run = RunConfig(run_id="run", model=ModelConfig(dtype="float32"), learner=LearnerConfig(lora_targets=TARGETS))
    ranks = Ranks()
    with caplog.at_level(logging.INFO):
        policy = load_base(tmp_path, run, ranks)
    assert not ranks.sharded
    assert policy.lora.shapes == {}
    assert "ranks: 1, base model replicated: one rank holds it all" in caplog.text
