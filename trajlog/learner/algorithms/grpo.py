"""Standard GRPO (DeepSeekMath, arXiv 2402.03300, eq. 3), for comparison.

Advantage divided by the group's standard deviation; PPO's symmetric clip at `clip_low` on both sides; mean over
tokens, then responses. The ratio is taken against the sampler's own log-probabilities instead of the learner's
at the start of the step, since each batch is used for one update.
"""

from collections.abc import Sequence

from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner.advantages import group_advantages
from trajlog.learner.algorithms.base import Algorithm, TokenTerms
from trajlog.learner.loss import clipped_surrogate, log_ratio, token_weights


def advantages(rewards: Sequence[float], num_tokens: Sequence[int], config: LearnerConfig) -> list[float]:
    return group_advantages(rewards, divide_by_std=True)


def token_loss(terms: TokenTerms, config: LearnerConfig) -> Tensor:
    ratios = log_ratio(terms.logprobs, terms.rollout_logprobs)
    return clipped_surrogate(ratios, terms.advantages, config.clip_low, config.clip_low)


ALGORITHM = Algorithm("grpo", advantages, token_loss, token_weights)
