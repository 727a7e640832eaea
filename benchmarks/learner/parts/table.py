"""Rows that are printed as they are measured, and the figures of the last line."""

import json
from dataclasses import dataclass, field
from typing import Any

from .packs import Pack
from .shape import Shape, model_flops
from .timing import Timing

HEADER = (
    f"{'form':<18}{'side':<34}{'docs':>5}{'scored':>8}{'s/pack':>9}{'tok/s':>9}{'TFLOP/s':>9}{'peak GiB':>9}"
    f"{'x loop':>8}{'x PEFT':>8}"
)
LOOP, PEFT = "loop", "PEFT"


@dataclass
class Table:
    """`rows` by (form, side). A ratio says how many times faster than that baseline on the same pack."""

    shape: Shape
    rows: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def title(self, text: str) -> None:
        print(f"\n{text}\n{HEADER}", flush=True)

    def add(self, form: str, side: str, pack: Pack, timing: Timing, passes: str = "") -> None:
        scored, seconds = len(pack.positions), timing.median_s
        row = {
            "documents": len(pack.lengths),
            "tokens": pack.num_tokens,
            "scored": scored,
            "s": round(seconds, 4),
            "all_s": [round(s, 4) for s in timing.all_s],
            "tok_s": round(pack.num_tokens / seconds),
            "model_tflop_s": round(model_flops(self.shape, pack.lengths, scored) / seconds / 1e12, 1),
            "peak_gib": round(timing.peak_gib, 1),
        }
        for name in (LOOP, PEFT):
            base = self.rows.get((form, name + passes))
            row[f"x_{name}"] = round(base["s"] / seconds, 2) if base else (1.0 if side == name + passes else None)
        self.rows[form, side] = row
        ratios = "".join(f"{row[f'x_{n}'] if row[f'x_{n}'] is not None else '-':>8}" for n in (LOOP, PEFT))
        print(
            f"{form:<18}{side:<34}{row['documents']:>5}{scored:>8}{row['s']:>9.4g}{row['tok_s']:>9}"
            f"{row['model_tflop_s']:>9}{row['peak_gib']:>9}{ratios}",
            flush=True,
        )

    def fact(self, name: str, value: Any) -> None:
        """One figure that is no row, printed and kept."""
        self.facts[name] = value
        print(f"{name}: {value}", flush=True)

    def dearer(self, form: str, side: str, than: str) -> float:
        """Share by which one side takes longer than another on the same form."""
        return self.rows[form, side]["s"] / self.rows[form, than]["s"] - 1.0

    def last_line(self) -> str:
        rows: dict[str, Any] = {}
        for (form, side), row in self.rows.items():
            rows.setdefault(form, {})[side] = row
        return json.dumps({"rows": rows, "facts": self.facts})
