"""Adapter directories: exact round trip, a digest of numbers, refusals that name the file and the remedy."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from trajlog.errors import ModelError
from trajlog.serving.adapters import AdapterConfig, adapter_sha256, load_adapter, save_adapter

CONFIG = AdapterConfig(r=2, lora_alpha=4.0, target_modules=("q_proj", "v_proj"), base_model_name_or_path="tiny")
A = "base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight"
B = "base_model.model.model.layers.0.self_attn.q_proj.lora_B.weight"


def tensors(seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return {B: torch.randn(4, 2, generator=generator).bfloat16(), A: torch.randn(2, 3, generator=generator)}


def test_saved_adapter_loads_exactly_with_its_config(tmp_path: Path) -> None:
    digest = save_adapter(tmp_path / "a", tensors(), CONFIG)
    loaded, config = load_adapter(tmp_path / "a")
    assert config == CONFIG
    assert loaded.keys() == tensors().keys()
    assert all(torch.equal(loaded[k], v) and loaded[k].dtype == v.dtype for k, v in tensors().items())
    assert digest == adapter_sha256(tmp_path / "a")


def test_digest_is_over_sorted_names_dtypes_shapes_and_raw_bytes(tmp_path: Path) -> None:
    saved = save_adapter(tmp_path / "a", {"x": torch.tensor([[1.0, -2.0]])}, CONFIG)
    raw = b"\x00\x00\x80\x3f\x00\x00\x00\xc0"
    assert saved == hashlib.sha256(b'["x","F32",[1,2],8]' + raw).hexdigest()


def test_digest_ignores_the_order_of_tensors_and_sees_every_bit(tmp_path: Path) -> None:
    first = tensors()
    assert save_adapter(tmp_path / "a", first, CONFIG) == save_adapter(
        tmp_path / "b", dict(reversed(first.items())), CONFIG
    )
    changed = {**first, A: first[A].clone()}
    changed[A][0, 0] = torch.nextafter(changed[A][0, 0], torch.tensor(9.0))
    assert save_adapter(tmp_path / "c", changed, CONFIG) != adapter_sha256(tmp_path / "a")


_KILLED_WHILE_IT_WRITES = """
import os, sys, torch
from pathlib import Path
from trajlog.serving import adapters
adapters.write_tensors = lambda *args: os._exit(9)
config = adapters.AdapterConfig(r=1, lora_alpha=1.0, target_modules=("q_proj",))
adapters.save_adapter(Path(sys.argv[1]), {"x": torch.zeros(1)}, config)
"""


def test_what_a_killed_process_left_is_removed_by_the_next_save_beside_it(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", _KILLED_WHILE_IT_WRITES, str(tmp_path / "b")], check=False)
    assert done.returncode == 9
    (leftover,) = tmp_path.iterdir()
    assert leftover.name.startswith(".b.")
    living = tmp_path / f".c.{os.getppid()}.tmp"
    others = [living, tmp_path / ".other.tmp", tmp_path / "notes.1.tmp"]
    for path in others:
        path.mkdir()
    save_adapter(tmp_path / "a", tensors(), CONFIG)
    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "a", *others])


def test_the_same_adapter_may_be_saved_twice_and_another_one_never_replaces_it(tmp_path: Path) -> None:
    digest = save_adapter(tmp_path / "a", tensors(), CONFIG)
    assert save_adapter(tmp_path / "a", tensors(), CONFIG) == digest
    with pytest.raises(ModelError, match="another adapter"):
        save_adapter(tmp_path / "a", tensors(1), CONFIG)
    assert adapter_sha256(tmp_path / "a") == digest
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize(
    ("break_it", "message"),
    [
        (lambda d: (d / "adapter_model.safetensors").write_bytes(b"PK"), "not a safetensors file"),
        (lambda d: (d / "adapter_model.safetensors").unlink(), "does not exist"),
        (lambda d: (d / "adapter_config.json").unlink(), "not an adapter directory"),
        (lambda d: (d / "adapter_config.json").write_text("{"), "cannot read"),
        (lambda d: (d / "adapter_config.json").write_text('{"r": "two"}'), "r"),
        (lambda d: (d / "adapter_config.json").write_text('{"use_dora": true}'), "use_dora"),
    ],
)
def test_a_broken_adapter_is_refused_with_the_reason(tmp_path: Path, break_it, message: str) -> None:
    save_adapter(tmp_path / "a", tensors(), CONFIG)
    break_it(tmp_path / "a")
    with pytest.raises(ModelError, match=message):
        load_adapter(tmp_path / "a")


def test_a_file_cut_off_at_any_length_is_refused(tmp_path: Path) -> None:
    save_adapter(tmp_path / "a", tensors(), CONFIG)
    file = tmp_path / "a" / "adapter_model.safetensors"
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        with pytest.raises(ModelError):
            adapter_sha256(tmp_path / "a")


def test_peft_reads_the_config(tmp_path: Path) -> None:
    from peft import LoraConfig

    save_adapter(tmp_path / "a", tensors(), CONFIG)
    config = LoraConfig.from_pretrained(str(tmp_path / "a"))
    assert (config.r, config.lora_alpha, config.target_modules) == (2, 4, {"q_proj", "v_proj"})
    assert json.loads((tmp_path / "a" / "adapter_config.json").read_text())["task_type"] == "CAUSAL_LM"
