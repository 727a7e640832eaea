"""`trajlog replay`: datasets, logs, batches and verdicts made again from what was recorded."""

import contextlib
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from trajlog.cli_options import OptionalLog, Prefix, RunDir, log_of
from trajlog.errors import ConfigError

if TYPE_CHECKING:
    from trajlog.stream.recorded import Recorded

PROGRESS_S = 2.0
"""Least time between two lines of progress."""

app = typer.Typer(help="Rebuild datasets, logs, batches and verdicts from what was recorded.", no_args_is_help=True)
out = Console(highlight=False)

FromArchive = Annotated[
    bool, typer.Option("--archive", help="Read the archive, also where the log is there. Default: only without a log.")
]


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


@app.command("events")
def replay_events_command(
    to: Annotated[str, typer.Option("--to", help="URL of the log to write: sqlite:///PATH.db or kafka://HOST:PORT.")],
    start: Annotated[
        list[str] | None,
        typer.Option(
            "--from",
            help="Where to begin: a time of the old log (ISO 8601, UTC), an offset for every partition, or "
            "TOPIC-PARTITION=OFFSET, which may be given several times. Default: everything that is held.",
        ),
    ] = None,
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    archive: FromArchive = False,
    prefix: Prefix = None,
) -> None:
    """Copy a run's records into a fresh log, exactly once. Started again with the same words, it goes on.

    They come from --log, or the run directory's own log, or its archive (--archive, or where there is no log). Topics,
    partitions, order, keys, headers and bytes stay as they were; append times are the new log's (docs/replay.md).
    A time is met by the first record appended at or after it, in each partition for itself. The record that starts the
    run (its settings) is copied whatever --from says. Exit code 1 when a sealed group could not be rebuilt.
    """
    from trajlog.analytics.render import render
    from trajlog.stream.archive_records import RecordedArchive
    from trajlog.stream.open import open_log
    from trajlog.stream.replay_events import replay_events
    from trajlog.stream.replay_starts import starts_of

    words = start or []
    with _recorded(run_dir, log, archive, prefix) as recorded:
        starts_of(recorded, words)  # words that mean nothing are refused before the destination is made
        with open_log(to, create=True) as destination:
            done = replay_events(recorded, destination, words, _progress())
        rows = [[topic, num] for topic, num in done.copied.items()]
        sys.stdout.write(render(["topic", "records copied"], rows, "table"))
        out.print(f"{destination.url} holds {done.present} records of {recorded.name}", markup=False, soft_wrap=True)
        if done.moved:
            out.print(f"{done.moved} undecodable records are in the partition of their key now", markup=False)
        if isinstance(recorded, RecordedArchive):
            out.print(f"{recorded.num_gaps(done.starts)} offsets of the archive hold no record", markup=False)
        for note in done.left_out:
            out.print(f"left out: {note}", markup=False, soft_wrap=True)
        if done.left_out:
            raise typer.Exit(1)


@app.command("verdicts")
def replay_verdicts_command(
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    archive: FromArchive = False,
    prefix: Prefix = None,
    max_off_policy_steps: Annotated[int | None, typer.Option(help="In place of the run's own.", min=0)] = None,
    min_group_size: Annotated[int | None, typer.Option(help="In place of the run's own.", min=1)] = None,
    min_reward_std: Annotated[float | None, typer.Option(help="In place of the run's own.", min=0)] = None,
    seal_timeout_s: Annotated[float | None, typer.Option(help="In place of the run's own.", min=0)] = None,
    context_limit: Annotated[int | None, typer.Option(help="In place of the run's own.", min=1)] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Name every group that would have changed.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line: every group, then a summary.")] = False,
) -> None:
    """Judge everything again with other limits, and say what would have changed: verdicts, and what the learner took.

    Without a limit it proves that the run's own give every recorded verdict. Exit code 1 when they do not.

    Example: trajlog replay verdicts --max-off-policy-steps 2
    """
    import msgspec

    from trajlog.analytics.render import render
    from trajlog.stream.recorded import recorded_config
    from trajlog.stream.replay_verdicts import changed_limits, limits_of, replay_verdicts

    wanted = {
        "max_off_policy_steps": max_off_policy_steps,
        "min_group_size": min_group_size,
        "min_reward_std": min_reward_std,
        "seal_timeout_s": seal_timeout_s,
        "context_limit": context_limit,
    }
    with _recorded(run_dir, log, archive, prefix) as recorded:
        config = recorded_config(recorded)
        other = changed_limits(config, wanted)
        found = replay_verdicts(recorded, config, other)
    before, after = limits_of(config), limits_of(other)
    limits = {
        name: {"recorded": before[name], "replayed": after[name]} for name in after if before[name] != after[name]
    }
    groups = [sum(group.reproduced for group in found.groups), len(found.groups)]
    episodes = [found.episodes_reproduced, len(found.episodes)]
    rows = {
        what: [{"recorded": was, "replayed": new, "count": count} for (was, new), count in sorted(counted.items())]
        for what, counted in found.transitions().items()
    }
    if json:
        summary = {"limits": limits, "reproduced": {"groups": groups, "episodes": episodes}, **rows}
        for entry in (*found.groups, summary):
            sys.stdout.write(msgspec.json.encode(entry).decode() + "\n")
    else:
        told = [f"{name} {change['replayed']} (was {change['recorded']})" for name, change in limits.items()]
        out.print(f"limits: {', '.join(told) or 'as they were'}", markup=False, soft_wrap=True)
        table = [[what, *row.values()] for what, counted in rows.items() for row in counted]
        sys.stdout.write(render(["what", "recorded", "with these limits", "count"], table, "table"))
        for group in found.groups if verbose else ():
            if group.changed:
                out.print(str(group), markup=False, soft_wrap=True)
        out.print(
            f"the run's own limits give {groups[0]} of {groups[1]} group verdicts and {episodes[0]} of {episodes[1]} "
            f"episode verdicts exactly",
            markup=False,
            soft_wrap=True,
        )
        for group in found.groups:
            if not group.reproduced:
                out.print(f"not reproduced: {group}", markup=False, soft_wrap=True)
    if groups[0] < groups[1] or episodes[0] < episodes[1]:
        raise typer.Exit(1)


@app.command("batch")
def replay_batch_command(
    step: Annotated[int | None, typer.Option(help="Number of the optimizer step.", min=0)] = None,
    skipped: Annotated[
        Path | None,
        typer.Option(help="RUN_DIR/non_finite/FILE.json: a batch that was skipped since its loss was not finite."),
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option("--out", help="Folder for step-N.safetensors and step-N.json; default: only prove.")
    ] = None,
    run_dir: RunDir = Path("runs/demo"),
    log: OptionalLog = None,
    archive: FromArchive = False,
    prefix: Prefix = None,
) -> None:
    """Rebuild the exact tensors of a training step, and prove them by the digests that its train_step carries.

    Tokens come from the log where it still holds the groups, else from the archive's generations. No model is loaded.
    Exit code 1 when anything is not as it was.
    """
    if (step is None) == (skipped is None):
        raise ConfigError("which batch? Give --step NUMBER, or --skipped FILE for one that was not trained")
    try:
        from trajlog.learner.replay_step import rebuild, replay_step, write_step
        from trajlog.learner.skipped import read_skipped
    except ModuleNotFoundError as error:
        raise ConfigError(f"{error}: tensors are made by the learner's code, pip install 'trajlog[learner]'") from None
    from trajlog.stream.recorded import recorded_config, whole_control

    with _sources(run_dir, log, archive, prefix) as sources:
        config = recorded_config(whole_control(sources))
        if skipped is not None:
            recorded_step = read_skipped(skipped)
            manifest, tensors = rebuild(sources, config, recorded_step, recorded_step.offsets)
        else:
            assert step is not None
            manifest, tensors = replay_step(sources, config, step)
    for number, source in enumerate(dict.fromkeys(manifest.groups.values())):
        names = [name for name, where in manifest.groups.items() if where == source]
        out.print(
            f"{'groups' if number == 0 else 'and'} {', '.join(names)} from {source}", markup=False, soft_wrap=True
        )
    arrays = {f"tensor {name}": pair for name, pair in manifest.tensors.items()}
    for name, (recorded, rebuilt) in {"tokens": manifest.batch_sha256, **arrays}.items():
        verdict = "not recorded" if recorded is None else "yes" if recorded == rebuilt else "NO"
        line = f"{name}: recorded {(recorded or '-')[:16]} rebuilt {rebuilt[:16]} equal {verdict}"
        out.print(line, markup=False, soft_wrap=True)
    if out_dir is not None:
        for path in write_step(out_dir, manifest, tensors):
            out.print(f"wrote {path}", markup=False, soft_wrap=True)
    for difference in manifest.differences:
        out.print(f"not as it was: {difference}", markup=False, soft_wrap=True)
    if manifest.differences:
        raise typer.Exit(1)
    proven = "its tensors are the very ones" if manifest.proven else "its tokens are; it was recorded without tensors"
    which = "the skipped batch of step" if skipped is not None else "step"
    out.print(f"{which} {manifest.step} (policy {manifest.policy_version}): {proven}", markup=False, soft_wrap=True)


@contextlib.contextmanager
def _recorded(run_dir: Path, url: str | None, archive: bool, prefix: str | None) -> "Iterator[Recorded]":
    """The run's records: of the log named, else of RUN_DIR/log.db, else (or with `archive`) of its archive."""
    from trajlog.stream.archive_records import RecordedArchive
    from trajlog.stream.control import find_prefix
    from trajlog.stream.log import TopicPartition
    from trajlog.stream.recorded import RecordedLog

    if archive and url is not None:
        raise ConfigError("--log and --archive name two sources: give one of them")
    with log_of(run_dir, url, not archive) as opened:
        if opened is None:
            with RecordedArchive(run_dir) as recorded:
                if prefix is not None and TopicPartition(f"{prefix}.control", 0) not in recorded.spans():
                    raise ConfigError(f"{recorded.name} holds no run with prefix {prefix}")
                yield recorded
            return
        name = find_prefix(opened, prefix)
        if name is None:
            raise ConfigError(f"{opened.url} holds no run{f' with prefix {prefix}' if prefix else ''}")
        yield RecordedLog(opened, name)


@contextlib.contextmanager
def _sources(run_dir: Path, url: str | None, archive: bool, prefix: str | None) -> "Iterator[list[Recorded]]":
    """As `_recorded`; behind a log, its archive for what the log does not hold any more."""
    from trajlog.stream.archive import Archive
    from trajlog.stream.archive_records import RecordedArchive
    from trajlog.stream.archiver import archive_location
    from trajlog.stream.log import same_log

    with _recorded(run_dir, url, archive, prefix) as first, contextlib.ExitStack() as stack:
        sources = [first]
        if not isinstance(first, RecordedArchive) and Archive.exists(archive_location(run_dir)):
            second = stack.enter_context(RecordedArchive(run_dir))
            if same_log(second.identity, first.identity):
                sources.append(second)
        yield sources


def _progress():
    said = time.monotonic()

    def on_progress(done: int, total: int) -> None:
        nonlocal said
        if time.monotonic() - said >= PROGRESS_S:
            said = time.monotonic()
            sys.stderr.write(f"{done} of {total} offsets copied\n")

    return on_progress
