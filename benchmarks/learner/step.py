"""One learner step beside what others do, on the same weights, token ids and chains in one run.

    python benchmarks/learner/step.py                        # one H200, about five minutes
    python benchmarks/learner/step.py --alone                # this project's model without the baselines
    python benchmarks/learner/step.py --more                 # also the baselines' dearer forms, a minute more
    python benchmarks/learner/step.py --quick                # a tiny model, also on a CPU

Model: Qwen3-Coder-30B-A3B's exact shape, random bf16 weights made on the device; rank 8 adapters on all experts.
Workload: eight groups of 12 trajectories at 16,384 tokens, once every trajectory filling the context, once the length
mix of parts/lengths.py, printed. Timed are single packs of it, forward and backward pass with head and loss: the median
of the repeats after a warm-up, synchronised; `peak` is what tensors held at most. A whole step is projected from them;
whole_step.py runs it.

`loop`: one LoRA module per expert in a Python loop (parts/expert_loop.py): one layer is timed, times 48, plus the plain
head. `PEFT`: transformers' grouped experts with PEFT, whole stack (parts/peft_side.py). Both ratios are printed for
every row, against the baseline with the same passes and adapters. `--more` runs those baselines that the rest does not
need: the loop with a reference pass, and PEFT with adapters on attention. Rollout log-probabilities are near each
side's own, so that the clip takes no gradient away. TFLOP/s counts the model's own arithmetic (parts/shape.py), nothing
recomputed.
"""

import argparse

import torch
from parts import baselines, products, projections, workload
from parts.adapters import random_adapter
from parts.objective import POLICY, REFERENCE
from parts.packs import Pack
from parts.peft_side import PeftSide, base_model
from parts.product_side import ProductSide, product, with_attention_adapters
from parts.shape import QWEN3_CODER_30B_A3B, TINY
from parts.table import LOOP, PEFT, Table
from parts.timing import release
from torch import Tensor, nn

Adapters = tuple[dict[str, Tensor], ...]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    parser.add_argument("--alone", action="store_true", help="without the baselines")
    parser.add_argument(
        "--more", action="store_true", help="the baselines with reference KL and attention adapters too"
    )
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    shape = TINY if arguments.quick else QWEN3_CODER_30B_A3B
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    work = workload.make(shape, device, arguments.quick)
    table = Table(shape)

    def adapters() -> Adapters:
        """Policy and reference, the same each time; kept by nobody, so that they count as nobody's memory."""
        return tuple(random_adapter(shape, device, dtype, seed) for seed in (1, 2))

    model = base_model(shape, device, dtype)
    forms, expected = work.forms, {}
    if not arguments.alone:
        model, forms, expected = run_baselines(model, adapters(), forms, table, arguments.repeats, arguments.more)
    decoder = product(model)
    del model
    release()
    side = ProductSide(decoder, products.NAME)
    del decoder
    load(side, adapters())
    if arguments.alone:
        forms = baselines.sampled(side, forms)
    products.run(side, forms, expected, table, arguments.repeats)
    sides = (LOOP, PEFT, products.NAME, *(name + baselines.WITH_KL for name in (LOOP, PEFT, products.NAME)))
    projections.whole_steps(table, work, sides, (LOOP, PEFT, PEFT + baselines.WITH_KL))
    parity = {form: forms[form] for form in baselines.PARITY_FORMS}
    tried = parity | {form: forms[form] for form in baselines.KL_FORMS}
    products.attention_kernels(side, tried, table, arguments.repeats)
    side = with_attention_adapters(side)
    load(side, adapters())
    products.attention_adapters(side, baselines.sampled(side, parity), table, arguments.repeats)
    print(table.last_line())


def run_baselines(
    model: nn.Module, adapters: Adapters, forms: dict[str, Pack], table: Table, repeats: int, more: bool
) -> tuple[nn.Module, dict[str, Pack], dict[str, baselines.Expected]]:
    """The model without adapters again, the packs with rollout log-probabilities, and what parity is measured by."""
    policy, reference = adapters
    side = PeftSide(model, PEFT)
    load(side, adapters)
    forms = baselines.sampled(side, forms)
    expected = baselines.run(side, policy, reference if more else None, forms, table, repeats)
    model = side.unload()
    if more:
        release()
        side = PeftSide(model, PEFT, attention_adapters=True)
        load(side, adapters)
        side.fill_attention(POLICY, seed=5)
        chosen = baselines.sampled(side, {form: forms[form] for form in baselines.PARITY_FORMS})
        baselines.attention_adapters(side, chosen, table, repeats)
        model = side.unload()
    return model, forms, expected


def load(side: PeftSide | ProductSide, adapters: Adapters) -> None:
    """The experts' adapters of policy and reference."""
    for name, tensors in zip((POLICY, REFERENCE), adapters, strict=True):
        side.load(name, tensors)
    release()


if __name__ == "__main__":
    main()
