"""One optimizer step on several GPUs of one host: how it scales, and what a sharded base costs.

    python benchmarks/learner/two_gpus.py                # two H200s, about four minutes
    python benchmarks/learner/two_gpus.py --groups 4     # half of the mix
    python benchmarks/learner/two_gpus.py --quick        # a tiny model on two processes, also on a CPU (gloo)

`trajlog.learner.update` on Qwen3-Coder-30B-A3B's shape, rank 8 on all experts, with reference KL: the same step by one
rank while the others idle, by all ranks with the base whole on each, and by all ranks with the base sharded (FSDP1,
adapters whole and outside). Two workloads: the length mix of parts/lengths.py, and one group whose trajectories fill
the context. Microbatches are dealt by the learner's cost model. Every step runs twice; the second counts, from all
ranks ready to the last one through.

`x one` is the scaling over one rank, `x whole` how much longer than with the base whole on each; `balance` the dealt
cost's mean over ranks by its largest. Of the adapters' gradients an update reduces each element once: the elements that
went into all-reduces and reduce-scatters, and that one rank got by gathering, are counted where torch.distributed is
called.
"""

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.distributed as dist
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
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.batch import StepBatch
from trajlog.learner.policy import PolicyModel
from trajlog.learner.rank_processes import connect
from trajlog.learner.ranks import Message, Ranks
from trajlog.learner.sharding import shard_base
from trajlog.learner.update import Update, make_optimizer, update

KL_COEF = 0.02
STILL = 1e-30
"""A learning rate that rounds away: AdamW runs, and all ranks hold the same adapter whoever has made a step."""

REDUCING = ("all_reduce", "reduce_scatter_tensor", "reduce_scatter")
GATHERING = ("all_gather_into_tensor", "all_gather")
HEADER = (
    f"{'workload':<22}{'ranks, base':<14}{'s':>9}{'tok/s':>9}{'x one':>8}{'x whole':>9}{'balance':>9}{'peak GiB':>10}"
)


class Together(Ranks):
    """Ranks that all hold the same batches, so none is told of them."""

    def tell(self, message: Message) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--groups", type=int, default=8, help="groups of 12 in the length mix")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        given = (arguments.ranks, f"file://{folder}/ranks", arguments.quick, arguments.groups)
        torch.multiprocessing.spawn(process, given, nprocs=arguments.ranks)


def process(rank: int, size: int, meeting: str, quick: bool, groups: int) -> None:
    """One rank, all through."""
    found = connect(rank, size, rank, meeting)
    try:
        run(Together(rank, size, found.device_group, found.control), quick, groups)
    finally:
        dist.destroy_process_group()


def run(ranks: Ranks, quick: bool, groups: int) -> None:
    shape, scale = (TINY, 1 / 64) if quick else (QWEN3_CODER_30B_A3B, 1.0)
    device, dtype = ("cuda", torch.bfloat16) if torch.cuda.is_available() else ("cpu", torch.float32)
    policy = PolicyModel(base_model(shape, device, dtype), EXPERTS)
    for seed, adapter in ((1, POLICY), (2, REFERENCE)):
        policy.lora.add(adapter, rank=RANK, alpha=ALPHA, seed=seed)
        fill(policy.lora, adapter, random_adapter(shape, device, torch.bfloat16, seed))
    release()
    config = LearnerConfig(
        lora_rank=RANK,
        max_tokens_per_microbatch=round(lengths.CONTEXT * scale),
        length_alpha=0.5,
        learning_rate=STILL,
        kl_coef=KL_COEF,
    )
    size: dict[str, Any] = {"groups": 2, "group_size": 3} if quick else {"groups": groups}
    drawn = {
        "length mix": lengths.realistic(scale=scale, **size),
        "every one fills 16k": lengths.single(scale=scale, **(size | {"groups": 1})),
    }
    batches = {
        name: sampled_batch(policy, step_batch(mix, shape.vocabulary), config.max_tokens_per_microbatch, ranks)
        for name, mix in drawn.items()
    }
    table = Table(shape)
    elements = sum(p.numel() for p in policy.lora.parameters(POLICY).values())
    if ranks.leads:
        table.fact("device", torch.cuda.get_device_name() if device == "cuda" else "cpu, gloo")
        table.fact("adapter elements", elements)
        print(HEADER, flush=True)
    alone = Together(control=ranks.control)  # one rank: no sums; it meets the others by the real ranks' gathers
    seconds: dict[tuple[str, str], float] = {}
    for way, acting in (("one", alone), ("all, whole", ranks), ("all, sharded", ranks)):
        if way == "all, sharded":
            shard_base(policy, ranks)
            ranks.sharded = True
            release()
        for name, batch in batches.items():
            if acting is ranks or ranks.leads:
                step = lambda batch=batch, acting=acting: one_update(policy, batch, config, acting)  # noqa: E731
            else:
                step = None
            seconds[name, way] = measured(ranks, step, name, way, seconds, batch, table)
    if ranks.leads:
        print(table.last_line())


def one_update(policy: PolicyModel, batch: StepBatch, config: LearnerConfig, ranks: Ranks) -> Update:
    """With an optimizer of its own, new as in a first step."""
    optimizer = make_optimizer(policy.lora.train_only(POLICY), config.learning_rate, config.weight_decay)
    return update(policy, optimizer, batch, ALGORITHMS[config.algorithm], config, kl_coef=config.kl_coef, ranks=ranks)


def measured(
    ranks: Ranks,
    step: Callable[[], Update] | None,
    name: str,
    way: str,
    seconds: dict[tuple[str, str], float],
    batch: StepBatch,
    table: Table,
) -> float:
    """Runs it twice on those ranks that take part (`step` None: this one waits); rank 0 prints. Returns seconds."""
    for _ in range(2):
        release()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        synchronise()
        ranks.gather(torch.zeros(1))  # all are ready
        start = time.perf_counter()
        with counted() as moved:
            done = step() if step is not None else None
            synchronise()
        mine = time.perf_counter() - start
        peak = torch.cuda.max_memory_allocated() / GIB if torch.cuda.is_available() else 0.0
        all_of_them = ranks.gather(torch.tensor([mine if step is not None else 0.0, peak]))
    slowest, peaks = float(all_of_them[:, 0].max()), all_of_them[:, 1].tolist()
    if ranks.leads and done is not None:
        tokens = sum(len(chain.token_ids) for chain in batch.chains)
        one, whole = (seconds.get((name, other)) for other in ("one", "all, whole"))
        row = {
            "s": round(slowest, 3),
            "tok_s": round(tokens / slowest),
            "x_one": round(one / slowest, 3) if one else 1.0,
            "x_whole": round(slowest / whole, 3) if whole else None,
            "balance": round(done.metrics["rank_balance"], 4),
            "peak_gib": [round(p, 1) for p in peaks],
            "reduced_elements": sum(moved[kind] for kind in REDUCING),
            "gathered_elements": sum(moved[kind] for kind in GATHERING),
            "microbatches": int(done.metrics["num_microbatches"]),
            "loss": float(f"{done.metrics['loss']:.6g}"),
            "grad_norm": float(f"{done.metrics['grad_norm']:.6g}"),
        }
        table.rows[name, way] = row
        shown = f"{row['x_whole']:>9}" if row["x_whole"] else f"{'-':>9}"
        print(
            f"{name:<22}{way:<14}{row['s']:>9}{row['tok_s']:>9}{row['x_one']:>8}{shown}{row['balance']:>9}"
            f"{max(peaks):>10.1f}",
            flush=True,
        )
        print(
            f"  {row['microbatches']} microbatches; elements reduced {row['reduced_elements']:,}, gathered by a rank "
            f"{row['gathered_elements']:,}; loss {row['loss']}, gradient norm {row['grad_norm']}",
            flush=True,
        )
    return slowest


@contextmanager
def counted() -> Iterator[Counter]:
    """Elements by kind of collective on this rank, while it is entered: what goes into sums, what comes by gathers."""
    moved: Counter = Counter()
    originals = {kind: getattr(dist, kind) for kind in (*REDUCING, *GATHERING)}

    def counting(kind: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            given = args[0] if kind in ("all_reduce", *GATHERING) else args[1]
            moved[kind] += sum(t.numel() for t in (given if isinstance(given, list) else [given]))
            return originals[kind](*args, **kwargs)

        return call

    for kind in originals:
        setattr(dist, kind, counting(kind))
    try:
        yield moved
    finally:
        for kind, original in originals.items():
            setattr(dist, kind, original)


if __name__ == "__main__":
    main()
