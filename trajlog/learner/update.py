"""One optimizer step over a batch: forward passes by microbatch, the loss terms put together, clipped gradients, AdamW.

The loss is written on log-probabilities: each microbatch's term is differentiated with respect to them, and that
gradient is handed to the model's backward pass. All microbatches see the same weights, so their sum is the batch's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner import loss
from trajlog.learner.algorithms import Algorithm, TokenTerms
from trajlog.learner.batch import StepBatch, TrainChain
from trajlog.learner.examples import Example
from trajlog.learner.packing import pack
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel


@dataclass(frozen=True)
class Update:
    """What a step did. `applied` is False when the loss or a gradient was not finite; then no parameter moved."""

    applied: bool
    metrics: dict[str, float]


def make_optimizer(
    parameters: Sequence[torch.nn.Parameter], learning_rate: float, weight_decay: float
) -> torch.optim.AdamW:
    """AdamW with torch's default betas and epsilon."""
    return torch.optim.AdamW(parameters, lr=learning_rate, weight_decay=weight_decay)


def update(
    policy: PolicyModel,
    optimizer: torch.optim.Optimizer,
    batch: StepBatch,
    algorithm: Algorithm,
    config: LearnerConfig,
    *,
    kl_coef: float = 0.0,
    anchors: Sequence[Example] = (),
) -> Update:
    """Train the policy adapter once on `batch`, with `anchors` as behaviour-cloning examples.

    The reference adapter must be loaded where `kl_coef` is above 0.
    """
    optimizer.zero_grad(set_to_none=True)
    totals = accumulate_policy_gradients(policy, batch, algorithm, config, kl_coef)
    if anchors:
        totals["bc_loss"] = accumulate_cloning_gradients(
            policy, anchors, config.max_tokens_per_microbatch, config.bc_coef
        )
    metrics = _finish(totals, batch, kl_coef)
    metrics["loss"] += config.bc_coef * totals.get("bc_loss", 0.0)
    norm = apply_gradients(optimizer, config.max_grad_norm, finite=math.isfinite(metrics["loss"]))
    metrics["grad_norm"] = norm
    applied = math.isfinite(norm) and math.isfinite(metrics["loss"])
    return Update(applied, {name: value for name, value in metrics.items() if math.isfinite(value)})


def apply_gradients(optimizer: torch.optim.Optimizer, max_grad_norm: float, finite: bool = True) -> float:
    """Clip to the norm and step; nothing moves unless the loss and the norm are finite. Returns the norm."""
    parameters = [p for group in optimizer.param_groups for p in group["params"]]
    norm = float(torch.nn.utils.clip_grad_norm_(parameters, max_grad_norm))
    if finite and math.isfinite(norm):
        optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm


def accumulate_policy_gradients(
    policy: PolicyModel, batch: StepBatch, algorithm: Algorithm, config: LearnerConfig, kl_coef: float
) -> dict[str, float]:
    """Adds the batch's gradients to the parameters; returns sums over tokens that `_finish` turns into metrics."""
    token_weights = algorithm.token_weights(batch.num_tokens, batch.group)
    mean_weights = loss.token_weights(batch.num_tokens, batch.group)
    microbatches = pack([len(c.token_ids) for c in batch.chains], config.max_tokens_per_microbatch)
    mean_log_ratios = _split_responses(policy, batch, microbatches)
    totals: dict[str, float] = {}
    for indices in microbatches:
        chains = [batch.chains[i] for i in indices]
        response = torch.cat([torch.full((len(c.positions),), c.response) for c in chains])
        rollout = torch.cat([c.rollout_logprobs for c in chains])
        scored = _score(policy, chains, POLICY)
        logprobs = scored.logprobs.detach().cpu().requires_grad_()
        ratios = loss.log_ratio(logprobs.detach(), rollout)
        means = loss.response_means(ratios, response, len(batch.num_tokens))
        for index, value in mean_log_ratios.items():
            means[index] = value
        advantages = batch.advantages[response]
        terms = TokenTerms(logprobs, rollout, advantages, means[response])
        policy_terms = token_weights[response] * algorithm.token_loss(terms, config)
        (gradient,) = torch.autograd.grad(policy_terms.sum(), logprobs)
        sums = {
            "policy_loss": policy_terms.sum(),
            "mismatch_kl": loss.k3(ratios).sum(),
            "ratio": ratios.exp().sum(),
            "clipped": ((gradient == 0) & (advantages != 0)).sum(),
            "entropy": scored.entropy.sum(),
        }
        if kl_coef > 0:
            with torch.no_grad():
                reference = _score(policy, chains, REFERENCE).logprobs.cpu()
            kl = (mean_weights[response] * loss.k3(reference - logprobs)).sum()
            gradient = gradient + kl_coef * torch.autograd.grad(kl, logprobs)[0]
            sums["kl"] = kl
        scored.logprobs.backward(gradient.to(scored.logprobs.device))
        for name, value in sums.items():
            totals[name] = totals.get(name, 0.0) + float(value.detach())
    return totals


def accumulate_cloning_gradients(
    policy: PolicyModel, examples: Sequence[Example], max_tokens: int, coefficient: float
) -> float:
    """Adds `coefficient` times the gradients of the supervised loss; returns the loss without the coefficient.

    The loss is the mean over examples of the mean over their trained tokens of -log p, in nats.
    """
    total = 0.0
    for indices in pack([len(e.token_ids) for e in examples], max_tokens):
        chosen = [examples[i] for i in indices]
        scored = policy.score([e.token_ids for e in chosen], [e.positions for e in chosen], POLICY)
        weights = torch.cat([torch.full((len(e.positions),), 1.0 / len(e.positions)) for e in chosen])
        value = -(weights.to(scored.logprobs.device) * scored.logprobs).sum() / len(examples)
        (coefficient * value).backward()
        total += float(value.detach())
    return total


def _score(policy: PolicyModel, chains: Sequence[TrainChain], adapter: str):
    return policy.score([c.token_ids for c in chains], [c.positions for c in chains], adapter)


def _split_responses(policy: PolicyModel, batch: StepBatch, microbatches: Sequence[Sequence[int]]) -> dict[int, Tensor]:
    """Mean log ratio of responses whose chains lie in several microbatches, by a pass of their own.

    Most trajectories are one chain and need none: their mean is known where they are trained.
    """
    where: dict[int, set[int]] = {}
    for number, indices in enumerate(microbatches):
        for index in indices:
            where.setdefault(batch.chains[index].response, set()).add(number)
    split = {response for response, numbers in where.items() if len(numbers) > 1}
    sums = dict.fromkeys(split, torch.zeros(()))
    with torch.no_grad():
        for chain in batch.chains:
            if chain.response in split:
                logprobs = _score(policy, [chain], POLICY).logprobs.cpu()
                ratio = loss.log_ratio(logprobs, chain.rollout_logprobs).sum()
                sums[chain.response] = sums[chain.response] + ratio
    return {response: total / batch.num_tokens[response] for response, total in sums.items()}


def _finish(totals: dict[str, float], batch: StepBatch, kl_coef: float) -> dict[str, float]:
    num_tokens = int(batch.num_tokens.sum())
    per_token = max(num_tokens, 1)
    metrics = {
        "loss": totals.get("policy_loss", 0.0) + kl_coef * totals.get("kl", 0.0),
        "policy_loss": totals.get("policy_loss", 0.0),
        "mismatch_kl": totals.get("mismatch_kl", 0.0) / per_token,
        "ratio_mean": totals.get("ratio", 0.0) / per_token,
        "clip_fraction": totals.get("clipped", 0.0) / per_token,
        "entropy": totals.get("entropy", 0.0) / per_token,
        "num_tokens": float(num_tokens),
        "num_responses": float((batch.num_tokens > 0).sum()),
        "num_unscored_tokens": float(batch.num_unscored),
        "num_stale_turns": float(batch.num_stale_turns),
    }
    if "kl" in totals:
        metrics |= {"kl": totals["kl"], "kl_coef": kl_coef}
    if "bc_loss" in totals:
        metrics["bc_loss"] = totals["bc_loss"]
    return metrics
