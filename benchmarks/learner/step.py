"""One learner step beside what others do, on the same weights, token ids and chains in one run.

    python benchmarks/learner/step.py                        # one H200, about five minutes
    python benchmarks/learner/step.py --alone                # this project's model without the baselines
    python benchmarks/learner/step.py --quick                # a tiny model, also on a CPU

Model: Qwen3-Coder-30B-A3B's exact shape, random bf16 weights made on the device; rank 8 adapters on all experts.
Workload: eight groups of 12 trajectories at 16,384 tokens, once every trajectory filling the context, once the length
mix of parts/lengths.py, printed. Timed are single packs of it, forward and backward pass with head and loss: the median
of the repeats after a warm-up, synchronised; `peak` is what tensors held at most. A whole step is projected from them;
whole_step.py runs it.

`loop`: one LoRA module per expert in a Python loop (parts/expert_loop.py): one layer is timed, times 48, plus the plain
head. `PEFT`: transformers' grouped experts with PEFT, whole stack (parts/peft_side.py). Both ratios are printed
for every row. TFLOP/s counts the model's own arithmetic (parts/shape.py), nothing recomputed.
"""

import argparse

import torch
from parts import baselines, products, projections, workload
from parts.adapters import random_adapter
from parts.objective import POLICY, REFERENCE
from parts.peft_side import PeftSide, base_model
from parts.product_side import ProductSide, product, with_attention_adapters
from parts.shape import QWEN3_CODER_30B_A3B, TINY
from parts.table import LOOP, PEFT, Table
from parts.timing import release


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    parser.add_argument("--alone", action="store_true", help="without the baselines")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    shape = TINY if arguments.quick else QWEN3_CODER_30B_A3B
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    work = workload.make(shape, device, arguments.quick)
    table = Table(shape)
    policy, reference = (random_adapter(shape, device, dtype, seed) for seed in (1, 2))

    model = base_model(shape, device, dtype)
    forms, expected = work.forms, {}
    if not arguments.alone:
        peft = PeftSide(model, PEFT)
        baselines.load_both(peft, policy, reference)
        forms = baselines.sampled(peft, forms)
        expected = baselines.run(peft, policy, forms, table, arguments.repeats)
        model = peft.unload()
        del peft
    decoder = product(model)
    del model
    release()
    side = ProductSide(decoder, products.NAME)
    side.load(POLICY, policy)
    side.load(REFERENCE, reference)
    del policy, reference
    release()
    if arguments.alone:
        forms = baselines.sampled(side, forms)
    products.run(side, forms, expected, table, arguments.repeats)
    chosen = {form: forms[form] for form in baselines.PARITY_FORMS}
    sides = (LOOP, PEFT, products.NAME, PEFT + baselines.WITH_KL, products.NAME + baselines.WITH_KL)
    projections.whole_steps(table, work, sides, (LOOP, PEFT, PEFT + baselines.WITH_KL))
    products.attention_kernels(side, chosen, table, arguments.repeats)
    products.attention_adapters(with_attention_adapters(side), chosen, table, arguments.repeats)
    print(table.last_line())


if __name__ == "__main__":
    main()
