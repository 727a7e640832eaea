"""Adapters in PEFT's layouts: round trips, and equal numbers in PEFT itself."""

import json

import peft
import pytest
import torch

from tests.learner.test_qwen3_moe import ALL, LENGTHS, ours, randomise, token_ids, transformers_model
from trajlog.errors import ModelError
from trajlog.kernels.qwen3_moe_peft import STACKED_TARGETS
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.tensor_file import write_tensors

pytestmark = [
    pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning"),
    pytest.mark.filterwarnings("ignore:The following:RuntimeWarning"),  # PEFT's words for patterns that it made itself
]


def test_keys_and_shapes_of_the_per_expert_layout():
    tensors = ours(transformers_model(), rank=4).lora.export("policy")
    assert len(tensors) == 2 * (4 * 2 + 8 * 3 * 2)
    shapes = {key.removeprefix("base_model.model.model.layers.1."): tuple(t.shape) for key, t in tensors.items()}
    assert shapes["self_attn.q_proj.lora_A.weight"] == (4, 32)
    assert shapes["self_attn.k_proj.lora_B.weight"] == (16, 4)
    assert shapes["mlp.experts.7.gate_proj.lora_A.weight"] == (4, 32)
    assert shapes["mlp.experts.7.up_proj.lora_B.weight"] == (16, 4)
    assert shapes["mlp.experts.7.down_proj.lora_A.weight"] == (4, 16)
    assert shapes["mlp.experts.7.down_proj.lora_B.weight"] == (32, 4)


@pytest.mark.parametrize("rank", [1, 4])
def test_an_export_is_in_order_in_memory_and_apart_from_the_parameters(rank):
    model = ours(transformers_model(), rank=rank)
    tensors = model.lora.export("policy")
    assert all(tensor.is_contiguous() for tensor in tensors.values())
    before = {key: tensor.clone() for key, tensor in tensors.items()}
    with torch.no_grad():
        for parameter in model.lora.parameters("policy").values():
            parameter.add_(1.0)
    assert all(torch.equal(before[key], tensor) for key, tensor in tensors.items())
    expert = "base_model.model.model.layers.0.mlp.experts.3."
    gate, up = (tensors[f"{expert}{name}.lora_A.weight"] for name in ("gate_proj", "up_proj"))
    assert gate.data_ptr() == up.data_ptr()


@pytest.mark.parametrize("rank", [2, 20])
@pytest.mark.parametrize("layout", ["export", "export_stacked"])
@pytest.mark.parametrize("targets", [ALL, ALL[4:], ("q_proj", "down_proj")])
def test_round_trip(layout, targets, rank):
    model = ours(transformers_model(), rank=rank, targets=targets)
    model.lora.load("again", getattr(model.lora, layout)("policy"), rank=rank, alpha=2.0 * rank)
    pairs = zip(model.lora.parameters("policy").values(), model.lora.parameters("again").values(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)
    assert torch.equal(*(model(token_ids(), LENGTHS, name).states for name in ("policy", "again")))


@pytest.mark.parametrize("layout", ["export", "export_stacked"])
@pytest.mark.parametrize("rank", [2, 4])
def test_peft_loads_the_export_and_gives_equal_states(tmp_path, layout, rank):
    hf = transformers_model()
    model, ids = ours(hf, rank=rank), token_ids(9)
    want = model(ids, [9], "policy").states
    write_tensors(tmp_path / "adapter_model.safetensors", getattr(model.lora, layout)("policy"))
    stacked = dict(target_modules=list(ALL[:4]), target_parameters=list(STACKED_TARGETS))
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": rank,
        "lora_alpha": 2 * rank,
        **(stacked if layout == "export_stacked" else dict(target_modules=list(ALL))),
    }
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    theirs = peft.PeftModel.from_pretrained(transformers_model(), str(tmp_path)).eval()
    with torch.no_grad():
        got = theirs.base_model.model.model(input_ids=ids[None], use_cache=False).last_hidden_state[0]
        base = model(ids, [9], None).states
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    assert (base - want).abs().max() > 0.1


def test_adapters_of_different_ranks_live_on_one_base():
    model = ours(transformers_model(), rank=2)
    alone = model(token_ids(), LENGTHS, "policy").states
    model.lora.add("wide", rank=20, alpha=20.0)
    randomise(model, "wide", 4)
    wide = model(token_ids(), LENGTHS, "wide").states
    torch.testing.assert_close(model(token_ids(), LENGTHS, "policy").states, alone, rtol=1e-5, atol=1e-5)
    assert (wide - alone).abs().max() > 0.01
    model.lora.remove("wide")
    with pytest.raises(ModelError, match="no adapter 'wide'"):
        model(token_ids(), LENGTHS, "wide")


def test_same_seed_same_adapter():
    model = Qwen3MoeModel.from_transformers(transformers_model(), ALL)
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        model.lora.add(name, rank=2, alpha=2.0, seed=seed)
    a, b, c = (model.lora.export(name) for name in "abc")
    assert all(torch.equal(a[k], b[k]) for k in a)
    assert not all(torch.equal(b[k], c[k]) for k in b)
    assert all(a[k].abs().max() == 0 for k in a if "lora_B" in k)


def test_gradients_reach_the_trained_adapter_only():
    model = ours(transformers_model())
    model.lora.add("reference", rank=4, alpha=8.0)
    trained = model.lora.train_only("policy")
    model(token_ids(), LENGTHS, "policy").states.square().sum().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in trained)
    assert all(p.grad is None for p in model.lora.parameters("reference").values())
    assert all(p.grad is None for p in model.parameters())


def test_refusals_say_what_is_wrong():
    model = ours(transformers_model(), rank=2)
    tensors = model.lora.export("policy")
    with pytest.raises(ModelError, match=r"'b'.*expected"):
        model.lora.load("b", tensors, rank=3, alpha=2.0)
    with pytest.raises(ModelError, match="lacks"):
        model.lora.load("b", {}, rank=2, alpha=2.0)
    with pytest.raises(ModelError, match="no layer takes"):
        model.lora.load("b", {**tensors, "x": torch.zeros(1)}, rank=2, alpha=2.0)
    key = next(k for k in tensors if "up_proj.lora_A" in k)
    with pytest.raises(ModelError, match="share"):
        model.lora.load("b", {**tensors, key: tensors[key] + 1}, rank=2, alpha=2.0)
    assert set(model.lora.shapes) == {"policy"}
