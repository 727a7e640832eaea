"""What an algorithm is: advantages over a sealed group, a loss per token, and a weight per token."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor

from trajlog.config import LearnerConfig


@dataclass(frozen=True)
class TokenTerms:
    """Aligned vectors over the T trained tokens of one microbatch, float32.

    `logprobs` carry the gradient; `advantages` and `mean_log_ratios` are the token's response's values.
    """

    logprobs: Tensor
    rollout_logprobs: Tensor
    advantages: Tensor
    mean_log_ratios: Tensor


@dataclass(frozen=True)
class Algorithm:
    """One algorithm; see the files beside this one.

    `advantages(rewards, num_tokens, config)`: one float per sealed member of a group, aligned.
    `token_loss(terms, config)`: loss per token [T].
    `token_weights(num_tokens [N], group [N])`: weight of every token of response i [N] (loss.py).
    """

    name: str
    advantages: Callable[[Sequence[float], Sequence[int], LearnerConfig], list[float]]
    token_loss: Callable[[TokenTerms, LearnerConfig], Tensor]
    token_weights: Callable[[Tensor, Tensor], Tensor]
