"""Files that safetensors itself reads back, bit for bit."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from trajlog.tensor_file import write_tensors

NUMBERS = [
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int32,
    torch.int16,
    torch.int8,
    torch.uint8,
]


def test_every_dtype_and_shape_reads_back_in_the_same_bits(tmp_path: Path) -> None:
    bits = torch.randint(0, 256, (48,), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    tensors = {f"of {dtype}": bits.view(dtype) for dtype in NUMBERS}
    tensors |= {
        "flags": torch.tensor([True, False, True]),
        "scalar": torch.tensor(3.5),
        "empty": torch.zeros(0, 4),
        "transposed": torch.arange(6.0).reshape(2, 3).T,
        "a part": torch.arange(12.0).reshape(3, 4)[1:, :2],
        "trained": torch.ones(2, requires_grad=True),
    }
    write_tensors(tmp_path / "x", tensors)
    found = load_file(tmp_path / "x")
    assert found.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert (found[name].dtype, found[name].shape) == (tensor.dtype, tensor.shape), name
        plain = tensor.detach().contiguous().reshape(-1)
        assert torch.equal(found[name].reshape(-1).view(torch.uint8), plain.view(torch.uint8)), name


def test_tensors_that_share_memory_are_each_written(tmp_path: Path) -> None:
    shared = torch.arange(4.0)
    write_tensors(tmp_path / "x", {"gate": shared, "up": shared, "half": shared[:2]})
    found = load_file(tmp_path / "x")
    assert {name: tensor.tolist() for name, tensor in found.items()} == {
        "gate": [0, 1, 2, 3],
        "up": [0, 1, 2, 3],
        "half": [0, 1],
    }


def test_a_file_is_never_written_over(tmp_path: Path) -> None:
    write_tensors(tmp_path / "x", {"a": torch.ones(1)})
    with pytest.raises(FileExistsError):
        write_tensors(tmp_path / "x", {"a": torch.zeros(1)})
