"""`trajlog demonstrate` and `trajlog demonstrations`: episodes from the tasks' held-back solutions."""

import os
import signal
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trajlog.cli_options import NoDebugger, read_settings
from trajlog.harness.task import Split
from trajlog.private_folder import make_private

out = Console(highlight=False)


def demonstrations(
    settings: Annotated[Path, typer.Argument(help="The run's settings (TOML).")],
    out_dir: Annotated[Path, typer.Option("--out", help="RUN_DIR/demonstrations, where the learner looks for it.")],
    no_debugger: NoDebugger = False,
) -> None:
    """Play the tasks' solutions as demonstrations, replay them as a corpus, train a short SFT: version 0's adapter."""
    from trajlog.children import end_with_parent, take_sigterm
    from trajlog.demonstrations import make_adapter

    take_sigterm()
    end_with_parent(lambda: os.kill(os.getpid(), signal.SIGTERM))
    make_adapter(
        read_settings(settings, no_debugger), out_dir, lambda message: out.print(message, markup=False, soft_wrap=True)
    )


def demonstrate(
    out_dir: Annotated[Path, typer.Option("--out", help="Folder for their log and archive; goes on where it stopped.")],
    split: Annotated[Split, typer.Option(help="Tasks of this split.")] = "train",
    per_task: Annotated[int, typer.Option(help="Demonstrations of each task; each takes another route.", min=1)] = 4,
    ids: Annotated[list[str] | None, typer.Option("--task", help="Only this task (of any split); repeatable.")] = None,
    tasks: Annotated[Path | None, typer.Option("--tasks", help="Folder of tasks; default: those shipped.")] = None,
    settings: Annotated[
        Path | None, typer.Option(help="Settings (TOML) for model, tools, limits and seed; default: all tools.")
    ] = None,
    no_debugger: NoDebugger = False,
    jobs: Annotated[int, typer.Option(help="Demonstrations played at once.", min=1)] = 2,
) -> None:
    """Play tasks as a good debugger would, from their held-back solutions: episodes for an SFT corpus.

    Then: trajlog replay sft --run-dir OUT --out CORPUS
    """
    from trajlog.control_arm import without_debugger
    from trajlog.demonstrations import default_config, plan, play_all
    from trajlog.harness.catalog import load_catalog, select

    if settings is not None:
        config = read_settings(settings, no_debugger)
    else:
        config = without_debugger(default_config()) if no_debugger else default_config()
    chosen = select(load_catalog(tasks), split=None if ids else split, ids=ids)
    planned = plan(config, chosen.values(), per_task)
    make_private(out_dir)
    found = play_all(config, out_dir, planned, lambda text: out.print(text, markup=False, soft_wrap=True), jobs=jobs)
    solved = sum(finished.outcome == "solved" for finished in found)
    out.print(
        f"{solved} of {len(found)} solved. Next: trajlog replay sft --run-dir {out_dir} --out CORPUS", markup=False
    )
