"""What became of a flow, for people."""

from collections import Counter


def summary(flow):
    counts = Counter(step.state for step in flow)
    return ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))


def table(flow):
    stand_ins = flow.fallbacks()
    width = max((len(step.name) for step in flow), default=0)
    rows = []
    for step in flow:
        mark = "*" if step.name in stand_ins else " "
        needs = ",".join(dict.fromkeys(other.name for other in step.needs())) or "-"
        rows.append(f"{mark} {step.name:<{width}} {step.state} {needs}")
    return "\n".join(rows)
