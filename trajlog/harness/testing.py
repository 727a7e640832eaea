"""The one way to run pytest in a sandbox, and the reading of its report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Literal

import msgspec

from trajlog.harness.checks import Observation
from trajlog.harness.sandbox.base import CommandResult, Sandbox

KEPT_OUTPUT_BYTES = 64 * 1024
"""Room for the stacks of a hanging test, whatever the agent's own commands may keep."""
RUNNER = "pytest_runner.py"
Outcome = Literal["passed", "failed", "skipped"]


class TestReport(msgspec.Struct, frozen=True, kw_only=True):
    """What pytest's own hooks said. Never read from stdout or an exit code, which any test can forge."""

    __test__ = False

    outcomes: dict[str, Outcome]
    """Node id -> verdict."""
    texts: dict[str, str]
    """Node id or uncollectable path -> short traceback."""
    uncollected: tuple[str, ...]
    running: str | None
    """The test that had begun and not ended, if pytest was killed or left."""
    finished: bool
    """Whether pytest came to its own end, and nothing was written after that."""
    observed: tuple[Observation, ...] = ()
    """What the checks of graded test modules saw."""

    def count(self, outcome: Outcome) -> int:
        return sum(found == outcome for found in self.outcomes.values())


class TestRun(msgspec.Struct, frozen=True, kw_only=True):
    __test__ = False

    report: TestReport
    result: CommandResult


class _Fact(msgspec.Struct, frozen=True):
    """One line of the runner (see pytest_runner.py for which fields go together)."""

    start: str | None = None
    id: str | None = None
    outcome: Outcome | None = None
    text: str = ""
    collect: str | None = None
    finished: int | None = None
    observe: int | None = None
    test: str | None = None
    value: Any = None


def run_pytest(sandbox: Sandbox, targets: Sequence[str], *, timeout_s: float, name: str | None = None) -> TestRun:
    """Run the test files or node ids `targets` (with `name`: only tests whose name contains it).

    Targets are relative to the workspace root and must not begin with '-'. Raises SandboxError.
    """
    assert not any(target.startswith("-") for target in targets), targets
    selection = ["-k", name] if name is not None else []
    argv = [
        sandbox.python,
        "-P",
        "-s",
        str(sandbox.code / RUNNER),
        "{report}",
        f"{0.3 * timeout_s:.2f}",
        *selection,
        *targets,
    ]
    result = sandbox.run(argv, timeout_s=timeout_s, report=True, kept_output_bytes=KEPT_OUTPUT_BYTES)
    return TestRun(report=read_report(result.report), result=result)


def read_report(data: bytes) -> TestReport:
    """Fold the runner's lines; reading stops at the first that is not one (a killed writer, or tampering).

    A failure is never taken back by a later line.
    """
    outcomes: dict[str, Outcome] = {}
    texts: dict[str, str] = {}
    uncollected: list[str] = []
    observed: list[Observation] = []
    running: str | None = None
    finished = False
    for line in data.splitlines():
        fact = _read_fact(line)
        if fact is None or finished:
            finished = False
            break
        if fact.start is not None:
            running = fact.start
        elif fact.id is not None and fact.outcome is not None:
            if outcomes.get(fact.id) != "failed":
                outcomes[fact.id], texts[fact.id] = fact.outcome, fact.text
            running = None if running == fact.id else running
        elif fact.collect is not None:
            uncollected.append(fact.collect)
            texts[fact.collect] = fact.text
        elif fact.observe is not None:
            observed.append(Observation(check=fact.observe, test=fact.test, value=fact.value))
        elif fact.finished is not None:
            finished = True
        else:
            break
    return TestReport(
        outcomes=outcomes,
        texts=texts,
        uncollected=tuple(uncollected),
        running=running,
        finished=finished,
        observed=tuple(observed),
    )


def _read_fact(line: bytes) -> _Fact | None:
    try:
        return msgspec.json.decode(line, type=_Fact)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def summarize(run: TestRun, root: PurePath, *, max_failures: int = 3) -> str:
    """What a model or a person needs to see of a run: counts, then each failure's essential lines.

    No durations and no temporary paths: the same code gives the same text.
    """
    report, result = run.report, run.result
    counts = [f"{report.count(outcome)} {outcome}" for outcome in ("passed", "failed", "skipped")]
    lines = [", ".join(count for count in counts if not count.startswith("0 ")) or "no tests ran"]
    for path in report.uncollected:
        lines.append(f"ERROR {path} could not be imported\n{report.texts[path]}")
    failed = [node_id for node_id, outcome in report.outcomes.items() if outcome == "failed"]
    for node_id in failed[:max_failures]:
        lines.append(f"FAILED {node_id}\n{report.texts.get(node_id, '')}".rstrip())
    if len(failed) > max_failures:
        lines.append(f"and {len(failed) - max_failures} more: " + ", ".join(failed[max_failures:]))
    if result.killed is not None:
        why = "took too long and was killed" if result.timed_out else f"was killed ({result.killed})"
        lines.append(f"{report.running or 'pytest'} {why}")
        lines += hanging_stacks(result.output, root)
    elif not report.finished:
        lines.append(f"pytest ended early in {report.running or 'its start'} (exit code {result.exit_code})")
        lines.append(result.output[-1000:])
    return essential("\n".join(lines), root)


def essential(text: str, root: PurePath) -> str:
    """A traceback without frames outside `root`, carets, temporary paths and addresses.

    >>> essential('t.py:2: in f\\n    g()\\n    ^^^\\n/usr/x.py:9: in g\\n    h()\\nE   <A object at 0x7f>', Path("/w"))
    't.py:2: in f\\n    g()\\nE   <A object>'
    """
    text = re.sub(r" at 0x[0-9a-f]+", "", text.replace(f"{root}/", ""))
    kept: list[str] = []
    outside = False
    for line in text.splitlines():
        if re.match(r"\S+:\d+: in ", line):
            outside = line.startswith(("/", "<"))
        elif not line.startswith("    "):
            outside = False
        if not outside and line.strip(" ^~") not in ("", "E"):
            kept.append(line)
    return "\n".join(kept)


def hanging_stacks(output: str, root: PurePath) -> list[str]:
    """One line per thread of the last faulthandler dump in `output`, innermost frame first, only frames under `root`.

    >>> hanging_stacks('Thread 0x7f (most recent call first):\\n  File "/w/a.py", line 3 in f\\n', Path("/w"))
    ['a thread is at a.py:3 in f']
    """
    frame = re.compile(r'File "(.+)", line (\d+) in (.+)')
    stacks: list[list[str]] = []
    for line in output[output.rfind("Timeout (") + 1 :].splitlines():
        if line.startswith(("Thread 0x", "Current thread 0x")):
            stacks.append([])
        elif stacks and (match := frame.search(line)) and match[1].startswith(f"{root}/"):
            stacks[-1].append(f"{match[1].removeprefix(f'{root}/')}:{match[2]} in {match[3]}")
    return [f"a thread is at {' < '.join(stack[:4])}" for stack in stacks if stack]
