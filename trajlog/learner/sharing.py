"""The beginning that sequences of a microbatch share, which is then computed once. Pure.

    [shared beginning][rest of sequence 0][rest of sequence 1] ...

No trained token lies in it, and no state that a trained token is predicted from.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

MULTIPLE = 128
"""Its length is cut down to a multiple of this: attention kernels are fast there, and cuDNN sees few lengths."""


def shared_length(sequences: Sequence[Tensor], positions: Sequence[Tensor]) -> int:
    """How many tokens are computed once, 0 where it would be fewer than MULTIPLE or there are not two sequences.

    `sequences[i]` int64 [T_i] token ids, `positions[i]` int64 [n_i] of the trained ones, rising. Every sequence takes
    part: one that begins otherwise leaves nothing to share. Each keeps a token at least.
    """
    if len(sequences) < 2:
        return 0
    first = sequences[0]
    common = min(len(s) if len(p) == 0 else int(p[0]) for s, p in zip(sequences, positions, strict=True)) - 1
    for other in sequences[1:]:
        common = min(common, len(first), len(other))
        different = (first[:common] != other[:common]).nonzero()
        common = int(different[0]) if len(different) else common
    return common // MULTIPLE * MULTIPLE


def end_to_end(sequences: Sequence[Tensor], shared: int) -> Tensor:
    """Sequences end to end, the shared part once.

    Token t of sequence i, behind the shared part, lies at t + the sum of the rests' lengths before i.

    >>> end_to_end([torch.tensor([5, 6, 1]), torch.tensor([5, 6, 2, 3])], 2).tolist()
    [5, 6, 1, 2, 3]
    """
    return torch.cat([sequences[0][:shared], *(s[shared:] for s in sequences)])


def end_to_end_lengths(lengths: Sequence[int], shared: int) -> list[int]:
    """Documents of `end_to_end`: the shared part first where there is one.

    >>> end_to_end_lengths([3, 4], 2), end_to_end_lengths([3, 4], 0)
    ([2, 1, 2], [3, 4])
    """
    rests = [n - shared for n in lengths]
    return [shared, *rests] if shared else rests
