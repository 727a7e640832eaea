"""The policy loss, term by term, on flat token vectors.

Shapes: T trained tokens of one microbatch, N responses of one optimizer step. A response is one trajectory: all
its generated tokens over all turns and chains. `response` int64 [T] says whose token each is. A trained token
has loss_mask 1, a rollout logprob that is not null, and a turn that is not stale; everything here runs over those
alone. Log-probabilities are natural logs, float32.

The whole: `sum_i w_i * sum_{t in i} loss_t`, with `w_i = token_weights(...)`: the mean over a response's tokens,
then over the group's responses that train, then over groups. A microbatch contributes the sum over its own tokens,
so the sum over microbatches is the loss, whatever the packing was.
"""

import torch
from torch import Tensor

MAX_ABS_LOG_RATIO = 20.0
"""Bound on |log rho| before it is exponentiated: e^20 is far past every clip, and float32 stays finite."""

DRIFT_SLOPE = 48.0
DRIFT_WEIGHT_MIN = 0.1
DRIFT_WEIGHT_MAX = 5.0
"""Constants of the off-policy response weight, as published with the recipe (docs/algorithm.md)."""


def log_ratio(logprobs: Tensor, rollout_logprobs: Tensor) -> Tensor:
    """`log rho = log pi_now - log pi_rollout` per token [T], within ±MAX_ABS_LOG_RATIO."""
    return (logprobs - rollout_logprobs).clamp(-MAX_ABS_LOG_RATIO, MAX_ABS_LOG_RATIO)


def clipped_surrogate(log_ratios: Tensor, advantages: Tensor, clip_low: float, clip_high: float) -> Tensor:
    """Loss per token [T]: `-min(rho A, clip(rho, 1 - clip_low, 1 + clip_high) A)`.

    PPO's clip (arXiv 1707.06347, eq. 7); asymmetric with clip_high > clip_low (DAPO, arXiv 2503.14476, eq. 8).
    """
    ratio = log_ratios.exp()
    clipped = ratio.clamp(1.0 - clip_low, 1.0 + clip_high)
    return -torch.minimum(ratio * advantages, clipped * advantages)


def off_policy_weights(mean_log_ratios: Tensor) -> Tensor:
    """Weight per response [N] from its mean log rho [N]: `clamp(exp(48 * mean log rho), 0.1, 5.0)`, no gradient.

    The mean makes equal drift per token weigh equally whatever the response's length.
    """
    bounded = (DRIFT_SLOPE * mean_log_ratios.detach()).clamp(-MAX_ABS_LOG_RATIO, MAX_ABS_LOG_RATIO)
    return bounded.exp().clamp(DRIFT_WEIGHT_MIN, DRIFT_WEIGHT_MAX)


def k3(log_ratios: Tensor) -> Tensor:
    """KL estimate per token from `x = log(p / q)` at samples of q: `exp(x) - x - 1`, an estimate of KL(q || p).

    Never negative, low variance (Schulman, "Approximating KL Divergence", 2020). With p the reference it is the
    KL penalty (GRPO, arXiv 2402.03300, eq. 4); with p the trainer and q the sampler it is `mismatch_kl`.
    """
    bounded = log_ratios.clamp(-MAX_ABS_LOG_RATIO, MAX_ABS_LOG_RATIO)
    return bounded.exp() - bounded - 1.0


def response_means(values: Tensor, response: Tensor, num_responses: int) -> Tensor:
    """Mean of `values` [T] over each response's tokens, [N]; 0 for a response without tokens."""
    sums = torch.zeros(num_responses, dtype=values.dtype, device=values.device).index_add_(0, response, values)
    counts = torch.zeros_like(sums).index_add_(0, response, torch.ones_like(values))  # bincount waits for the device
    return sums / counts.clamp(min=1)


def token_weights(num_tokens: Tensor, group: Tensor) -> Tensor:
    """Weight of each token of response i [N]: 1 / (groups * responses of its group * its tokens).

    `num_tokens` int64 [N] trained tokens, `group` int64 [N] group of each response. Responses without trained
    tokens weigh 0 and count in no mean; groups without any trained response do not count either.
    """
    trained = num_tokens > 0
    num_groups = int(group.max()) + 1 if len(group) else 0
    members = torch.bincount(group[trained], minlength=num_groups)
    active_groups = max(int((members > 0).sum()), 1)
    denominator = active_groups * members[group].clamp(min=1) * num_tokens.clamp(min=1)
    return torch.where(trained, 1.0 / denominator, 0.0).to(torch.float32)
