"""The recipe of "Training an LLM to use a Debugger": GRPO for asynchronous rollouts of many turns. The default.

Named for what sets it apart from `grpo` and `dr_grpo`: two weights per response.

1. Advantage without the standard deviation (Dr. GRPO), so small process bonuses among failures stay small.
2. Length weight `(L_mean / L_i)^length_alpha`, mean one over the group, on the advantage.
3. Asymmetric clip (DAPO): `clip_high > clip_low`.
4. Off-policy weight `clamp(exp(48 * mean log rho), 0.1, 5.0)` per response, without gradient.
5. Mean over a response's tokens, then the group's responses, then groups.
"""

from collections.abc import Sequence

from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner.advantages import group_advantages, length_weights
from trajlog.learner.algorithms.base import Algorithm, TokenTerms
from trajlog.learner.loss import clipped_surrogate, log_ratio, off_policy_weights, token_weights


def advantages(rewards: Sequence[float], num_tokens: Sequence[int], config: LearnerConfig) -> list[float]:
    weights = length_weights(num_tokens, config.length_alpha)
    return [a * w for a, w in zip(group_advantages(rewards, divide_by_std=False), weights, strict=True)]


def token_loss(terms: TokenTerms, config: LearnerConfig) -> Tensor:
    ratios = log_ratio(terms.logprobs, terms.rollout_logprobs)
    surrogate = clipped_surrogate(ratios, terms.advantages, config.clip_low, config.clip_high)
    return off_policy_weights(terms.mean_log_ratios) * surrogate


ALGORITHM = Algorithm("weighted_grpo", advantages, token_loss, token_weights)
