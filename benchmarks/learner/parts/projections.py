"""A whole optimizer step: what it costs by the measured packs."""

from collections.abc import Sequence

from .table import Table
from .workload import Workload, projected

SINGLE, MIX = "one, turns", "mix, "


def whole_steps(table: Table, work: Workload, sides: Sequence[str], baselines: Sequence[str]) -> None:
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
