"""Ranks on one host without a GPU (gloo): four processes that train as 1, 2 and 4 ranks, for test_ranks.py."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import wait
from pathlib import Path

import torch
import torch.distributed as dist
from safetensors.torch import save_file
from torch import multiprocessing
from torch.utils._python_dispatch import TorchDispatchMode

from tests.learner.reading import held_bytes, watched
from tests.learner.routing import drawn
from tests.learner.test_update import add_adapters, batch, policy_model
from tests.learner.tiny import TARGETS, tiny_qwen3, tiny_qwen3_moe
from trajlog.config import LearnerConfig, ModelConfig, RunConfig
from trajlog.errors import ModelError
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import StepBatch, by_group
from trajlog.learner.examples import Example
from trajlog.learner.following import dismiss, follow, lead
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.rank_processes import connect
from trajlog.learner.ranks import Ranks
from trajlog.learner.recorded_routing import UNRECORDED
from trajlog.learner.sharding import load_base
from trajlog.learner.update import Step, make_optimizer
from trajlog.tensor_file import write_tensors

SIZES = (1, 2, 4)
NUM_STEPS = 3
KL_COEF = 0.3
CONFIG = LearnerConfig(
    learning_rate=1e-2, length_alpha=0.5, max_tokens_per_microbatch=40, bc_coef=0.5, max_grad_norm=0.05
)
ANCHORS = [Example(torch.arange(3, 23), torch.tensor([4, 9, 19])), Example(torch.arange(7, 33), torch.tensor([20]))]


class Communication(TorchDispatchMode):
    """Elements given to each kind of collective, and calls, while it is entered."""

    def __init__(self):
        super().__init__()
        self.elements, self.calls = Counter(), Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        space, _, name = function.name().partition("::")
        if space == "c10d":
            given = args[1] if "allgather" in name or "all_gather" in name else args[0]
            self.calls[name] += 1
            self.elements[name] += sum(t.numel() for t in (given if isinstance(given, list | tuple) else [given]))
        return function(*args, **(kwargs or {}))


def replayed(seed: int) -> StepBatch:
    """`batch` with recorded routing: whole, of a part of the tokens, and of a chain not at all."""
    plain = batch(seed)
    rows: list[torch.Tensor | None] = [drawn(len(c.token_ids), i) for i, c in enumerate(plain.chains)]
    rows[1][4:20] = UNRECORDED
    rows[2] = None
    chains = zip(plain.chains, rows, strict=True)
    return replace(plain, chains=tuple(replace(c, routed_experts=r) for c, r in chains))


EXPERTS = ("gate_proj", "up_proj", "down_proj")
RUNS = {
    "dense": (tiny_qwen3, TARGETS, SIZES, batch),
    "moe": (tiny_qwen3_moe, TARGETS + EXPERTS, SIZES, batch),
    "moe-attention": (tiny_qwen3_moe, TARGETS, (1, 2), batch),
    "moe-replay": (tiny_qwen3_moe, TARGETS + EXPERTS, (1, 2), replayed),
    "moe-read": (tiny_qwen3_moe, TARGETS + EXPERTS, (1, 2), batch),
}
"""Base models, adapted layers, numbers of ranks, each replicated and sharded, and the batch of a step; a base that is
read comes from its files, the others are made in memory."""


def made(name: str, ranks: Ranks, sharding: str, files: Path) -> PolicyModel:
    build, targets, *_ = RUNS[name]
    if not name.endswith("-read"):
        ranks.sharded = sharding == "sharded" and ranks.size > 1
        return policy_model(build, targets=targets)
    learner = LearnerConfig(sharding=sharding, lora_rank=4, lora_alpha=8.0, lora_targets=targets)
    policy = load_base(files, RunConfig(run_id="run", model=ModelConfig(dtype="float32"), learner=learner), ranks)
    add_adapters(policy)
    return policy


def read_deep(ranks: Ranks, out: Path) -> None:
    """Two ranks read a model of six layers in parts; what each held then goes to a file."""
    learner = LearnerConfig(sharding="sharded", lora_rank=4, lora_alpha=8.0, lora_targets=TARGETS + EXPERTS)
    run = RunConfig(run_id="run", model=ModelConfig(dtype="float32"), learner=learner)
    before = held_bytes()
    with watched() as held:
        policy = load_base(out / "deep", run, ranks)
    whole = PolicyModel.of_run(out / "deep", run)
    parts = [sum(p.nbytes for p in layer.parameters()) for layer in policy.model.layers]
    at_end = held_bytes() - before - sum(p.nbytes for p in whole.model.parameters())
    layer = sum(p.nbytes for p in whole.model.layers[0].parameters())
    whole.lora.add(POLICY, rank=4, alpha=8.0)
    told = {
        "held": held,
        "at_end": at_end,
        "parts": parts,
        "outside": sum(p.nbytes for p in (policy.model.embedding, policy.model.head, policy.model.final_norm)),
        "layer": layer,
        "layer_with_room": sum(p.nbytes for p in whole.model.layers[0].parameters()),
    }
    policy.lora.add(POLICY, rank=4, alpha=8.0)
    try:
        policy.lora.add(REFERENCE, rank=9, alpha=8.0)
    except ModelError as error:
        told["refused"] = str(error)
    (out / f"deep-{ranks.rank}.json").write_text(json.dumps(told))


def train(ranks: Ranks, policy: PolicyModel, layer_elements: int, out: Path, make: Callable[[int], StepBatch]) -> None:
    """Rank 0: three steps, its groups fed one by one, and one whose second group is not finite; what happened goes to
    files."""
    config = CONFIG
    optimizer = make_optimizer(policy.lora.train_only(POLICY), config.learning_rate, config.weight_decay)
    lead(policy, optimizer, ranks)
    told = {"adapter_elements": sum(p.numel() for p in policy.lora.parameters(POLICY).values())}
    metrics = []
    for number in range(NUM_STEPS):
        with Communication() as seen:
            step = Step(policy, optimizer, ALGORITHMS["weighted_grpo"], config, KL_COEF, ranks)
            for group in by_group(make(number)):
                step.add(group)
            metrics.append(step.finish(ANCHORS).metrics)
        if number == 0:
            gradient = {str(i): state["exp_avg"] for i, state in optimizer.state_dict()["state"].items()}
            save_file({key: value.clone() for key, value in gradient.items()}, out / "gradient.safetensors")
    before = policy.lora.export(POLICY)
    step = Step(policy, optimizer, ALGORITHMS["weighted_grpo"], config, KL_COEF, ranks)
    first, second = by_group(make(NUM_STEPS))
    second.advantages[0] = math.inf
    for group in (first, second):
        step.add(group)
    spoilt = step.finish(ANCHORS)
    moved = any(not torch.equal(before[name], tensor) for name, tensor in policy.lora.export(POLICY).items())
    told |= {"spoilt": {"applied": spoilt.applied, "moved": moved, "at_fault": spoilt.at_fault}}
    told |= {"layer_elements": layer_elements, "elements": seen.elements, "calls": seen.calls, "metrics": metrics}
    (out / "told.json").write_text(json.dumps(told))
    dismiss(ranks)
    finish(policy, ranks, out)


def frozen_layers(policy: PolicyModel) -> list[torch.Tensor]:
    adapters = {id(p) for name in policy.lora.shapes for p in policy.lora.parameters(name).values()}
    layers = getattr(policy.model, "model", policy.model).layers
    return [p for p in layers.parameters() if id(p) not in adapters]


def take_part(ranks: Ranks, policy: PolicyModel, out: Path) -> None:
    for name in list(policy.lora.shapes):
        policy.lora.remove(name)  # rank 0 sends them
    follow(policy, CONFIG, ranks)
    finish(policy, ranks, out)


def finish(policy, ranks: Ranks, out: Path) -> None:
    write_tensors(out / f"adapter-{ranks.rank}.safetensors", policy.lora.export(POLICY))


def process(rank: int, out: Path) -> None:
    """One of four: for every run a world of its own of the first ranks."""
    connect(rank, max(SIZES), 0, f"file://{out}/meeting")
    for name, (build, targets, sizes, make) in RUNS.items():
        for sharding, size in itertools.product(("replicated", "sharded"), sizes):
            group = dist.new_group(list(range(size)))
            folder = out / f"{name}-{sharding}-{size}"
            folder.mkdir(exist_ok=True)
            if rank < size:
                ranks = Ranks(rank, size, group, group)
                policy = made(name, ranks, sharding, out / "files")
                if rank == 0:
                    whole = policy_model(build, targets=targets)
                    train(ranks, policy, sum(p.numel() for p in frozen_layers(whole)), folder, make)
                else:
                    take_part(ranks, policy, folder)
    group = dist.new_group([0, 1])
    if rank < 2:
        read_deep(Ranks(rank, 2, group, group), out)
    dist.barrier()
    dist.destroy_process_group()


def run_all(out: Path) -> None:
    """Returns when all four have ended well. Forked from one server, so that torch is imported once."""
    tiny_qwen3_moe().save_pretrained(out / "files", max_shard_size="20KB")
    tiny_qwen3_moe(num_layers=6).save_pretrained(out / "deep", max_shard_size="50KB")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.learner.rank_process"])
    processes = [context.Process(target=process, args=(rank, out)) for rank in range(max(SIZES))]
    for each in processes:
        each.start()
    while any(each.exitcode is None for each in processes) and not any(each.exitcode for each in processes):
        wait([each.sentinel for each in processes if each.exitcode is None])
    codes = [each.exitcode for each in processes]
    for each in processes:
        each.kill()  # those that wait for one that failed
    assert codes == [0] * max(SIZES), codes
