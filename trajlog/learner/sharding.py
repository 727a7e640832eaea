"""The frozen base on several ranks: whole on each, or a part on each, gathered layer by layer where it is needed.

Sharded is FSDP1 with original parameters: one unit per decoder layer, and a root over them. Outside the units, whole on
every rank: adapters (their gradients are summed once per step, not per pass), embedding, head, final norm. Nothing of
the frozen base has a gradient, so a pass gathers each layer twice, forward and backward, and scatters nothing.
"""

import logging
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import torch
from torch import nn
from torch.distributed.fsdp import BackwardPrefetch, ShardingStrategy
from torch.distributed.fsdp import FullyShardedDataParallel as Fsdp

from trajlog.config import RunConfig
from trajlog.kernels.qwen3_moe_peft import MODEL_TYPE as QWEN3_MOE
from trajlog.kernels.qwen3_moe_peft import sites_of
from trajlog.learner.policy import PolicyModel, read_config, told
from trajlog.learner.qwen3_moe import Qwen3MoeModel
from trajlog.learner.qwen3_moe_adapter import site_sizes
from trajlog.learner.qwen3_moe_lora import room_of
from trajlog.learner.qwen3_moe_shape import Qwen3MoeShape
from trajlog.learner.qwen3_moe_weights import LayerWeights
from trajlog.learner.ranks import Ranks

ACTIVATIONS_SHARE = 0.4
"""Of a device's memory that is to stay free of base and adapters, for what a microbatch keeps for its backward pass.
Qwen3-Coder-30B-A3B with 16,384 tokens takes 0.31 of an H200's."""

BYTES_PER_ADAPTER_ELEMENT = 20
"""float32 parameter, gradient, two moments, and one more for copies and references."""

_logger = logging.getLogger(__name__)


def load_base(path: Path, run: RunConfig, ranks: Ranks) -> PolicyModel:
    """This rank's policy without adapters; all ranks call it, once. `ranks.sharded` is what they choose by `decide`.

    A sharded Qwen3-MoE is cut up as it is read: a rank holds one whole layer at most, twice while it is cut up, and its
    parts of those before. Another model is whole on each rank until `shard_base`.
    Raises ModelError and ConfigError as PolicyModel.load does.
    """
    config = read_config(path)
    ranks.sharded = _choose(path, config, run, ranks)
    if not ranks.sharded or config.model_type != QWEN3_MOE:
        return PolicyModel.of_run(path, run)
    room = room_of(sites_of(run.learner.lora_targets), run.learner.lora_rank)

    def placed(weights: LayerWeights) -> nn.Module:
        weights.make_room(*room)
        return _layer_unit(weights, ranks, next(weights.parameters()).device, [])

    return PolicyModel.of_run(path, run, placed)


def _choose(path: Path, config: Any, run: RunConfig, ranks: Ranks) -> bool:
    """By the least memory of all ranks' devices, so that they agree; rank 0 says why in a log line."""
    memory = (
        torch.cuda.get_device_properties(torch.cuda.current_device()).total_memory if torch.cuda.is_available() else 0
    )
    least = int(ranks.gather(torch.tensor([float(memory)])).min())
    base, adapter = 0, 0
    if ranks.size > 1:
        with told(path):
            base, adapter = count_elements(config, run.learner.lora_targets, run.learner.lora_rank)
    sharded, why = decide(
        run.learner.sharding,
        num_ranks=ranks.size,
        base_bytes=base * getattr(torch, run.model.dtype).itemsize,
        adapter_elements=adapter,
        memory_bytes=least or None,
    )
    if ranks.leads:
        _logger.info("ranks: %d, base model %s: %s", ranks.size, "sharded" if sharded else "replicated", why)
    return sharded


def count_elements(config: Any, target_modules: Sequence[str], rank: int) -> tuple[int, int]:
    """Of the base that a config of transformers describes, and of one adapter on it. Nothing is loaded."""
    from transformers import AutoModelForCausalLM

    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    base = sum(p.numel() for p in model.parameters())
    if config.model_type == QWEN3_MOE:
        shape = Qwen3MoeShape.of(config)
        sizes = [site_sizes(shape)[site] for site in sites_of(target_modules)]
        return base, shape.num_layers * rank * sum(math.prod(e) * (i + o) for e, i, o in sizes)
    adapted = [
        module
        for name, module in model.named_modules()
        if isinstance(module, nn.Linear) and any(f".{name}".endswith(f".{target}") for target in target_modules)
    ]
    return base, rank * sum(module.in_features + module.out_features for module in adapted)


def decide(
    setting: Literal["auto", "replicated", "sharded"],
    *,
    num_ranks: int,
    base_bytes: int,
    adapter_elements: int,
    memory_bytes: int | None,
) -> tuple[bool, str]:
    """Whether to shard, and why in words. `memory_bytes` of one device; None (host memory) is never too little.

    Replicated is the faster, having nothing to gather, so auto shards only where base and adapters leave less than
    ACTIVATIONS_SHARE of the memory.
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
    else:
        root, name = policy.model.base_model, policy.model.base_model_prefix
        layers = root.layers
    for number, layer in enumerate(layers):
        if not isinstance(layer, Fsdp):  # cut up as it was read
            layers[number] = _layer_unit(layer, ranks, policy.device, adapters)
    inside = {id(p) for p in layers.parameters()}
    outside = [p for p in root.parameters() if id(p) not in inside]
    setattr(policy.model, name, _unit(root, ranks, policy.device, [*outside, *adapters]))


def _layer_unit(layer: nn.Module, ranks: Ranks, device: torch.device, ignored: list[nn.Parameter]) -> Fsdp:
    if isinstance(layer, LayerWeights):
        layer.sharded = True
    return _unit(layer, ranks, device, ignored)


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
