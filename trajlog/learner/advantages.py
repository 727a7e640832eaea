"""Group-relative advantages and length weights. Plain floats over one sealed group; no torch."""

import math
from collections.abc import Sequence

STD_EPSILON = 1e-6
"""Added to the standard deviation in the standard form, as verl does; the GRPO paper gives no value."""


def group_advantages(rewards: Sequence[float], *, divide_by_std: bool) -> list[float]:
    """Advantage of each member of one group, aligned with `rewards` (all sealed members, never a subset).

    Without the deviation (Dr. GRPO, arXiv 2503.20783, section 3.2): `A_i = R_i - mean(R)`.
    With it (GRPO, arXiv 2402.03300, section 4.1.2): `A_i = (R_i - mean(R)) / (std(R) + eps)`, std with n - 1 as
    TRL and verl compute it. A group of one has advantage 0.

    >>> group_advantages([1.0, 0.0, 0.0, 1.0], divide_by_std=False)
    [0.5, -0.5, -0.5, 0.5]
    """
    mean = math.fsum(rewards) / len(rewards)
    centred = [reward - mean for reward in rewards]
    if not divide_by_std or len(rewards) == 1:
        return centred
    std = math.sqrt(math.fsum(c * c for c in centred) / (len(rewards) - 1))
    return [c / (std + STD_EPSILON) for c in centred]


def length_weights(num_tokens: Sequence[int], alpha: float) -> list[float]:
    """Mild length weight of each member, `(L_mean / L_i)^alpha`, divided by its mean over the group.

    `num_tokens` are generated tokens L_i of all sealed members (counted as at least 1). The weights have mean one;
    `alpha` 0 makes them all one. A weight multiplies the advantage, positive or negative: it is no reward for
    being short.

    >>> length_weights([100, 400], alpha=0.5)   # sqrt(2.5) and sqrt(0.625), over their mean
    [1.3333333333333333, 0.6666666666666666]
    """
    lengths = [max(n, 1) for n in num_tokens]
    mean_length = math.fsum(lengths) / len(lengths)
    raw = [(mean_length / length) ** alpha for length in lengths]
    mean_raw = math.fsum(raw) / len(raw)
    return [r / mean_raw for r in raw]
