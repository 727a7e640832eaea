"""From host memory to the model's device without waiting for it."""

import torch
from torch import Tensor


def to_device(tensor: Tensor, device: torch.device) -> Tensor:
    """The tensor on `device`; one that is there already as it is.

    A CUDA device copies when its turn comes, from pinned memory: out of pageable memory the host would wait for it. The
    pinned copy's block is not given out again before the device has read it (PyTorch's caching host allocator).
    """
    if device.type == "cuda" and tensor.device.type == "cpu":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)
