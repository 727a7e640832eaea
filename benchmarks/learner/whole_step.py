"""One optimizer step over eight groups of 12 trajectories, really run, with everything of the recipe on.

    python benchmarks/learner/whole_step.py                  # one H200, about two and a half minutes
    python benchmarks/learner/whole_step.py --flash4         # attention by FlashAttention 4
    python benchmarks/learner/whole_step.py --quick          # a tiny model, also on a CPU

This project's model at Qwen3-Coder-30B-A3B's shape. The length mix of parts/lengths.py: per-turn masks, rollout
log-probabilities, off-policy weights, KL to a reference adapter, clipping, AdamW; then without the KL; then one group
of trajectories that fill the context (the first of eight equal ones). Every document has its
own length, as in a real run, and cuDNN builds a plan for each that it meets: set TORCH_CUDNN_SDPA_AVOID_RECOMPILE=1 in
the environment, as a learner does (kernels 2 to 5% slower, no plans).
"""

import argparse
import os

import torch
from parts import whole_step, workload
from parts.adapters import random_adapter
from parts.lengths import GROUP_SIZE
from parts.objective import POLICY, REFERENCE
from parts.peft_side import base_model
from parts.product_side import ProductSide, product
from parts.shape import QWEN3_CODER_30B_A3B, TINY
from parts.table import Table
from parts.timing import release
from trajlog.kernels.attention import FlashAttention4


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    parser.add_argument("--flash4", action="store_true", help="FlashAttention 4 instead of cuDNN")
    arguments = parser.parse_args()
    shape = TINY if arguments.quick else QWEN3_CODER_30B_A3B
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    work = workload.make(shape, device, arguments.quick)
    table = Table(shape)
    side = ProductSide(product(base_model(shape, device, dtype)), "trajlog")
    if arguments.flash4:
        side.model.attention = FlashAttention4()
    for seed, adapter in ((1, POLICY), (2, REFERENCE)):
        side.load(adapter, random_adapter(shape, device, dtype, seed))
    release()
    optimizer = torch.optim.AdamW(side.parameters(), lr=1e-6, fused=device == "cuda")
    table.fact("attention", type(side.model.attention).__name__)
    table.fact("TORCH_CUDNN_SDPA_AVOID_RECOMPILE", os.environ.get("TORCH_CUDNN_SDPA_AVOID_RECOMPILE", "unset"))
    mix = whole_step.scored(side, work.mix, table, "mix")
    whole_step.run(side, optimizer, mix, table, "mix", reference_kl=True)
    whole_step.run(side, optimizer, mix, table, "mix", reference_kl=False)
    group = whole_step.scored(side, work.single[:GROUP_SIZE], table, "single, one group")
    whole_step.run(side, optimizer, group, table, "single, one group", reference_kl=False)
    print(table.last_line())


if __name__ == "__main__":
    main()
