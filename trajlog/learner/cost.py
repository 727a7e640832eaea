"""What a microbatch costs in time, so that microbatches and ranks can be made equally long. Pure.

Linear in tokens, quadratic in each sequence's length: only the ratio of the two terms matters for a balance. Fitted to
eleven packs on one H200 (Qwen3-Coder-30B-A3B, 48 layers, cuDNN attention) within 3%; the terms are equal at 14,300
tokens.
"""

from collections.abc import Iterable

SECONDS_PER_TOKEN = 3.30e-5
SECONDS_PER_SQUARED_TOKEN = 2.31e-9


def seconds(lengths: Iterable[int], shared: int = 0) -> float:
    """Of one forward and backward pass over sequences of these lengths, in tokens.

    `shared` tokens at the beginning of each are computed once (sharing.py); later ones attend to them in each. What
    the merge of the two parts of attention costs is not counted.

    >>> round(seconds([16384]), 3), round(seconds([8192, 8192]), 3), round(seconds([8192, 8192], 4096), 3)
    (1.161, 0.851, 0.677)
    """
    each = [SECONDS_PER_TOKEN * length + SECONDS_PER_SQUARED_TOKEN * length * length for length in lengths]
    again = SECONDS_PER_TOKEN * shared + SECONDS_PER_SQUARED_TOKEN * shared * shared
    return sum(each) - max(len(each) - 1, 0) * again
