"""Tensors to a safetensors file straight from their memory: nothing is copied on the host on the way.

safetensors' own `save_file` first makes a `bytes` of every tensor, and refuses tensors that share memory. Here each
tensor's memory is handed to the operating system, one after the other; one on a device is copied to the host when its
turn comes, so that no more than one of them is there at a time. The format: 8 bytes of length, a JSON header, the data.
"""

import json
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_DTYPES = {
    "torch.float64": "F64",
    "torch.float32": "F32",
    "torch.float16": "F16",
    "torch.bfloat16": "BF16",
    "torch.int64": "I64",
    "torch.int32": "I32",
    "torch.int16": "I16",
    "torch.int8": "I8",
    "torch.uint8": "U8",
    "torch.bool": "BOOL",
}
"""safetensors' words for torch's."""


def write_tensors(file: Path, tensors: Mapping[str, "Tensor"]) -> None:
    """A new file with these tensors, on the disk when this returns. Tensors that share memory are written twice.

    The widest dtypes come first, then names in order, so that each begins at a multiple of its width. Raises OSError.
    """
    order = sorted(tensors, key=lambda name: (-tensors[name].element_size(), name))
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name in order:
        begin, end = end, end + tensors[name].nbytes
        header[name] = {
            "dtype": dtype_word(tensors[name]),
            "shape": list(tensors[name].shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with file.open("xb", buffering=0) as stream:
        _write(stream.fileno(), memoryview(struct.pack("<Q", len(text)) + text))
        for name in order:
            _write(stream.fileno(), memory(tensors[name]))
        os.fsync(stream.fileno())


def memory(tensor: "Tensor") -> memoryview:
    """A tensor's bytes in order: its own memory where it is contiguous and on the host, else a copy."""
    import torch

    flat = tensor.detach().cpu().contiguous().reshape(-1)
    return memoryview(flat.view(torch.uint8).numpy())


def dtype_word(tensor: "Tensor") -> str:
    """safetensors' word for its dtype: F32, BF16."""
    return _DTYPES[str(tensor.dtype)]


def _write(descriptor: int, data: memoryview) -> None:
    while len(data):
        data = data[os.write(descriptor, data) :]
