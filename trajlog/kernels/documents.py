"""What one pack of tokens consists of: documents end to end, which may all go on from the first."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class Documents:
    """Lengths on the host, and on the device what kernels read of them; made once per pack.

    With `prefix`, the first document is the beginning of every other: [prefix][rest 1][rest 2]. A rest sees the whole
    prefix and itself, and its positions go on from the prefix's length.
    """

    lengths: tuple[int, ...]
    ends: Tensor
    """int32 [documents + 1]: 0, then the running sum of the lengths."""
    positions: Tensor
    """int64 [T]: each token's place in its document, from 0; in a rest from `prefix`."""
    prefix: int = 0
    """Tokens of the first document where all others go on from it; 0 where each stands alone."""

    @classmethod
    def of(cls, lengths: Sequence[int], device: torch.device, *, shared_prefix: bool = False) -> "Documents":
        """Raises ValueError for a length below 1, and for a prefix that nothing goes on from."""
        if not lengths or min(lengths) < 1:
            raise ValueError(f"documents of lengths {list(lengths)}: there must be one at least, none empty")
        if shared_prefix and len(lengths) < 2:
            raise ValueError(f"documents of lengths {list(lengths)}: nothing goes on from the shared prefix")
        prefix = lengths[0] if shared_prefix else 0
        ends = torch.tensor([0, *lengths]).cumsum(0).to(torch.int32)
        starts = [0, *([prefix] * (len(lengths) - 1))]
        positions = torch.cat([torch.arange(a, a + n) for a, n in zip(starts, lengths, strict=True)])
        if device.type == "cuda":  # copies from pinned memory wait for nothing
            ends, positions = ends.pin_memory(), positions.pin_memory()
        return cls(tuple(lengths), ends.to(device, non_blocking=True), positions.to(device, non_blocking=True), prefix)
