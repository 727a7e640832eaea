"""Layer by layer out of the files: the bits of transformers' own load, no second copy, and what is refused."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoConfig, Qwen3MoeForCausalLM

from tests.learner.reading import held_bytes, watched
from tests.learner.test_qwen3_moe import transformers_model
from trajlog.errors import ModelError
from trajlog.learner.policy import PolicyModel
from trajlog.learner.qwen3_moe import Qwen3MoeModel

TARGETS = ("q_proj", "gate_proj", "up_proj")
LAYERS = 6


def save(path, per_expert: bool, dtype=torch.float32, **changes):
    """Several files; on the hub, experts lie one by one."""
    model = transformers_model(num_hidden_layers=LAYERS, **changes).to(dtype)
    model.save_pretrained(path, max_shard_size="50KB", save_original_format=per_expert)
    names = json.loads((path / "model.safetensors.index.json").read_text())["weight_map"]
    assert len(set(names.values())) > 2
    assert ("model.layers.5.mlp.experts.7.up_proj.weight" in names) is per_expert
    assert ("model.layers.5.mlp.experts.gate_up_proj" in names) is not per_expert


def read(path, dtype=torch.float32, **more):
    return Qwen3MoeModel.from_folder(path, AutoConfig.from_pretrained(path), TARGETS, dtype=dtype, device="cpu", **more)


@pytest.mark.parametrize("per_expert", [True, False])
@pytest.mark.parametrize("stored", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_weights_have_the_bits_of_transformers_own_load(tmp_path, per_expert, stored, dtype):
    save(tmp_path, per_expert, stored)
    want = Qwen3MoeModel.from_transformers(Qwen3MoeForCausalLM.from_pretrained(tmp_path, dtype=dtype), TARGETS)
    got = read(tmp_path, dtype).state_dict()
    assert list(got) == list(want.state_dict())
    for name, tensor in want.state_dict().items():
        assert got[name].dtype == dtype
        assert torch.equal(got[name], tensor), name
    assert got["layers.5.gate_up"].abs().max() > 0


@pytest.mark.parametrize("tied", [True, False])
def test_a_tied_head_is_the_embedding(tmp_path, tied):
    save(tmp_path, per_expert=True, tie_word_embeddings=tied)
    model = read(tmp_path)
    assert (model.head is model.embedding) is tied
    want = Qwen3MoeForCausalLM.from_pretrained(tmp_path)
    assert torch.equal(model.head, want.lm_head.weight)


def test_no_layer_is_ever_held_twice(tmp_path):
    save(tmp_path, per_expert=True)
    before = held_bytes()
    with watched() as held:
        model = read(tmp_path)
    layer = sum(p.nbytes for p in model.layers[0].parameters())
    assert held == [number * layer for number in range(1, LAYERS + 1)]
    assert held_bytes() - before == sum(p.nbytes for p in model.parameters())


def test_each_layer_is_placed_before_the_next_is_read(tmp_path):
    save(tmp_path, per_expert=False)

    def placed(weights):
        for parameter in weights.parameters():
            parameter.data = parameter.data.new_empty(0)
        return weights

    with watched() as held:
        read(tmp_path, placed=placed)
    assert max(held) == min(held) > 0


def test_a_policy_reads_its_mixture_from_the_files(tmp_path, monkeypatch):
    save(tmp_path, per_expert=True)
    monkeypatch.setattr(Qwen3MoeForCausalLM, "from_pretrained", None)
    policy = PolicyModel.load(tmp_path, TARGETS)
    ids = torch.arange(2, 14)
    with torch.no_grad():
        got = policy.score([ids], [torch.arange(1, 12)], None).logprobs
        logits = transformers_model(num_hidden_layers=LAYERS)(input_ids=ids[None]).logits[0].log_softmax(-1)
    torch.testing.assert_close(got, logits[:-1].gather(1, ids[1:, None])[:, 0], rtol=1e-4, atol=1e-4)


ONE = "model.layers.3.mlp.experts.2.down_proj.weight"


def changed(path, change):
    """One file instead of several, with `change` made to its tensors."""
    files = sorted(path.glob("*.safetensors"))
    tensors = {name: tensor for file in files for name, tensor in load_file(file).items()}
    change(tensors)
    for file in [*files, path / "model.safetensors.index.json"]:
        file.unlink()
    save_file(tensors, path / "model.safetensors")


def quantised(tensors):
    tensors[ONE] = tensors[ONE].to(torch.float8_e4m3fn)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda t: t.pop(ONE), f"lacks {ONE}, which its config.json asks for. Fetch the model again"),
        (lambda t: (t.pop(ONE), t.pop("model.norm.weight")), "lacks model.norm.weight and 1 others, which"),
        (lambda t: t.update({"model.layers.3.scale": torch.ones(1)}), "holds model.layers.3.scale, which no Qwen3-MoE"),
        (lambda t: t.update({ONE: t[ONE][:, 1:].contiguous()}), f"{ONE} in .* has shape .32, 15., .* says .32, 16."),
        (quantised, f"{ONE} in .* is stored as F8_E4M3, not as one of F32, BF16, F16: choose"),
    ],
)
def test_tensors_that_do_not_fit_the_config_are_named_before_any_is_read(tmp_path, change, told):
    save(tmp_path, per_expert=True)
    changed(tmp_path, change)
    with watched() as held, pytest.raises(ModelError, match=told):
        PolicyModel.load(tmp_path, TARGETS)
    assert held == []


def test_files_that_are_not_there_or_not_whole_are_named(tmp_path):
    save(tmp_path, per_expert=True)
    first = sorted(tmp_path.glob("*.safetensors"))[0]
    content = first.read_bytes()
    first.write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError, match=f"cannot load the base model from {tmp_path}: .*Fetch it"):
        PolicyModel.load(tmp_path, TARGETS)
    first.unlink()
    with pytest.raises(ModelError, match=f"cannot load the base model from {tmp_path}: .*{first.name}"):
        PolicyModel.load(tmp_path, TARGETS)
    for file in tmp_path.glob("*.safetensors*"):
        file.unlink()
    with pytest.raises(ModelError, match=r"cannot load the base model from .*model\.safetensors"):
        PolicyModel.load(tmp_path, TARGETS)


def test_a_tensor_that_is_not_in_its_file_is_named(tmp_path):
    save(tmp_path, per_expert=True)
    index = tmp_path / "model.safetensors.index.json"
    found = json.loads(index.read_text())
    found["weight_map"][ONE] = found["weight_map"]["model.norm.weight"]
    index.write_text(json.dumps(found))
    with pytest.raises(ModelError, match=f"lacks {ONE}, which model.safetensors.index.json says it holds"):
        read(tmp_path)


def test_a_target_that_the_decoder_lacks_is_refused_before_anything_is_read(tmp_path):
    save(tmp_path, per_expert=True)
    with watched() as held, pytest.raises(ModelError, match="lm_head"):
        PolicyModel.load(tmp_path, ("lm_head",))
    assert held == []
