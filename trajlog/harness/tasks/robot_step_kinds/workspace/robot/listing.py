"""Programs as an operator reads them."""

from robot.program import Call


def step_line(step):
    if isinstance(step, Call):
        return f"call {step.name} x{step.times}"
    words = [type(step).__name__]
    for name, value in step.plain().items():
        shown = "/".join(map(str, value)) if isinstance(value, tuple) else value
        words.append(f"{name}={shown}")
    return " ".join(words)


def listing(program):
    lines = [f"program {program.name} ({program.seconds()} s)"]
    lines += [f"  {step_line(step)}" for step in program.steps]
    for name, steps in sorted(program.subprograms.items()):
        lines.append(f"  sub {name}")
        lines += [f"    {step_line(step)}" for step in steps]
    return lines
