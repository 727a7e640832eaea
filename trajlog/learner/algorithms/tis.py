"""Truncated importance sampling: `-min(rho, 2).detach() * A * log pi` per token.

The correction of IMPALA (arXiv 1802.01561, section 4.1) on tokens, as the field uses it against a sampler that
differs from the trainer. With one update per batch PPO's own ratio is one, so its clip does not appear.
Advantage without the standard deviation; mean over tokens, responses, groups.
"""

from collections.abc import Sequence

from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner.advantages import group_advantages
from trajlog.learner.algorithms.base import Algorithm, TokenTerms
from trajlog.learner.loss import log_ratio, token_weights

MAX_RATIO = 2.0
"""The truncation most systems use."""


def advantages(rewards: Sequence[float], num_tokens: Sequence[int], config: LearnerConfig) -> list[float]:
    return group_advantages(rewards, divide_by_std=False)


def token_loss(terms: TokenTerms, config: LearnerConfig) -> Tensor:
    ratio = log_ratio(terms.logprobs.detach(), terms.rollout_logprobs).exp()
    return -ratio.clamp(max=MAX_RATIO) * terms.advantages * terms.logprobs


ALGORITHM = Algorithm("tis", advantages, token_loss, token_weights)
