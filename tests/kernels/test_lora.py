import json

import peft
import pytest
import torch
from safetensors.torch import save_file

from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.errors import ModelError
from trajlog.kernels.lora import LoraLinear, LoraSet, Selection, inject_lora


def randomise(lora: LoraSet, name: str, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in lora.parameters(name).values():
            parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.2)


def logits(model, ids):
    with torch.no_grad():
        return model(input_ids=ids).logits


def test_one_layer_by_hand():
    base = torch.nn.Linear(2, 1, bias=False)
    base.weight.data = torch.tensor([[1.0, 1.0]])
    selection = Selection(active="a")
    layer = LoraLinear(base, selection)
    layer.lora_A["a"] = torch.nn.Parameter(torch.tensor([[2.0, 0.0]]))
    layer.lora_B["a"] = torch.nn.Parameter(torch.tensor([[3.0]]))
    layer.scaling["a"] = 0.5
    # base 1+10 = 11; adapter 0.5 * (2*1) * 3 = 3
    assert layer(torch.tensor([[1.0, 10.0]])).item() == 14.0
    selection.active = None
    assert layer(torch.tensor([[1.0, 10.0]])).item() == 11.0


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe])
def test_a_new_adapter_changes_nothing_and_a_trained_one_does(build):
    model, ids = build(), torch.randint(0, 512, (2, 9), generator=torch.Generator().manual_seed(1))
    before = logits(model, ids)
    lora = inject_lora(model, TARGETS)
    lora.add("policy", rank=4, alpha=8.0)
    lora.set_active("policy")
    assert torch.equal(logits(model, ids), before)
    randomise(lora, "policy", 3)
    assert (logits(model, ids) - before).abs().max() > 1e-3
    with lora.using(None):
        assert torch.equal(logits(model, ids), before)
    assert lora.selection.active == "policy"


def test_same_seed_same_adapter():
    first, second = (inject_lora(tiny_qwen3(), TARGETS) for _ in range(2))
    first.add("p", rank=2, alpha=2.0, seed=7)
    second.add("p", rank=2, alpha=2.0, seed=7)
    second.add("q", rank=2, alpha=2.0, seed=8)
    a, b, c = first.export("p"), second.export("p"), second.export("q")
    assert a.keys() == b.keys()
    assert all(torch.equal(a[k], b[k]) for k in a)
    assert not all(torch.equal(b[k], c[k]) for k in b)


@pytest.mark.parametrize("build", [tiny_qwen3, tiny_qwen3_moe])
def test_rows_of_one_batch_on_different_adapters_equal_each_alone(build):
    model, ids = build(), torch.randint(0, 512, (4, 7), generator=torch.Generator().manual_seed(2))
    lora = inject_lora(model, TARGETS)
    slots = {name: lora.add(name, rank=r, alpha=4.0) for name, r in (("v1", 2), ("v2", 4))}
    for seed, name in enumerate(slots):
        randomise(lora, name, seed)
    lora.set_rows(torch.tensor([slots["v2"], -1, slots["v1"], slots["v2"]]))
    mixed = logits(model, ids)
    for row, name in enumerate(["v2", None, "v1", "v2"]):
        lora.set_active(name)
        torch.testing.assert_close(mixed[row], logits(model, ids)[row], rtol=1e-5, atol=1e-5)
    lora.set_rows(torch.tensor([slots["v1"]] * 4))
    rows = logits(model, ids)
    lora.set_active("v1")
    assert torch.equal(rows, logits(model, ids))


def test_gradients_reach_the_trained_adapter_only():
    model = tiny_qwen3_moe()
    lora = inject_lora(model, TARGETS)
    lora.add("policy", rank=2, alpha=2.0)
    lora.add("reference", rank=2, alpha=2.0)
    randomise(lora, "policy", 0)
    trained = lora.train_only("policy")
    lora.set_active("policy")
    model(input_ids=torch.tensor([[1, 2, 3]])).logits.square().mean().backward()
    assert all(p.grad is not None and p.grad.abs().max() > 0 for p in trained)
    assert all(p.grad is None for p in lora.parameters("reference").values())
    assert {n for n, p in model.named_parameters() if p.requires_grad} == {
        f"{n}.lora_{x}.policy" for n in lora.layers for x in "AB"
    }


@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing`:FutureWarning")
def test_export_loads_in_peft_with_equal_logits(tmp_path):
    model, ids = tiny_qwen3(), torch.tensor([[5, 6, 7, 8]])
    lora = inject_lora(model, TARGETS)
    lora.add("policy", rank=4, alpha=8.0)
    randomise(lora, "policy", 5)
    lora.set_active("policy")
    save_file(lora.export("policy"), tmp_path / "adapter_model.safetensors")
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "r": 4,
        "lora_alpha": 8,
        "target_modules": list(TARGETS),
    }
    (tmp_path / "adapter_config.json").write_text(json.dumps(config))
    theirs = peft.PeftModel.from_pretrained(tiny_qwen3(), str(tmp_path)).eval()
    torch.testing.assert_close(logits(model, ids), logits(theirs, ids), rtol=0, atol=1e-6)


def test_round_trip_through_export():
    lora = inject_lora(tiny_qwen3(), TARGETS)
    lora.add("a", rank=2, alpha=4.0)
    randomise(lora, "a", 9)
    lora.load("b", lora.export("a"), rank=2, alpha=4.0)
    assert all(torch.equal(x, y) for x, y in zip(lora.export("a").values(), lora.export("b").values(), strict=True))


def test_slots_are_never_given_twice():
    lora = inject_lora(tiny_qwen3(), TARGETS)
    assert [lora.add(n, rank=1, alpha=1.0) for n in ("a", "b")] == [0, 1]
    lora.remove("b")
    assert lora.add("c", rank=1, alpha=1.0) == 2
    with pytest.raises(ModelError, match="slots"):
        lora.set_rows(torch.tensor([1]))


def test_refusals_say_what_is_wrong():
    with pytest.raises(ModelError, match=r"'qqq'.*which has.*q_proj"):
        inject_lora(tiny_qwen3(), ("q_proj", "qqq"))
    lora = inject_lora(tiny_qwen3(), TARGETS)
    lora.add("a", rank=2, alpha=2.0)
    tensors = lora.export("a")
    with pytest.raises(ModelError, match="loaded already"):
        lora.load("a", tensors, rank=2, alpha=2.0)
    with pytest.raises(ModelError, match="expected"):
        lora.load("b", tensors, rank=3, alpha=2.0)
    with pytest.raises(ModelError, match="lacks 16 tensors"):
        lora.load("b", {}, rank=2, alpha=2.0)
    with pytest.raises(ModelError, match="no layer takes"):
        lora.load("b", {**tensors, "x": torch.zeros(1)}, rank=2, alpha=2.0)
    assert set(lora.slots) == {"a"}
    lora.set_active("a")
    with pytest.raises(ModelError, match="in use"):
        lora.remove("a")
    lora.set_rows(torch.tensor([0, 0]))
    with pytest.raises(ModelError, match="2 rows"):
        lora.layers["model.layers.0.self_attn.q_proj"](torch.zeros(3, 1, 32))
