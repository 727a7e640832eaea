"""`trajlog up`: a whole run on one machine. Starts every role, shows how far it is, ends them in order, sums up.

Stages: 1 settings, model, tasks and log are checked; 2 demonstrations and a short SFT, when the settings ask for
them; 3 all roles run until the learner has done `learner.max_steps`; 4 workers and scheduler stop, the archiver reads
to the end of the log; 5 archive and log are compared, the summary is written. Started again after any interruption it
goes on where the log stands.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from rich.console import Console
from rich.live import Live
from rich.table import Table

from trajlog.analytics.progress import FOLLOWED, Progress
from trajlog.children import Child, stop_all
from trajlog.config import RunConfig
from trajlog.demonstrations import ADAPTER, demonstrations_dir
from trajlog.errors import ProcessError
from trajlog.schemas import EpisodeFinished, Producer
from trajlog.stream.control import ControlFollower, start_run
from trajlog.stream.log import Log
from trajlog.stream.open import open_log

ROLES = ("scheduler", "assembler", "archiver", "learner", "engine", "worker")
REFRESH_S = 0.5
PLAIN_EVERY_S = 5.0
DRAIN_S = 120.0


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """runs/<run_id>/summary.json."""

    run_id: str
    episodes: int
    groups_sealed: int
    groups_rejected: dict[str, int]
    train_steps: int
    policy_version: int
    archived_rows: int
    log_records: int
    seconds: float


class Run:
    """The roles of one run and what is known of it."""

    def __init__(
        self, config: RunConfig, log_url: str, run_dir: Path, console: Console, num_slots: int, engine_port: int
    ) -> None:
        self.config = config
        self.log_url = log_url
        self.run_dir = run_dir
        self.console = console
        self.progress = Progress()
        self.stop = threading.Event()
        self._started = time.monotonic()
        self._children = {name: self._child(name, num_slots, engine_port) for name in ROLES}

    def demonstrate(self, settings: Path, *options: str) -> None:
        """Stage 2, in a process of its own. Nothing to do when an earlier start has made the adapter.

        `options` go to `trajlog demonstrations`.
        """
        folder = demonstrations_dir(self.run_dir)
        child = Child("demonstrations", ["demonstrations", str(settings), "--out", str(folder), *options], self._logs())
        output = self._logs() / "demonstrations.log"
        child.start()
        with self._ended_on_exit([child]), self._status() as status:
            while child.running() and not self.stop.wait(REFRESH_S):
                status(_last_line(output))
            status(_last_line(output))
        if self.stop.is_set():
            raise KeyboardInterrupt
        if not (folder / ADAPTER).exists():
            raise ProcessError(f"demonstrations failed. The end of {output}:\n{child.last_lines()}")

    def play(self) -> None:
        """Stages 3 and 4. Raises ProcessError when a role ends by itself, KeyboardInterrupt when `stop` is set."""
        children = [self._children[name] for name in ROLES]
        with open_log(self.log_url) as log, self._ended_on_exit(children):
            start_run(log, self.config, Producer("up"))
            for child in children:
                child.start()
            with self._followed(log) as (control, rollouts), self._shown() as show:
                while not self._done():
                    for _, event in [*control.poll(0.1), *rollouts.poll(0.1)]:
                        self.progress.see(event)
                    self._check(children)
                    show()
                    if self.stop.wait(REFRESH_S):
                        raise KeyboardInterrupt
                stop_all([child for child in children if child is not self._children["archiver"]])
                for followed in [*control.catch_up(), *rollouts.catch_up()]:
                    self.progress.see(followed.event)
                self._children["archiver"].stop(grace_s=DRAIN_S)  # it reads to the end of the log before it ends
                show()

    def summary(self, archived_rows: int, log_records: int) -> Summary:
        progress = self.progress
        return Summary(
            run_id=self.config.run_id,
            episodes=len(progress.outcomes),
            groups_sealed=progress.sealed,
            groups_rejected=progress.rejected,
            train_steps=len(progress.steps),
            policy_version=progress.published,
            archived_rows=archived_rows,
            log_records=log_records,
            seconds=round(time.monotonic() - self._started, 1),
        )

    def write_summary(self, summary: Summary) -> None:
        path = self.run_dir / "summary.json"
        temporary = path.with_suffix(".json.tmp")
        temporary.write_bytes(msgspec.json.format(msgspec.json.encode(summary), indent=2) + b"\n")
        temporary.replace(path)

    def table(self) -> Table:
        progress, step = self.progress, self.progress.last_step
        goal = f" of {self.config.learner.max_steps}" if self.config.learner.max_steps else ""
        rejected = sum(progress.rejected.values())
        solved = sum(outcome == "solved" for outcome in progress.outcomes.values())
        table = Table(title=f"run {self.config.run_id}, {time.monotonic() - self._started:.0f} s", show_header=False)
        for name, value in (
            ("episodes", f"{len(progress.outcomes)} finished ({solved} solved), {progress.running} running"),
            ("groups", f"{progress.sealed} sealed, {rejected} rejected {progress.rejected or ''}"),
            ("queue depth", f"{progress.queue_depth} sealed groups wait for the learner"),
            ("train steps", f"{len(progress.steps)}{goal}"),
            ("policy version", f"{progress.published} published, {progress.acknowledged} served, lag {progress.lag}"),
            ("last step", _metrics(step.metrics) if step else "none yet"),
        ):
            table.add_row(name, value)
        return table

    def _done(self) -> bool:
        """All steps done, and an engine serves the last version."""
        goal = self.config.learner.max_steps
        progress = self.progress
        return 0 < goal <= len(progress.steps) and progress.acknowledged >= progress.published

    def _check(self, children: Sequence[Child]) -> None:
        for child in children:
            if child.name == "learner" and child.exit_code == 0:
                continue  # it has done learner.max_steps
            if child.check():
                self.console.print(f"{child.name} was killed and is started again ({self._logs()})", soft_wrap=True)

    @contextmanager
    def _followed(self, log: Log) -> Iterator[tuple[ControlFollower, ControlFollower]]:
        with (
            ControlFollower(log, self.config.topic("control"), FOLLOWED, run_id=self.config.run_id) as control,
            ControlFollower(log, self.config.topic("rollouts"), {EpisodeFinished.kind}) as rollouts,
        ):
            yield control, rollouts

    @contextmanager
    def _shown(self) -> Iterator[Callable[[], None]]:
        """A table that is redrawn on a terminal, a line every few seconds elsewhere."""
        if self.console.is_terminal:
            with Live(self.table(), console=self.console, auto_refresh=False) as live:
                yield lambda: live.update(self.table(), refresh=True)
            return
        last = [0.0]

        def line() -> None:
            if time.monotonic() - last[0] >= PLAIN_EVERY_S:
                last[0] = time.monotonic()
                p = self.progress
                self.console.print(
                    f"[{time.monotonic() - self._started:5.0f} s] episodes {len(p.outcomes)} ({p.running} running), "
                    f"groups {p.sealed} sealed {sum(p.rejected.values())} rejected, steps {len(p.steps)}, "
                    f"policy {p.published} (lag {p.lag}), queue {p.queue_depth}",
                    highlight=False,
                    soft_wrap=True,
                )

        yield line

    @contextmanager
    def _status(self) -> Iterator[Callable[[str], None]]:
        """What the demonstrations do now: a spinner on a terminal, a line whenever it changes elsewhere."""
        if self.console.is_terminal:
            with self.console.status("demonstrations") as spinner:
                yield lambda line: spinner.update(f"demonstrations: {line}")
            self.console.print("demonstrations: done")
            return
        shown = [""]

        def line(text: str) -> None:
            if text != shown[0]:
                shown[0] = text
                self.console.print(f"demonstrations: {text}", markup=False, highlight=False, soft_wrap=True)

        yield line

    @contextmanager
    def _ended_on_exit(self, children: Sequence[Child]) -> Iterator[None]:
        try:
            yield
        finally:
            stop_all(children, last=self._children["archiver"], last_grace_s=DRAIN_S)  # it archives what they wrote

    def _child(self, name: str, num_slots: int, engine_port: int) -> Child:
        arguments = [name, "--log", self.log_url, "--prefix", self.config.log.prefix]
        if name in ("archiver", "learner", "engine"):
            arguments += ["--run-dir", str(self.run_dir)]
        if name == "worker":
            arguments += ["--slots", str(num_slots)]
        if name == "engine":
            arguments += ["--port", str(engine_port)]
        return Child(name, arguments, self._logs())

    def _logs(self) -> Path:
        return self.run_dir / "logs"


def _metrics(metrics: dict[str, float]) -> str:
    names = ("loss", "reward_mean", "mismatch_kl", "grad_norm", "off_policy_steps_mean")
    return ", ".join(f"{name} {metrics[name]:.4g}" for name in names if name in metrics)


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n") if path.exists() else []
    return next((line for line in reversed(lines) if line.strip()), "starting")
