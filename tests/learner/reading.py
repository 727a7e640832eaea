"""What a process holds while it reads a base model: bytes of all tensors alive."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from trajlog.learner.qwen3_moe_files import Qwen3MoeFiles


def held_bytes() -> int:
    """Of every storage of any tensor alive in this process."""
    gc.collect()
    tensors = [each for each in gc.get_objects() if issubclass(type(each), torch.Tensor) and each.device.type != "meta"]
    return sum({s.data_ptr(): s.nbytes() for s in (t.untyped_storage() for t in tensors)}.values())


@contextmanager
def watched() -> Iterator[list[int]]:
    """Bytes held beyond those at the beginning, each time that a layer has just been read."""
    before, held, original = held_bytes(), [], Qwen3MoeFiles.layer

    def layer(self, number, dtype, device):
        found = original(self, number, dtype, device)
        held.append(held_bytes() - before)
        return found

    Qwen3MoeFiles.layer = layer
    try:
        yield held
    finally:
        Qwen3MoeFiles.layer = original
