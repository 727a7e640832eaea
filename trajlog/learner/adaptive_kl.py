"""The KL coefficient that follows a target (Ziegler et al., arXiv 1909.08593, section 2.2). No torch."""

GAIN = 0.1
MAX_ERROR = 0.2
"""Both from the paper: a step moves the coefficient by at most 2%."""


def next_kl_coef(coef: float, measured_kl: float, target_kl: float) -> float:
    """Coefficient for the next step: `coef * (1 + GAIN * clip(measured / target - 1, -0.2, 0.2))`.

    `measured_kl` is this step's KL estimate in nats per token. A coefficient of 0 stays 0 (penalty off), and a
    measurement that is not finite leaves the coefficient as it is.

    >>> next_kl_coef(0.1, measured_kl=0.02, target_kl=0.01)
    0.10200000000000001
    """
    error = measured_kl / target_kl - 1.0
    if error != error:
        return coef
    return coef * (1.0 + GAIN * min(max(error, -MAX_ERROR), MAX_ERROR))
