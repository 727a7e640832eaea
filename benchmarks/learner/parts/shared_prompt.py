"""One group whose trajectories begin with the same prompt, run without and with learner.share_prefix."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor

from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import StepBatch, TrainChain, computed, microbatches, shared_by
from trajlog.learner.cost import seconds
from trajlog.learner.gradients import accumulate_policy_gradients
from trajlog.learner.policy import PolicyModel
from trajlog.learner.update import flat_gradients

from . import lengths
from .objective import POLICY
from .packs import step_batch
from .shape import Shape
from .table import Table
from .timing import Timing, release, timed

PROMPT = 4_096


def group(shape: Shape, scale: float, members: int) -> StepBatch:
    """One group of the length mix, its prompts replaced by one of PROMPT tokens; who would not fit is left out."""
    prompt = round(PROMPT * scale)
    longer = prompt - round(lengths.PROMPT_TOKENS * scale)
    drawn = lengths.realistic(scale=scale).trajectories
    fitting = [t for t in drawn if t.num_tokens + longer <= round(lengths.CONTEXT * scale)][:members]
    moved = (
        replace(t, group=0, num_tokens=t.num_tokens + longer, turns=tuple((a + longer, b + longer) for a, b in t.turns))
        for t in fitting
    )
    batch = step_batch(lengths.Mix(tuple(moved), {}), shape.vocabulary)
    beginning = batch.chains[0].token_ids[:prompt]
    same = (replace(c, token_ids=torch.cat([beginning, c.token_ids[prompt:]])) for c in batch.chains)
    return replace(batch, chains=tuple(same))


def run(policy: PolicyModel, batch: StepBatch, max_tokens: int, table: Table) -> None:
    """Forward and backward passes of the group without sharing, again without, and with it; prints how they compare."""
    config = LearnerConfig(max_tokens_per_microbatch=max_tokens)
    name = f"group of {len(batch.chains)}, microbatches of {max_tokens}, recompute {policy.model.recompute}"
    gradient = flat_gradients(policy.lora.train_only(POLICY))
    alone, alone_loss, alone_gradient = _passes(policy, batch, config, gradient, False, f"{name}: alone", table)
    again, again_loss, again_gradient = _passes(policy, batch, config, gradient, False, f"{name}: alone, again", table)
    shared, shared_loss, shared_gradient = _passes(policy, batch, config, gradient, True, f"{name}: shared", table)
    norm = float(alone_gradient.norm())
    table.fact(
        f"{name}: sharing",
        {
            "times faster than the faster one without": round(min(alone.median_s, again.median_s) / shared.median_s, 3),
            "loss": [alone_loss, again_loss, shared_loss],
            "gradients, relative to those without, again and shared": [
                float(f"{float((other - alone_gradient).norm()) / norm:.3g}")
                for other in (again_gradient, shared_gradient)
            ],
        },
    )
    policy.share_prefix = False
    for parameter in policy.lora.train_only(POLICY):
        parameter.grad = None
    del gradient, alone_gradient, again_gradient, shared_gradient
    release()


def _passes(
    policy: PolicyModel,
    batch: StepBatch,
    config: LearnerConfig,
    gradient: Tensor,
    share_prefix: bool,
    name: str,
    table: Table,
) -> tuple[Timing, float, Tensor]:
    """Timing, loss, and a copy of the gradients, which `gradient` collects."""
    policy.share_prefix = share_prefix
    packs = microbatches(batch.chains, config.max_tokens_per_microbatch, share_prefix)
    passes = [[batch.chains[i] for i in indices] for indices in packs]
    no_means = torch.full((len(batch.num_tokens),), torch.nan)
    losses = []

    def step() -> None:
        gradient.zero_()
        sums = accumulate_policy_gradients(
            policy, batch, packs, no_means, ALGORITHMS[config.algorithm], config, kl_coef=0.0
        )
        losses.append(sums[0])

    timing = timed(step, repeats=2)
    table.fact(
        name,
        {
            "s": round(timing.median_s, 3),
            "microbatches": len(packs),
            "tokens computed": sum(computed(chains, share_prefix) for chains in passes),
            "s by the cost model": round(sum(_cost(chains, share_prefix) for chains in passes), 3),
            "peak_gib": round(timing.peak_gib, 1),
        },
    )
    return timing, float(losses[-1]), gradient.clone()


def _cost(chains: Sequence[TrainChain], share_prefix: bool) -> float:
    return seconds([len(chain.token_ids) for chain in chains], shared_by(chains) if share_prefix else 0)
