"""Where one step's time goes, and how far each part is from its floor.

    python benchmarks/learner/step_profile.py            # one H200, a minute and a half
    python benchmarks/learner/step_profile.py --quick    # a tiny model, also on a CPU (no roofline worth reading there)

One optimizer step of one pack (forward and backward pass, head, loss, clipping, AdamW) of this project's model at
Qwen3-Coder-30B-A3B's shape, under torch's profiler: a document that fills the context, then five documents. Kernels are
classed by parts/trace.py; `accounted` is the classed time over the time from the first kernel's start to the last one's
end.

Rollout log-probabilities are near the policy's, as in training: with others the clip makes most gradients zero, and the
one profile taken so was a tenth faster than the step. Floors: parts/floors.py (FLOPs / 771 TFLOP/s, bytes / 4.2 TB/s).
"""

import argparse
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from parts import workload
from parts.adapters import random_adapter
from parts.baselines import sampled
from parts.floors import floors
from parts.objective import POLICY, REFERENCE, backward
from parts.packs import Pack
from parts.peft_side import base_model
from parts.product_side import ProductSide, product
from parts.shape import QWEN3_CODER_30B_A3B, TINY, Shape
from parts.timing import release, timed
from parts.trace import Accounts, accounts_of_operators, accounts_of_trace
from torch.profiler import ProfilerActivity, profile, record_function

FORMS = ("one, all scored", "five, all scored", "one, turns")
TOP = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    arguments = parser.parse_args()
    shape = TINY if arguments.quick else QWEN3_CODER_30B_A3B
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    work = workload.make(shape, device, arguments.quick)
    side = ProductSide(product(base_model(shape, device, dtype)), "trajlog")
    for seed, adapter in ((1, POLICY), (2, REFERENCE)):
        side.load(adapter, random_adapter(shape, device, dtype, seed))
    release()
    optimizer = torch.optim.AdamW(side.parameters(), lr=1e-6, fused=device == "cuda")
    forms = sampled(side, {form: work.forms[form] for form in FORMS})
    figures = {form: report(side, optimizer, form, pack, shape) for form, pack in forms.items()}
    print(json.dumps(figures))


def report(side: ProductSide, optimizer: torch.optim.Optimizer, form: str, pack: Pack, shape: Shape) -> dict:
    """Prints the classes against their floors and the dearest kernels; returns the figures."""
    parameters = side.parameters()

    def step() -> None:
        backward(side, pack)
        with record_function("optimizer"):
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)

    plain = timed(step, repeats=3, warmup=2)
    accounts = profiled(step)
    bounds = floors(shape, pack.lengths, len(pack.positions), sum(p.numel() for p in parameters))
    print(
        f"\n{form}: {plain.median_s * 1e3:.1f} ms without the profiler, span under it {accounts.span_s * 1e3:.1f} ms, "
        f"accounted {accounts.accounted:.1%}\n{'part':<14}{'ms':>9}{'share':>8}{'floor ms':>10}{'x floor':>9}  bound by"
    )
    rows = {}
    for title in (*bounds, "other", "idle"):
        seconds = accounts.by_class.get(title, 0.0)
        floor, kind = bounds.get(title, (0.0, ""))
        ratio = seconds / floor if floor else float("nan")
        rows[title] = {"ms": round(seconds * 1e3, 2), "floor_ms": round(floor * 1e3, 2)}
        share = seconds / accounts.span_s
        print(f"{title:<14}{seconds * 1e3:>9.2f}{share:>8.1%}{floor * 1e3:>10.2f}{ratio:>9.2f}  {kind}")
    for title, name, seconds, count in accounts.kernels[:TOP]:
        print(f"  {seconds * 1e3:>9.2f} ms {count:>6}x  {title:<13}{name[:90]}")
    return {
        "step_ms": round(plain.median_s * 1e3, 2),
        "span_ms": round(accounts.span_s * 1e3, 2),
        "accounted": round(accounts.accounted, 4),
        "peak_gib": round(plain.peak_gib, 1),
        "parts": rows,
    }


def profiled(step: Callable[[], None]) -> Accounts:
    cuda = torch.cuda.is_available()
    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if cuda else [])
    with profile(activities=activities) as profiler:
        step()
        if cuda:
            torch.cuda.synchronize()
    if not cuda:
        averages = profiler.key_averages()
        return accounts_of_operators((e.key, e.self_cpu_time_total / 1e6, e.count) for e in averages)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        return accounts_of_trace(json.loads(path.read_text())["traceEvents"])


if __name__ == "__main__":
    main()
