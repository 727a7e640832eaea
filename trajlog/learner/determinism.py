"""The same bits for the same batches: `learner.deterministic`."""

import os

import torch


def set_deterministic(enabled: bool) -> None:
    """For this process, before its first product on a GPU; nothing is undone where `enabled` is False.

    PyTorch's operations then take their deterministic form, or raise RuntimeError where there is none; cuBLAS gets a
    fixed workspace, unless CUBLAS_WORKSPACE_CONFIG names one. New tensors are not filled with NaN first, as torch does
    in this mode to show reads of what nobody wrote: that is one more write of each. Attention kernels of their own have
    their own switch.
    """
    if enabled:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True)
        torch.utils.deterministic.fill_uninitialized_memory = False
        torch.backends.cudnn.benchmark = False
