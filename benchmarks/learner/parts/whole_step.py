"""A whole optimizer step: what it costs by the measured packs, and what it costs when it really runs."""

import time
from collections.abc import Sequence

import torch

from .baselines import WITH_KL
from .objective import POLICY, Side, backward
from .packs import Pack
from .table import Table
from .timing import synchronise
from .workload import Workload, projected

SINGLE, MIX = "one, turns", "mix, "


def projections(table: Table, work: Workload, sides: Sequence[str], baselines: Sequence[str]) -> None:
    """Seconds of eight groups of 12 for each side, and how many times faster than each baseline.

    Every trajectory filling the context: that pack's time, as often as there are packs. The mix: least squares over the
    packs with per-turn masks.
    """
    title = f"{'projected, eight groups of 12':<36}{'single s':>10}{'mix s':>9}{'mix tok/s':>11}"
    print(f"\n{title}  faster than (single, mix)")
    seconds: dict[str, tuple[float, float]] = {}
    for side in sides:
        rows = {form: row for (form, name), row in table.rows.items() if name == side}
        measured = [
            (work.forms[form], row["s"]) for form, row in rows.items() if form == SINGLE or form.startswith(MIX)
        ]
        if SINGLE not in rows or len(measured) < 2:
            continue
        single, mix = rows[SINGLE]["s"] * len(work.single), projected(measured, work.mix)
        seconds[side] = single, mix
        ratios = [f"{b} {seconds[b][0] / single:.2f}, {seconds[b][1] / mix:.2f}" for b in baselines if b in seconds]
        tokens = sum(pack.num_tokens for pack in work.mix)
        print(f"{side:<36}{single:>10.1f}{mix:>9.1f}{tokens / mix:>11.0f}  {'; '.join(ratios)}")
        table.facts[f"projected {side}"] = {"single_s": round(single, 2), "mix_s": round(mix, 2)}


def scored(side: Side, packs: Sequence[Pack], table: Table, name: str) -> list[Pack]:
    """The packs with rollout log-probabilities of the policy; reports how long that forward pass took."""
    start = time.perf_counter()
    made = []
    for number, pack in enumerate(packs):
        with torch.no_grad():
            made.append(pack.sampled(side.logprobs(pack, POLICY), seed=number))
    synchronise()
    table.fact(f"{name}: forward passes alone over {len(packs)} packs, s", round(time.perf_counter() - start, 2))
    return made


def run(
    side: Side, optimizer: torch.optim.Optimizer, packs: Sequence[Pack], table: Table, name: str, reference_kl: bool
) -> None:
    """One optimizer step over `packs` as a learner runs it: all packs, clipped gradients, AdamW."""
    synchronise()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    start = time.perf_counter()
    losses = [backward(side, pack, reference_kl) for pack in packs]
    synchronise()
    passes = time.perf_counter() - start
    torch.nn.utils.clip_grad_norm_(side.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    loss = float(torch.stack(losses).sum())
    synchronise()
    total = time.perf_counter() - start
    tokens, trained = sum(p.num_tokens for p in packs), sum(len(p.positions) for p in packs)
    peak = torch.cuda.max_memory_allocated() / 2**30 if torch.cuda.is_available() else 0.0
    label = name + (WITH_KL if reference_kl else "")
    figures = {
        "packs": len(packs),
        "tokens": tokens,
        "trained": trained,
        "s": round(total, 3),
        "optimizer_s": round(total - passes, 4),
        "tok_s": round(tokens / total),
        "peak_gib": round(peak, 1),
        "loss": round(loss, 6),
    }
    table.fact(label, figures)
