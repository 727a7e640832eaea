"""The loss of every side: the recipe's terms on the log-probabilities of one pack."""

from typing import Protocol

import torch
from torch import Tensor

from trajlog.learner.loss import clipped_surrogate, k3, log_ratio, off_policy_weights, response_means

from .packs import Pack

CLIP_LOW, CLIP_HIGH, KL_COEF = 0.2, 0.28, 0.02
POLICY, REFERENCE = "policy", "reference"


class Side(Protocol):
    """One way to compute the same step."""

    name: str

    def logprobs(self, pack: Pack, adapter: str) -> Tensor:
        """Float32 [n] at the pack's positions, with a gradient to the policy adapter where that is on."""
        ...

    def parameters(self) -> list[torch.nn.Parameter]:
        """The trained adapter's."""
        ...

    def gradients(self) -> dict[str, Tensor]:
        """By layer and half, stacked over experts: see adapters.py."""
        ...


def policy_loss(logprobs: Tensor, pack: Pack) -> Tensor:
    """Asymmetric clip, off-policy weight per response, per-turn masks (the positions), mean over responses."""
    ratios = log_ratio(logprobs, pack.rollout_logprobs)
    means = response_means(ratios.detach(), pack.document, len(pack.lengths))
    surrogate = clipped_surrogate(ratios, pack.advantages, CLIP_LOW, CLIP_HIGH)
    return (pack.weights * off_policy_weights(means)[pack.document] * surrogate).sum()


def backward(side: Side, pack: Pack, reference_kl: bool = False) -> Tensor:
    """Forward and backward pass of one pack; the gradients add up. Returns the loss, on the device."""
    reference = None
    if reference_kl:
        with torch.no_grad():
            reference = side.logprobs(pack, REFERENCE)
    logprobs = side.logprobs(pack, POLICY)
    loss = policy_loss(logprobs, pack)
    if reference is not None:
        loss = loss + KL_COEF * (pack.weights * k3(reference - logprobs)).sum()
    loss.backward()
    return loss.detach()
