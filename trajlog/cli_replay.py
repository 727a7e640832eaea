"""`trajlog replay`: datasets, records, batches and verdicts made again from what was recorded."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trajlog.cli_options import RunDir

app = typer.Typer(help="Rebuild datasets, logs, batches and verdicts from what was recorded.", no_args_is_help=True)
out = Console(highlight=False)


@app.callback()
def replay() -> None:
    """Rebuild datasets, logs, batches and verdicts from what was recorded."""


@app.command("sft")
def replay_sft_command(
    out_dir: Annotated[Path, typer.Option("--out", help="Folder to write; it must not hold another corpus.")],
    run_dir: RunDir = Path("runs/demo"),
    as_of: Annotated[
        Path | None,
        typer.Option(help="manifest.json of an earlier replay: make that corpus again, whatever came since."),
    ] = None,
) -> None:
    """Rebuild chat JSONL (messages, tools, token ids, assistant masks) of solved episodes from the archive."""
    from trajlog.analytics.sft_corpus import read_manifest, replay_sft

    manifest = replay_sft(run_dir, out_dir, read_manifest(as_of) if as_of else None)
    out.print(
        f"{manifest.num_examples} examples in {out_dir}; left out: {manifest.rejected or 'none'}",
        markup=False,
        soft_wrap=True,
    )
    out.print(f"sha256 {manifest.sha256}", markup=False, soft_wrap=True)
