"""The frozen base on several ranks: whole on each, or a part on each, gathered layer by layer where it is needed.

Sharded is FSDP1 with original parameters: one unit per decoder layer, and a root over them. Outside the units, whole on
every rank: adapters (their gradients are summed once per step, not per pass), embedding, head, final norm. Nothing of
the frozen base has a gradient, so a pass gathers each layer twice, forward and backward, and scatters nothing.
"""

import logging
from typing import Literal

import torch
from torch import nn
from torch.distributed.fsdp import BackwardPrefetch, ShardingStrategy
from torch.distributed.fsdp import FullyShardedDataParallel as Fsdp

from trajlog.learner.policy import POLICY, PolicyModel
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.learner.ranks import Ranks

ACTIVATIONS_SHARE = 0.4
"""Of a device's memory that is to stay free of base and adapters, for what a microbatch keeps for its backward pass.
Qwen3-Coder-30B-A3B with 16,384 tokens takes 0.31 of an H200's."""

BYTES_PER_ADAPTER_ELEMENT = 20
"""float32 parameter, gradient, two moments, and one more for copies and references."""

_logger = logging.getLogger(__name__)


def choose(policy: PolicyModel, num_ranks: int, setting: Literal["auto", "replicated", "sharded"]) -> bool:
    """Whether to shard this model's base, by `decide`; says so in a log line. Adapters must be loaded."""
    adapters = {id(p): p for name in policy.lora.shapes for p in policy.lora.parameters(name).values()}
    base = [p for p in policy.model.parameters() if id(p) not in adapters]
    cuda = policy.device.type == "cuda"
    sharded, why = decide(
        setting,
        num_ranks=num_ranks,
        base_bytes=sum(p.numel() * p.element_size() for p in base),
        adapter_elements=sum(p.numel() for p in policy.lora.parameters(POLICY).values()),
        memory_bytes=torch.cuda.get_device_properties(policy.device).total_memory if cuda else None,
    )
    _logger.info("ranks: %d, base model %s: %s", num_ranks, "sharded" if sharded else "replicated", why)
    return sharded


def decide(
    setting: Literal["auto", "replicated", "sharded"],
    *,
    num_ranks: int,
    base_bytes: int,
    adapter_elements: int,
    memory_bytes: int | None,
) -> tuple[bool, str]:
    """Whether to shard, and why in words. `memory_bytes` of one device; None (host memory) is never too little.

    Replicated is the faster (1.998 times one rank's speed on two GPUs, against 1.822), so auto shards only where base
    and adapters leave less than ACTIVATIONS_SHARE of the memory.
    """
    if num_ranks == 1:
        return False, "one rank holds it all"
    if setting != "auto":
        return setting == "sharded", f"learner.sharding is {setting}"
    if memory_bytes is None:
        return False, "ranks without a device of their own share the host's memory"
    held = base_bytes + BYTES_PER_ADAPTER_ELEMENT * adapter_elements
    allowed = (1 - ACTIVATIONS_SHARE) * memory_bytes
    gib = 1024**3
    return held > allowed, (
        f"base and adapters take {held / gib:.1f} GiB of {memory_bytes / gib:.1f} GiB on each device, and "
        f"{'more' if held > allowed else 'no more'} than {allowed / gib:.1f} GiB, which leaves room for microbatches"
    )


def shard_base(policy: PolicyModel, ranks: Ranks) -> None:
    """Each rank keeps 1 / ranks of every decoder layer. All ranks call it, once, with adapters loaded."""
    adapters = [p for name in policy.lora.shapes for p in policy.lora.parameters(name).values()]
    if isinstance(policy.model, Qwen3MoeModel):
        root = layers = policy.model.layers
        name = "layers"
        for weights in layers:
            weights.sharded = True
    else:
        root, name = policy.model.base_model, policy.model.base_model_prefix
        layers = root.layers
    for number, layer in enumerate(layers):
        layers[number] = _unit(layer, ranks, policy.device, adapters)
    inside = {id(p) for p in layers.parameters()}
    outside = [p for p in root.parameters() if id(p) not in inside]
    setattr(policy.model, name, _unit(root, ranks, policy.device, [*outside, *adapters]))


def _unit(module: nn.Module, ranks: Ranks, device: torch.device, ignored: list[nn.Parameter]) -> Fsdp:
    return Fsdp(
        module,
        process_group=ranks.device_group,
        sharding_strategy=ShardingStrategy.FULL_SHARD,
        backward_prefetch=BackwardPrefetch.BACKWARD_PRE,
        forward_prefetch=True,
        limit_all_gathers=True,
        use_orig_params=True,
        device_id=device,
        ignored_states=ignored,
    )
