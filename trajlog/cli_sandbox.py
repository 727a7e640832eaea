"""`trajlog sandbox`: what isolates an agent's commands on this machine, and the image that containers run."""

import json
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from trajlog.harness.sandbox.image import BASE

app = typer.Typer(help="What isolates an agent's commands here, and the containers' image.", no_args_is_help=True)
out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


@app.command()
def check(as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False) -> None:
    """Try out what each kind of sandbox holds back on this machine."""
    from trajlog.harness.sandbox.check import as_dict, check_sandboxes

    found = check_sandboxes()
    if as_json:
        print(json.dumps(as_dict(found), indent=2))
        return
    table = Table("tried", *found.kinds)
    for row in found.rows:
        answers = [row.answers[kind] for kind in found.kinds]
        table.add_row(row.title, *(Text(f"{'held' if one.held else 'OPEN'}: {one.text}") for one in answers))
    out.print(table)
    for note in found.notes:
        out.print(note, markup=False)
    out.print(f'With episode.sandbox = "auto", {found.reason}', markup=False)


@app.command()
def build(
    base: Annotated[str, typer.Option(help="Image to start from: Python 3.11 or newer, and bash.")] = BASE,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the tag alone.")] = False,
) -> None:
    """Build the image that containers run, from this installation's own files. Needs no network but for the base."""
    from trajlog.harness.sandbox.container import connect
    from trajlog.harness.sandbox.image import build_image

    client = connect()
    try:
        tag = build_image(client, base, (lambda line: None) if quiet else lambda line: err.print(line, markup=False))
    finally:
        client.close()
    out.print(tag, markup=False)
