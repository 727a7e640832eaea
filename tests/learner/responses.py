"""Random responses of a step as plain numbers, and the loss of each algorithm on them worked out with `math` alone.

The formulas are written from docs/algorithm.md and share no code with the learner: floats, loops, and gradients by the
rules of calculus.
"""

import math
import random
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner import loss
from trajlog.learner.algorithms import ALGORITHMS, TokenTerms


@dataclass(frozen=True)
class Response:
    """One trajectory: its reward, its generated tokens (masked ones included), and its trained tokens' logprobs."""

    reward: float
    num_generated: int
    logprobs: list[float]
    rollout: list[float]
    reference: list[float]


Groups = list[list[Response]]


def singles(values: Iterable[float]) -> list[float]:
    """Numbers that float32 holds: else 48 times their rounding would be in every off-policy weight."""
    return torch.tensor(list(values), dtype=torch.float32).tolist()


def random_groups(seed: int, sizes: tuple[int, ...] = (3, 4), spread: float = 0.3, most: int = 7) -> Groups:
    """Groups of these sizes; some responses of which nothing is trained, when there are three or more."""
    rng = random.Random(seed)
    groups = []
    for size in sizes:
        group = []
        for index in range(size):
            count = 0 if size > 3 and index == 0 else rng.randint(1, most)
            now = singles(rng.uniform(-8, -0.1) for _ in range(count))
            group.append(
                Response(
                    reward=rng.choice([-1.0, 0.0, 0.25, 1.0]),
                    num_generated=count + rng.randint(0, 5),
                    logprobs=now,
                    rollout=singles(x + rng.gauss(0, spread) for x in now),
                    reference=singles(x + rng.gauss(0, spread) for x in now),
                )
            )
        groups.append(group)
    return groups


def by_hand(name: str, groups: Groups, config: LearnerConfig, kl_coef: float = 0.0) -> tuple[float, list[float]]:
    """The loss, and its derivative by each trained token's log pi_now, in order."""
    training = [[r for r in group if r.logprobs] for group in groups]
    num_groups = sum(bool(group) for group in training)
    total, gradient = 0.0, []
    for group, trained in zip(groups, training, strict=True):
        for response, advantage in zip(group, advantages_by_hand(name, group, config), strict=True):
            if not response.logprobs:
                continue
            ratios = [math.exp(p - q) for p, q in zip(response.logprobs, response.rollout, strict=True)]
            mean = sum(math.log(ratio) for ratio in ratios) / len(ratios)
            drift = min(max(math.exp(48 * mean), 0.1), 5.0) if name == "weighted_grpo" else 1.0
            share = 1 / num_groups / len(trained) / len(ratios)
            policy_share = share * len(ratios) / 1024 if name == "dr_grpo" else share
            for ratio, now, reference in zip(ratios, response.logprobs, response.reference, strict=True):
                value, slope = token_by_hand(name, ratio, now, advantage, config)
                x = reference - now
                total += policy_share * drift * value + kl_coef * share * (math.exp(x) - x - 1)
                gradient.append(policy_share * drift * slope + kl_coef * share * (1 - math.exp(x)))
    return total, gradient


def advantages_by_hand(name: str, group: list[Response], config: LearnerConfig) -> list[float]:
    rewards = [response.reward for response in group]
    mean = sum(rewards) / len(rewards)
    plain = [reward - mean for reward in rewards]
    if name == "grpo" and len(rewards) > 1:
        std = math.sqrt(sum(x * x for x in plain) / (len(rewards) - 1))
        return [x / (std + 1e-6) for x in plain]
    if name == "weighted_grpo":
        lengths = [max(response.num_generated, 1) for response in group]
        average = sum(lengths) / len(lengths)
        weights = [(average / length) ** config.length_alpha for length in lengths]
        return [x * w * len(weights) / sum(weights) for x, w in zip(plain, weights, strict=True)]
    return plain


def token_by_hand(name: str, ratio: float, now: float, advantage: float, config: LearnerConfig) -> tuple[float, float]:
    """Loss of one token and its derivative by log pi_now."""
    if name == "tis":
        weight = min(ratio, 2.0)
        return -weight * advantage * now, -weight * advantage
    high = config.clip_high if name == "weighted_grpo" else config.clip_low
    clipped = min(max(ratio, 1 - config.clip_low), 1 + high)
    if clipped * advantage < ratio * advantage:
        return -clipped * advantage, 0.0
    return -ratio * advantage, -ratio * advantage


def by_code(name: str, groups: Groups, config: LearnerConfig, kl_coef: float = 0.0) -> tuple[float, Tensor]:
    """The same from the learner's functions, in float32."""
    algorithm = ALGORITHMS[name]
    flat = [(index, response) for index, group in enumerate(groups) for response in group]
    advantages: list[float] = []
    for group in groups:
        advantages += algorithm.advantages([r.reward for r in group], [r.num_generated for r in group], config)
    num_tokens = torch.tensor([len(response.logprobs) for _, response in flat])
    group_of = torch.tensor([index for index, _ in flat])
    owner = torch.repeat_interleave(torch.arange(len(flat)), num_tokens)
    logprobs = torch.tensor([x for _, r in flat for x in r.logprobs], requires_grad=True)
    rollout = torch.tensor([x for _, r in flat for x in r.rollout])
    reference = torch.tensor([x for _, r in flat for x in r.reference])
    means = loss.response_means(loss.log_ratio(logprobs.detach(), rollout), owner, len(flat))
    terms = TokenTerms(logprobs, rollout, torch.tensor(advantages)[owner], means[owner])
    total = (algorithm.token_weights(num_tokens, group_of)[owner] * algorithm.token_loss(terms, config)).sum()
    if kl_coef:
        total = (
            total + kl_coef * (loss.token_weights(num_tokens, group_of)[owner] * loss.k3(reference - logprobs)).sum()
        )
    total.backward()
    return float(total.detach()), logprobs.grad
