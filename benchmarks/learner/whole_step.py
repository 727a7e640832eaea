"""One optimizer step over eight groups of 12 trajectories, really run by the learner's own update, everything on.

    python benchmarks/learner/whole_step.py                  # one H200, about two and a half minutes
    python benchmarks/learner/whole_step.py --flash4         # attention by FlashAttention 4
    python benchmarks/learner/whole_step.py --deterministic  # learner.deterministic against the default, a minute
    python benchmarks/learner/whole_step.py --quick          # a tiny model, also on a CPU

`trajlog.learner.update` on Qwen3-Coder-30B-A3B's shape, over the length mix of parts/lengths.py: per-turn masks,
rollout log-probabilities (the policy's own and seeded noise), length weights, asymmetric clip, off-policy weight per
response, KL to a reference adapter, a behaviour-cloning anchor of four demonstrations, clipping, AdamW. Then the same
without reference and anchor, then one group whose trajectories fill the context (of eight equal ones).

`--deterministic` instead runs steps of the mix's first two groups, everything on, from the same adapter each time,
twice per way: attention by default, by FlashAttention 4 where it is installed, and as `learner.deterministic` has it.
Of each way the second run's time counts; the adapters that both runs ended with, and the optimizer's first moments, are
compared bit by bit.

Every document has its own length, as in a real run, and cuDNN builds a plan for each that it meets: set
TORCH_CUDNN_SDPA_AVOID_RECOMPILE=1 in the environment to do without (kernels 2 to 5% slower).
"""

import argparse
import os
import time
from dataclasses import replace

import msgspec
import torch
from parts import lengths
from parts.adapters import ALPHA, RANK, random_adapter
from parts.objective import POLICY, REFERENCE
from parts.packs import step_batch
from parts.peft_side import base_model
from parts.product_side import EXPERTS, fill
from parts.rollouts import sampled_batch
from parts.shape import QWEN3_CODER_30B_A3B, TINY
from parts.table import Table
from parts.timing import GIB, release, synchronise

from trajlog.config import LearnerConfig
from trajlog.kernels.attention import AttentionBackend, FlashAttention4, choose_attention
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import StepBatch
from trajlog.learner.determinism import set_deterministic
from trajlog.learner.examples import Example, make_example
from trajlog.learner.policy import PolicyModel
from trajlog.learner.update import make_optimizer, update

DEMONSTRATIONS = (2_999, 3_299, 3_899, 4_189)
KL_COEF = 0.02
DETERMINISTIC_GROUPS = 2


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    parser.add_argument("--flash4", action="store_true", help="FlashAttention 4 instead of cuDNN")
    parser.add_argument("--deterministic", action="store_true", help="what learner.deterministic costs")
    arguments = parser.parse_args()
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # as in the deterministic mode, for every way
    quick = arguments.quick
    shape = TINY if quick else QWEN3_CODER_30B_A3B
    scale = 1 / 64 if quick else 1.0
    device = "cuda" if torch.cuda.is_available() else "cpu"
    table = Table(shape)
    policy = PolicyModel(base_model(shape, device, torch.bfloat16 if device == "cuda" else torch.float32), EXPERTS)
    if arguments.flash4:
        policy.model.attention = FlashAttention4()
    for seed, adapter in ((1, POLICY), (2, REFERENCE)):
        policy.lora.add(adapter, rank=RANK, alpha=ALPHA, seed=seed)
        fill(policy.lora, adapter, random_adapter(shape, device, torch.bfloat16, seed))
    release()
    table.fact("attention", type(policy.model.attention).__name__)
    table.fact("TORCH_CUDNN_SDPA_AVOID_RECOMPILE", os.environ.get("TORCH_CUDNN_SDPA_AVOID_RECOMPILE", "unset"))

    plain = LearnerConfig(
        lora_rank=RANK, max_tokens_per_microbatch=round(lengths.CONTEXT * scale), length_alpha=0.5, learning_rate=1e-6
    )
    size = {"groups": 2, "group_size": 3} if quick else {}
    mix = scored(policy, step_batch(lengths.realistic(scale=scale, **size), shape.vocabulary), plain, "mix", table)
    anchors = [demonstration(round(n * scale), shape.vocabulary) for n in DEMONSTRATIONS]
    everything = msgspec.structs.replace(plain, bc_coef=0.1, kl_coef=KL_COEF)
    if arguments.deterministic:
        deterministic(policy, first_groups(mix, DETERMINISTIC_GROUPS), everything, anchors, table)
        print(table.last_line())
        return
    step(policy, mix, everything, anchors, "mix, reference KL and anchor", table)
    step(policy, mix, plain, [], "mix", table)
    size["groups"] = 1
    group = scored(policy, step_batch(lengths.single(scale=scale, **size), shape.vocabulary), plain, "single", table)
    step(policy, group, plain, [], "single, one group", table)
    print(table.last_line())


def scored(policy: PolicyModel, batch: StepBatch, config: LearnerConfig, name: str, table: Table) -> StepBatch:
    """With rollout log-probabilities as a sampler of the same policy would give; prints how long scoring took."""
    start = time.perf_counter()
    batch = sampled_batch(policy, batch, config.max_tokens_per_microbatch)
    table.fact(f"{name}: forward passes alone, s", round(time.perf_counter() - start, 2))
    return batch


def step(
    policy: PolicyModel, batch: StepBatch, config: LearnerConfig, anchors: list[Example], name: str, table: Table
) -> tuple[float, torch.optim.Optimizer]:
    """One update, its optimizer's state new as in a first step. Returns seconds, and the optimizer."""
    release()
    optimizer = make_optimizer(policy.lora.train_only(POLICY), config.learning_rate, config.weight_decay)
    synchronise()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    done = update(
        policy, optimizer, batch, ALGORITHMS[config.algorithm], config, kl_coef=config.kl_coef, anchors=anchors
    )
    synchronise()
    seconds = time.perf_counter() - start
    tokens = sum(len(c.token_ids) for c in batch.chains) + sum(len(a.token_ids) for a in anchors)
    table.fact(
        name,
        {
            "s": round(seconds, 3),
            "tokens": tokens,
            "tok_s": round(tokens / seconds),
            "peak_gib": round(torch.cuda.max_memory_allocated() / GIB, 1) if torch.cuda.is_available() else 0.0,
            "applied": done.applied,
            **{key: float(f"{value:.5g}") for key, value in done.metrics.items()},
        },
    )
    return seconds, optimizer


def deterministic(
    policy: PolicyModel, batch: StepBatch, config: LearnerConfig, anchors: list[Example], table: Table
) -> None:
    """Two equal steps each way: time, and whether they end in the same bits. The last way changes the process."""
    parameters = policy.lora.train_only(POLICY)
    start = [p.detach().cpu().clone() for p in parameters]
    model = policy.model
    takes = (model.device, model.head.dtype, model.shape.head_dim)
    ways: dict[str, AttentionBackend] = {"default": model.attention}
    exact = choose_attention("auto", *takes, deterministic=True)
    if isinstance(exact, FlashAttention4):
        ways["FlashAttention 4"] = FlashAttention4()
    ways["deterministic"] = exact
    seconds: dict[str, float] = {}
    for name, attention in ways.items():
        set_deterministic(name == "deterministic")
        model.attention = attention
        ends = []
        for run in (1, 2):
            with torch.no_grad():
                for parameter, tensor in zip(parameters, start, strict=True):
                    parameter.copy_(tensor)
            label = f"{name} ({type(attention).__name__}), run {run}"
            seconds[name], optimizer = step(policy, batch, config, anchors, label, table)
            found = [*parameters, *(optimizer.state[p]["exp_avg"] for p in parameters)]
            ends.append([tensor.detach().cpu().clone() for tensor in found])
            del optimizer, found
        table.fact(f"{name}: two runs end in", compared(start, *ends))
    for name in list(ways)[:-1]:
        table.fact(f"deterministic dearer than {name} by", f"{seconds['deterministic'] / seconds[name] - 1:+.1%}")


def compared(start: list[torch.Tensor], first: list[torch.Tensor], second: list[torch.Tensor]) -> str:
    """Whether both updates are equal, and how many parameters they moved; `start` has the parameters only."""
    total = sum(t.numel() for t in first)
    differ = sum(int((a != b).sum()) for a, b in zip(first, second, strict=True))
    moved = sum(int((a != b).sum()) for a, b in zip(start, first, strict=False)) / sum(t.numel() for t in start)
    text = "the same bits" if differ == 0 else f"{differ / total:.2%} of {total:,} numbers differ"
    return f"{text}; {moved:.1%} of the parameters moved"


def first_groups(batch: StepBatch, count: int) -> StepBatch:
    """The same batch without the groups behind the first few."""
    kept = int((batch.group < count).sum())  # groups are in order
    return replace(
        batch,
        chains=tuple(c for c in batch.chains if c.response < kept),
        advantages=batch.advantages[:kept],
        group=batch.group[:kept],
        num_tokens=batch.num_tokens[:kept],
    )


def demonstration(num_tokens: int, vocabulary: int) -> Example:
    """A trajectory's worth of tokens, 37% of them the assistant's."""
    generator = torch.Generator().manual_seed(num_tokens)
    ids = torch.randint(0, vocabulary, (num_tokens,), generator=generator).tolist()
    trained = round(lengths.GENERATED_SHARE * num_tokens)
    return make_example(ids, [0] * (num_tokens - trained) + [1] * trained)


if __name__ == "__main__":
    main()
