"""Adapters on a mixture's experts against transformers with the adapters merged into its weights."""

import pytest
import torch

from tests.learner.test_qwen3_moe import ALL, transformers_model
from trajlog.errors import ModelError
from trajlog.kernels.lora_experts import MixtureLora, inject_mixture_lora
from trajlog.kernels.qwen3_moe_peft import Packed, to_per_expert

EXPERTS = ("gate_proj", "up_proj", "down_proj")
RANKS = {"v1": 3, "v2": 8}
SCALE = 2.0


def packed(rank: int, seed: int) -> list[Packed]:
    """Both layers' experts, random."""
    generator = torch.Generator().manual_seed(seed)

    def pair(width_in: int, width_out: int) -> tuple[torch.Tensor, torch.Tensor]:
        sizes = (8, rank, width_in), (8, rank, width_out)
        a, b = (torch.randn(size, generator=generator) * 0.2 for size in sizes)
        return a, b

    return [{"gate_up_proj": pair(32, 32), "down_proj": pair(16, 32)} for _ in range(2)]


def injected() -> tuple[MixtureLora, torch.nn.Module]:
    """A model's adapters of both versions, and its second layer's experts."""
    model = transformers_model()
    lora = inject_mixture_lora(model, EXPERTS)
    for seed, (name, rank) in enumerate(RANKS.items()):
        lora.load(name, to_per_expert(packed(rank, seed)), rank=rank, alpha=SCALE * rank)
    return lora, model.model.layers[1].mlp.experts


def merged(name: str | None) -> torch.nn.Module:
    """transformers' experts of the second layer with weight + scale * B A."""
    experts = transformers_model().model.layers[1].mlp.experts
    if name is not None:
        for site, (a, b) in packed(RANKS[name], list(RANKS).index(name))[1].items():
            experts.get_parameter(site).data += SCALE * b.transpose(1, 2) @ a
    return experts


def inputs(num_tokens: int = 9):
    generator = torch.Generator().manual_seed(4)
    x = torch.randn(num_tokens, 32, generator=generator)
    experts = torch.rand(num_tokens, 8, generator=generator).topk(3).indices
    return x, experts, torch.rand(num_tokens, 3, generator=generator)


@pytest.mark.parametrize("name", [None, "v1", "v2"])
@pytest.mark.parametrize("num_tokens", [1, 9])
def test_one_adapter_equals_its_sum_with_the_weights(name, num_tokens):
    lora, layer = injected()
    lora.set_active(name)
    torch.testing.assert_close(layer(*inputs(num_tokens)), merged(name)(*inputs(num_tokens)), rtol=1e-4, atol=1e-4)
    assert name is None or (merged(name)(*inputs()) - merged(None)(*inputs())).abs().max() > 0.5


def test_rows_of_one_batch_on_different_adapters_equal_each_alone():
    lora, layer = injected()
    names = ["v2", None, "v1", "v1", "v2", None, "v2", "v1", "v1"]
    lora.set_rows(torch.tensor([-1 if name is None else lora.slots[name] for name in names]))
    mixed = layer(*inputs())
    for row, name in enumerate(names):
        torch.testing.assert_close(mixed[row], merged(name)(*inputs())[row], rtol=1e-4, atol=1e-4)


def test_all_tokens_on_the_same_experts_leave_the_others_empty():
    lora, layer = injected()
    lora.set_active("v1")
    x, _, weights = inputs()
    experts = torch.tensor([[7, 0, 3]]).expand(9, 3)
    torch.testing.assert_close(layer(x, experts, weights), merged("v1")(x, experts, weights), rtol=1e-4, atol=1e-4)


def test_base_weights_are_shared_and_frozen():
    lora, layer = injected()
    assert layer.weight("down_proj") is layer.base.down_proj
    assert not any(p.requires_grad for p in layer.parameters())
    assert list(lora.slots) == list(RANKS)


def test_refusals_say_what_is_wrong():
    lora, layer = injected()
    tensors = to_per_expert(packed(3, 0))
    with pytest.raises(ModelError, match="loaded already"):
        lora.load("v1", tensors, rank=3, alpha=1.0)
    with pytest.raises(ModelError, match=r"'v3'.*expected \(4, 32\)"):
        lora.load("v3", tensors, rank=4, alpha=1.0)
    with pytest.raises(ModelError, match=r"'v3' has 1 tensors that no layer takes, such as other"):
        lora.load("v3", {**tensors, "other": torch.zeros(1)}, rank=3, alpha=1.0)
    assert list(lora.slots) == list(layer.adapters) == list(RANKS)
    lora.set_rows(torch.tensor([0, 1]))
    with pytest.raises(ModelError, match="2 rows are selected"):
        layer(*inputs())
    with pytest.raises(ModelError, match="in use"):
        lora.remove("v1")
    assert "v1" in layer.adapters
    lora.set_active(None)
    lora.remove("v1")
    assert list(lora.slots) == list(layer.adapters) == ["v2"]
    with pytest.raises(ModelError, match=r"layers \[0\] of this Qwen3MoeForCausalLM have no experts"):
        inject_mixture_lora(transformers_model(mlp_only_layers=[0]), ALL)
