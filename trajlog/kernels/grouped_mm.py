"""Products of routed rows with their expert's own matrix, all experts in one call."""

import itertools

import torch
from torch import Tensor


def grouped_mm(rows: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    """Group g is rows ends[g-1] to ends[g]; `ends` int32 [E] on the device, its last value is S. Groups may be empty.

    rows [S, M] with matrices [E, M, N] gives [S, N]. rows [M, S] with matrices [S, N], both 2-D, gives one product per
    group over its part of S, [E, M, N], zero where a group is empty. On CUDA in bfloat16, without a host sync; row
    strides must be multiples of 16 bytes.
    """
    if rows.is_cuda:
        return torch.nn.functional.grouped_mm(rows, matrices, offs=ends)
    return grouped_mm_reference(rows, matrices, ends)


def grouped_mm_reference(rows: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    groups = list(itertools.pairwise([0, *ends.tolist()]))
    if matrices.dim() == 2:
        return torch.stack([rows[:, a:b] @ matrices[a:b] for a, b in groups])
    return torch.cat([rows[a:b] @ matrices[g] for g, (a, b) in enumerate(groups)])
