"""Dr. GRPO (arXiv 2503.20783): GRPO without its two biases.

No division by the standard deviation, and a response's tokens are summed and divided by a constant instead of by
their number (section 3.2 and listing 1 of the paper), so a long wrong answer is not penalised less per token.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner import loss
from trajlog.learner.advantages import group_advantages
from trajlog.learner.algorithms.base import Algorithm, TokenTerms

LENGTH_TOKENS = 1024
"""The constant that replaces a response's length. It scales the policy term against the KL and BC terms only."""


def advantages(rewards: Sequence[float], num_tokens: Sequence[int], config: LearnerConfig) -> list[float]:
    return group_advantages(rewards, divide_by_std=False)


def token_loss(terms: TokenTerms, config: LearnerConfig) -> Tensor:
    ratios = loss.log_ratio(terms.logprobs, terms.rollout_logprobs)
    return loss.clipped_surrogate(ratios, terms.advantages, config.clip_low, config.clip_low)


def token_weights(num_tokens: Tensor, group: Tensor) -> Tensor:
    """1 / (groups * responses of the group * LENGTH_TOKENS): the mean's weight times n_i / LENGTH_TOKENS."""
    return loss.token_weights(num_tokens, group) * num_tokens.to(torch.float32) / LENGTH_TOKENS


ALGORITHM = Algorithm("dr_grpo", advantages, token_loss, token_weights)
