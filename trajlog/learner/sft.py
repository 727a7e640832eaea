"""Supervised fine-tuning of a fresh adapter: the learner's model, scoring and optimizer, on assistant tokens only."""

import math
import random
from collections.abc import Callable, Sequence

import msgspec
from torch import Tensor

from trajlog.errors import ConfigError, ModelError
from trajlog.learner.examples import Example, fitting
from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.update import accumulate_cloning_gradients, apply_gradients, make_optimizer


class SftConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of one fine-tuning."""

    lora_rank: int
    lora_alpha: float
    epochs: int = 1
    """Passes over the examples, each in a new order."""
    learning_rate: float = 1e-3
    examples_per_step: int = 4
    max_grad_norm: float = 1.0
    max_tokens_per_microbatch: int = 16384
    """Tokens of one forward and backward; longer examples are left out and counted."""
    seed: int = 0
    """Of the adapter's start and of the order."""


class SftStep(msgspec.Struct, frozen=True):
    """Progress: one optimizer step of `num_steps`; `loss` in nats per assistant token, before the step."""

    step: int
    num_steps: int
    loss: float


class SftResult(msgspec.Struct, frozen=True):
    """`adapter` by PEFT key, ready for save_adapter; `losses` of every step; examples left out as too long."""

    adapter: dict[str, Tensor]
    losses: tuple[float, ...]
    num_too_long: int


def train_sft(
    policy: PolicyModel,
    examples: Sequence[Example],
    config: SftConfig,
    on_progress: Callable[[SftStep], None] = lambda step: None,
) -> SftResult:
    """Train a fresh adapter named `policy` on `policy`'s base; it stays loaded.

    Loss of a step: mean over its examples of the mean over their assistant tokens of -log p. The same examples,
    settings and base give the same adapter on the same machine.
    Raises ConfigError without a usable example, ModelError when the loss is not finite.
    """
    usable = fitting(examples, config.max_tokens_per_microbatch)
    if not usable:
        raise ConfigError(
            f"none of {len(examples)} examples has at most {config.max_tokens_per_microbatch} tokens: give more or "
            "shorter demonstrations, or raise max_tokens_per_microbatch"
        )
    policy.lora.add(POLICY, rank=config.lora_rank, alpha=config.lora_alpha, seed=config.seed)
    optimizer = make_optimizer(policy.lora.train_only(POLICY), config.learning_rate, weight_decay=0.0)
    shuffle = random.Random(config.seed)
    steps = [
        order[start : start + config.examples_per_step]
        for order in (shuffle.sample(usable, len(usable)) for _ in range(config.epochs))
        for start in range(0, len(order), config.examples_per_step)
    ]
    losses: list[float] = []
    for number, chosen in enumerate(steps, 1):
        loss = accumulate_cloning_gradients(policy, chosen, config.max_tokens_per_microbatch, 1.0)
        norm = apply_gradients(optimizer, config.max_grad_norm, finite=math.isfinite(loss))
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise ModelError(
                f"the loss of fine-tuning step {number} is not finite ({loss}): lower the learning rate "
                f"({config.learning_rate}), or use float32 for the base model"
            )
        losses.append(loss)
        on_progress(SftStep(number, len(steps), loss))
    return SftResult(policy.lora.export(POLICY), tuple(losses), len(examples) - len(usable))
