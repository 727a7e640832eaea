"""`trajlog archive`: prove the archive, tend it, repair it."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from trajlog.cli_options import OptionalLog, Prefix, RunDir, needed_log

app = typer.Typer(help="Prove and tend the archive.", no_args_is_help=True)
out = Console(highlight=False)


@app.command("verify")
def archive_verify(
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    prefix: Prefix = None,
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Prove that archive and log agree: every record exactly once. Exit code 1 when they do not, or not yet."""
    import msgspec

    from trajlog.stream.control import wait_for_run
    from trajlog.stream.verify import verify

    with needed_log(run_dir, log) as opened:
        report = verify(opened, wait_for_run(opened, prefix, timeout_s=0), run_dir)
    sys.stdout.write((msgspec.json.encode(report).decode() if json else str(report)) + "\n")
    if not report.ok:
        raise typer.Exit(1)


@app.command("compact")
def archive_compact(run_dir: RunDir = Path("runs/demo")) -> None:
    """Merge small files, checkpoint the Delta log, delete what no version of the last day lists. Readers go on.

    The archiver does it by itself every `archive.compact_every_commits` commits; this merges all that is small, at
    once, and may run beside archivers, queries and other compactions.
    """
    from trajlog.stream.archive_compact import RETENTION_H, tidy_archive
    from trajlog.stream.archiver import archive_location

    done = tidy_archive(str(archive_location(run_dir)), thorough=True)
    out.print(f"{done.num_files_before} files are {done.num_files_after} now", markup=False)
    out.print(f"{done.num_deleted} files deleted that no version of the last {RETENTION_H} hours lists", markup=False)
    if done.num_refused:
        out.print(f"{done.num_refused} mergers left to another compaction that runs: run it again", markup=False)


@app.command("repair")
def archive_repair(
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    prefix: Prefix = None,
    accept: Annotated[
        bool, typer.Option("--accept-loss", help="Give up what retention dropped before it was read.")
    ] = False,
) -> None:
    """Write what damaged files held again from the log. With --accept-loss: let stopped archivers and assemblers go on.

    Damaged files are those that `trajlog archive verify` names. They are replaced all or not at all: what the log does
    not hold any more must come from a copy. --accept-loss is for an archiver or an assembler that retention overtook:
    what was never archived is recorded as lost, and groups that were open are rejected. Nothing else ever skips.
    """
    from trajlog.stream.archive import Archive
    from trajlog.stream.archive_accept_loss import accept_loss
    from trajlog.stream.archive_repair import repair
    from trajlog.stream.archiver import archive_location
    from trajlog.stream.assembler_accept_loss import accept_assembler_loss
    from trajlog.stream.control import wait_for_run

    with needed_log(run_dir, log) as opened:
        if not accept:
            done = repair(opened, wait_for_run(opened, prefix, timeout_s=0), run_dir)
            for damage in done.damaged:
                out.print(f"{damage.path} {damage.what}: replaced", markup=False, soft_wrap=True)
            for tp, ranges in done.offsets.items():
                again = ", ".join(f"{offsets.start}..{offsets.stop - 1}" for offsets in ranges)
                out.print(f"{tp.topic}-{tp.partition}: offsets {again} written again from the log", soft_wrap=True)
            if not done.damaged:
                out.print("no file is damaged")
            return
        config = wait_for_run(opened, prefix, timeout_s=0)
        passed = accept_assembler_loss(opened, config)
        archived = Archive.exists(archive_location(run_dir, config))
        lost = accept_loss(opened, config, run_dir) if archived else {}
    for tp, offsets in passed.offsets.items():
        out.print(
            f"{tp.topic}-{tp.partition}: the assembler goes on at {offsets.stop}, not at {offsets.start}",
            soft_wrap=True,
        )
    if passed.offsets:
        out.print(
            f"groups rejected that may have had events there: {', '.join(passed.groups) or 'none'}", soft_wrap=True
        )
    for tp, offsets in lost.items():
        out.print(f"{tp.topic}-{tp.partition}: offsets {offsets.start}..{offsets.stop - 1} recorded as lost")
    if archived and not lost:
        out.print("nothing is lost: the archive has every record that the log dropped")
    if not archived:
        out.print(
            f"there is no archive in {run_dir}: its losses can be accepted once an archiver has begun it",
            soft_wrap=True,
        )
