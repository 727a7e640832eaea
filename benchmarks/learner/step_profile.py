"""Where one step's time goes, and how far each part is from its floor.

    python benchmarks/learner/step_profile.py            # one H200, a minute and a half
    python benchmarks/learner/step_profile.py --flash4   # attention by FlashAttention 4
    python benchmarks/learner/step_profile.py --quick    # a tiny model, also on a CPU (no roofline worth reading there)

One optimizer step of one pack (forward and backward pass, head, loss, clipping, AdamW) of this project's model at
Qwen3-Coder-30B-A3B's shape, under torch's profiler: a document that fills the context, then five documents. Kernels are
classed by parts/trace.py; `accounted` is the classed time over the time from the first kernel's start to the last one's
end.

Rollout log-probabilities are near the policy's, as in training: with others the clip makes most gradients zero, and a
GPU is faster on zeros (a tenth of the step, once). So a step without gradient is refused. Floors: parts/floors.py,
FLOP / 790 TFLOP/s or bytes / 4.8 TB/s, whichever is longer. The tables are Markdown.
"""

import argparse
import json
import math
import tempfile
from collections.abc import Callable
from pathlib import Path

import torch
from parts import workload
from parts.adapters import random_adapter
from parts.baselines import sampled
from parts.floors import Floor, floors
from parts.objective import POLICY, REFERENCE, backward, policy_loss
from parts.packs import Pack
from parts.peft_side import base_model
from parts.product_side import ProductSide, product
from parts.shape import QWEN3_CODER_30B_A3B, TINY, Shape
from parts.timing import release, timed
from parts.trace import Accounts, accounts_of_operators, accounts_of_trace
from torch.profiler import ProfilerActivity, profile, record_function

from trajlog.kernels.attention import FlashAttention4

FORMS = ("one, all scored", "five, all scored", "one, turns")
TOP = 25
LEAST_ALIVE = 0.3
"""Least share of scored tokens with a gradient in a real step; near 1, since rollouts are near the policy."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tiny model on any device")
    parser.add_argument("--flash4", action="store_true", help="FlashAttention 4 instead of cuDNN")
    arguments = parser.parse_args()
    shape = TINY if arguments.quick else QWEN3_CODER_30B_A3B
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    work = workload.make(shape, device, arguments.quick)
    side = ProductSide(product(base_model(shape, device, dtype)), "trajlog")
    for seed, adapter in ((1, POLICY), (2, REFERENCE)):
        side.load(adapter, random_adapter(shape, device, dtype, seed))
    if arguments.flash4:
        side.model.attention = FlashAttention4()
    release()
    optimizer = torch.optim.AdamW(side.parameters(), lr=1e-6, fused=device == "cuda")
    forms = sampled(side, {form: work.forms[form] for form in FORMS})
    figures = {form: report(side, optimizer, form, pack, shape) for form, pack in forms.items()}
    print(json.dumps(figures))


def report(side: ProductSide, optimizer: torch.optim.Optimizer, form: str, pack: Pack, shape: Shape) -> dict:
    """Prints the classes against their floors and the dearest kernels; returns the figures."""
    parameters = side.parameters()
    alive = share_with_gradient(side, pack)
    norms: list[torch.Tensor] = []

    def step() -> None:
        backward(side, pack)
        with record_function("optimizer"):
            norms.append(torch.nn.utils.clip_grad_norm_(parameters, 1.0))
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)

    plain = timed(step, repeats=3, warmup=2)
    accounts = profiled(step)
    bounds = floors(shape, pack.lengths, len(pack.positions), sum(p.numel() for p in parameters))
    norm = float(norms[-1])
    if not (math.isfinite(norm) and norm > 0 and alive > LEAST_ALIVE):
        raise SystemExit(f"{form}: gradient norm {norm:g}, {alive:.1%} of the scored tokens have one: not a real step")
    print(
        f"\n{form}: {plain.median_s * 1e3:.1f} ms without the profiler, under it {accounts.span_s * 1e3:.1f} ms from "
        f"the first kernel to the last; accounted {accounts.accounted:.1%}; peak {plain.peak_gib:.1f} GiB; gradient "
        f"norm {norm:.3g}, {alive:.1%} of scored tokens have one\n"
    )
    rows = {title: row(accounts, title, bounds.get(title)) for title in (*bounds, "other", "idle")}
    print(markdown(rows, accounts))
    print()
    for title, name, seconds, count in accounts.kernels[:TOP]:
        print(f"  {seconds * 1e3:>9.2f} ms {count:>6}x  {title:<13}{name[:90]}")
    return {
        "step_ms": round(plain.median_s * 1e3, 2),
        "span_ms": round(accounts.span_s * 1e3, 2),
        "accounted": round(accounts.accounted, 4),
        "peak_gib": round(plain.peak_gib, 1),
        "grad_norm": float(f"{norm:.4g}"),
        "parts": rows,
    }


def share_with_gradient(side: ProductSide, pack: Pack) -> float:
    """Of the scored tokens, those that the clip leaves a gradient."""
    with torch.no_grad():
        logprobs = side.logprobs(pack, POLICY)
    leaf = logprobs.detach().requires_grad_()
    (grad,) = torch.autograd.grad(policy_loss(leaf, pack), leaf)
    return float((grad != 0).float().mean())


def row(accounts: Accounts, title: str, floor: Floor | None) -> dict:
    """Milliseconds, and what the part must do at least."""
    seconds = accounts.by_class.get(title, 0.0)
    found = {"ms": round(seconds * 1e3, 2), "share": round(seconds / accounts.span_s, 4)}
    if floor is None:
        return found
    return found | {
        "tflop": round(floor.flops / 1e12, 2),
        "gb": round(floor.bytes / 1e9, 2),
        "floor_ms": float(f"{floor.seconds * 1e3:.4g}"),
        "x_floor": round(seconds / floor.seconds, 2),
        "bound": floor.bound,
    }


def markdown(rows: dict[str, dict], accounts: Accounts) -> str:
    """The table as docs/log.md shows it."""
    total = sum(r["floor_ms"] for r in rows.values() if "floor_ms" in r)
    lines = ["| part | ms | share | TFLOP | GB | floor ms | x floor | bound by |", "|---|---|---|---|---|---|---|---|"]
    for title, r in rows.items():
        floor = [str(r.get(key, "-")) for key in ("tflop", "gb", "floor_ms", "x_floor", "bound")]
        lines.append(f"| {title} | {r['ms']} | {r['share']:.1%} | {' | '.join(floor)} |")
    span = accounts.span_s * 1e3
    lines.append(f"| all | {span:.2f} | 100% | | | {total:.2f} | {span / total:.2f} | |")
    return "\n".join(lines)


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
