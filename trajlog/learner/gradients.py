"""Forward and backward passes over microbatches: gradients add up on the adapter's parameters, sums on the device.

The loss is written on log-probabilities: each microbatch's term is differentiated with respect to them, and that
gradient is handed to the model's backward pass. All microbatches see the same weights, so their sum is the batch's.
Nothing of a microbatch is read back from the device.
"""

from collections.abc import Sequence

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.kernels.logprobs import Selected
from trajlog.learner import loss
from trajlog.learner.algorithms import Algorithm, TokenTerms
from trajlog.learner.batch import StepBatch, TrainChain
from trajlog.learner.examples import Example
from trajlog.learner.packing import pack
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.recorded_routing import UNRECORDED
from trajlog.learner.to_device import to_device

SUMS = ("policy_loss", "kl", "mismatch_kl", "ratio", "clipped", "entropy", "routing_agreed", "routing_recorded")
"""What `accumulate_policy_gradients` returns, in order. The first two are weighted as in the loss, the last two are
counts over all tokens and layers (Qwen3MoeModel's `agreement`), the others sums over trained tokens."""


def accumulate_policy_gradients(
    policy: PolicyModel,
    batch: StepBatch,
    packs: Sequence[Sequence[int]],
    split_means: Tensor,
    algorithm: Algorithm,
    config: LearnerConfig,
    kl_coef: float,
) -> Tensor:
    """Adds the gradients of some microbatches of one group, a mean over its responses; float64 [8], see SUMS.

    `packs` are indices into batch.chains. `split_means` float32 [N]: mean log ratio of the responses that lie in
    several microbatches, NaN for those whose mean is known where they are trained (`split_log_ratio_sums`).
    """
    device = policy.device
    totals = torch.zeros(len(SUMS), dtype=torch.float64, device=device)
    agreement = torch.zeros(2, dtype=torch.int64, device=device)
    token_weights = to_device(algorithm.token_weights(batch.num_tokens, batch.group), device)
    mean_weights = to_device(loss.token_weights(batch.num_tokens, batch.group), device)
    all_advantages = to_device(batch.advantages, device)
    split_means = to_device(split_means, device)
    for indices in packs:
        chains = [batch.chains[i] for i in indices]
        response, rollout = _vectors(chains, device)
        reference = None
        if kl_coef > 0:  # before the forward pass that the backward pass belongs to: adapters switch once
            with torch.no_grad():
                reference = _score(policy, chains, REFERENCE).logprobs
        scored = _score(policy, chains, POLICY, agreement, entropy=True)
        assert scored.entropy is not None
        logprobs = scored.logprobs.detach().requires_grad_()
        ratios = loss.log_ratio(logprobs.detach(), rollout)
        means = loss.response_means(ratios, response, len(split_means))
        means = torch.where(split_means.isnan(), means, split_means)
        advantages = all_advantages[response]
        terms = TokenTerms(logprobs, rollout, advantages, means[response])
        policy_loss = (token_weights[response] * algorithm.token_loss(terms, config)).sum()
        (gradient,) = torch.autograd.grad(policy_loss, logprobs)
        clipped = ((gradient == 0) & (advantages != 0)).sum()
        kl = torch.zeros((), device=device)
        if reference is not None:
            kl = (mean_weights[response] * loss.k3(reference - logprobs)).sum()
            gradient = gradient + kl_coef * torch.autograd.grad(kl, logprobs)[0]
        scored.logprobs.backward(gradient)
        sums = (policy_loss, kl, loss.k3(ratios).sum(), ratios.exp().sum(), clipped, scored.entropy.sum())
        totals[: len(sums)] += torch.stack([value.detach().double() for value in sums])
    totals[-2:] += agreement
    return totals


def split_responses(batch: StepBatch, packs: Sequence[Sequence[int]]) -> frozenset[int]:
    """Responses of one group whose chains lie in several microbatches. Most trajectories are one chain."""
    where: dict[int, set[int]] = {}
    for number, indices in enumerate(packs):
        for index in indices:
            where.setdefault(batch.chains[index].response, set()).add(number)
    return frozenset(response for response, numbers in where.items() if len(numbers) > 1)


def split_log_ratio_sums(policy: PolicyModel, batch: StepBatch, packs: Sequence[Sequence[int]]) -> Tensor:
    """Sum of log rho over the trained tokens of some microbatches, by response, float64 [N]. No gradient."""
    sums = torch.zeros(len(batch.num_tokens), dtype=torch.float64, device=policy.device)
    with torch.no_grad():
        for indices in packs:
            chains = [batch.chains[i] for i in indices]
            response, rollout = _vectors(chains, policy.device)
            sums.index_add_(0, response, loss.log_ratio(_score(policy, chains, POLICY).logprobs, rollout).double())
    return sums


def accumulate_cloning_gradients(
    policy: PolicyModel,
    examples: Sequence[Example],
    max_tokens: int,
    coefficient: float,
) -> float:
    """Adds `coefficient` times the gradients of the supervised loss; returns the loss without the coefficient.

    The loss is the mean over examples of the mean over their trained tokens of -log p, in nats.
    """
    packs = pack([len(e.token_ids) for e in examples], max_tokens)
    chosen = [[examples[i] for i in indices] for indices in packs]
    return float(torch.stack([clone(policy, some, len(examples), coefficient) for some in chosen]).sum())


def clone(policy: PolicyModel, examples: Sequence[Example], num_examples: int, coefficient: float) -> Tensor:
    """One microbatch of `accumulate_cloning_gradients`, of `num_examples` in all; its share of the loss, float32 []."""
    scored = policy.score([e.token_ids for e in examples], [e.positions for e in examples], POLICY)
    weights = torch.cat([torch.full((len(e.positions),), 1.0 / len(e.positions)) for e in examples])
    value = -(to_device(weights, policy.device) * scored.logprobs).sum() / num_examples
    (coefficient * value).backward()
    return value.detach()


EMPTY_TOKENS = 2
"""Tokens of a microbatch that trains nothing."""


def run_empty(policy: PolicyModel, *, reference: bool, backward: bool) -> None:
    """A microbatch without data, whose gradient is zero: a rank takes part in what the others gather of the base."""
    token_ids, position = torch.zeros(EMPTY_TOKENS, dtype=torch.int64), torch.tensor([1])
    if reference:
        with torch.no_grad():
            policy.score([token_ids], [position], REFERENCE)
    with torch.set_grad_enabled(backward):
        logprobs = policy.score([token_ids], [position], POLICY).logprobs
    if backward:
        logprobs.backward(torch.zeros_like(logprobs))


def _vectors(chains: Sequence[TrainChain], device: torch.device) -> tuple[Tensor, Tensor]:
    """Response int64 [T] and rollout log-probability float32 [T] of every trained token."""
    response = torch.cat([torch.full((len(c.positions),), c.response) for c in chains])
    rollout = torch.cat([c.rollout_logprobs for c in chains])
    return to_device(response, device), to_device(rollout, device)


def _score(
    policy: PolicyModel,
    chains: Sequence[TrainChain],
    adapter: str,
    agreement: Tensor | None = None,
    *,
    entropy: bool = False,
) -> Selected:
    return policy.score(
        [c.token_ids for c in chains],
        [c.positions for c in chains],
        adapter,
        _recorded(chains),
        agreement,
        entropy=entropy,
    )


def _recorded(chains: Sequence[TrainChain]) -> list[Tensor] | None:
    """Routing of every chain, as soon as any of them has a record."""
    sizes = next((c.routed_experts.shape[1:] for c in chains if c.routed_experts is not None), None)
    if sizes is None:
        return None
    nothing = torch.full((1, *sizes), UNRECORDED, dtype=torch.int16)
    return [nothing.expand(len(c.token_ids), -1, -1) if c.routed_experts is None else c.routed_experts for c in chains]
