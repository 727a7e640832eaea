"""`trajlog tasks`: look at tasks, prove them, write and import new ones."""

import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from trajlog.errors import TaskError, TrajlogError
from trajlog.harness.catalog import PACKAGED_TASKS, SPLITS, list_rows, load_catalog, select
from trajlog.harness.task import Category, Debugger, Split, Task

app = typer.Typer(help="Look at bug tasks, prove that they are tasks, write and import new ones.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--tasks", help="Folder of tasks; default: those shipped with trajlog.")]
SplitOption = Annotated[Split | None, typer.Option(help="Only this split.")]
Format = Annotated[Literal["table", "json", "csv"], typer.Option(help="How to print the answer.")]
Into = Annotated[Path, typer.Option("--tasks", help="Folder of tasks to write into; made if it is missing.")]
CategoryOption = Annotated[Category, typer.Option(help="What kind of bug it is.")]
Difficulty = Annotated[int, typer.Option(help="1 (easy) to 5.", min=1, max=5)]
SandboxOption = Annotated[
    Literal["auto", "docker", "local"],
    typer.Option(help="Where tests run; auto: containers where an engine and the image are there, else local."),
]
DebuggerOption = Annotated[Debugger, typer.Option(help="Whether looking at the running program pays off.")]

out = Console(highlight=False)
err = Console(stderr=True, highlight=False)


@app.command("list")
def list_tasks(folder: Folder = None, split: SplitOption = None, format: Format = "table") -> None:
    """List tasks with category, difficulty, debugger preference and split."""
    _print(list_rows(select(load_catalog(folder), split=split)), format)


@app.command()
def show(
    task_id: Annotated[str, typer.Argument(help="The task's id.")],
    folder: Folder = None,
    solution: Annotated[bool, typer.Option("--solution", help="Also what the solution changes.")] = False,
    file: Annotated[str | None, typer.Option(help="Print this file of the workspace.")] = None,
) -> None:
    """Show one task: its statement and files; with --solution the fix as a diff."""
    import difflib

    (task,) = select(load_catalog(folder), ids=[task_id]).values()
    if file is not None:
        if file not in task.workspace:
            raise TaskError(f"{task_id} has no file {file!r}. It has {', '.join(task.workspace)}.")
        sys.stdout.write(task.workspace[file].decode("utf-8", errors="replace"))
        return
    row = list_rows({task_id: task})[0]
    out.print("  ".join(f"{key}: {value}" for key, value in row.items() if key != "title"), markup=False)
    out.print(Markdown(task.statement))
    out.print("\nfiles: " + ", ".join(task.workspace), markup=False)
    out.print("held-back tests: " + ", ".join(task.hidden_tests), markup=False)
    if solution:
        for path, text in task.solution.items():
            before, after = (one.decode().splitlines() for one in (task.workspace[path], text))
            diff = difflib.unified_diff(before, after, f"workspace/{path}", f"solution/{path}", lineterm="")
            out.print("\n".join(diff), markup=False)


@app.command()
def stats(
    folder: Folder = None,
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the sizes, one panel per split (.svg, .png, .pdf).")
    ] = None,
    format: Format = "table",
) -> None:
    """Source lines reachable by imports from each task's failing tests, per split; --plot draws them."""
    from trajlog.harness.authoring.record import failing_tests, read_record
    from trajlog.harness.authoring.sizes import measure, summarize

    tasks = load_catalog(folder)
    failing = failing_tests(read_record(folder or PACKAGED_TASKS), tasks)
    sizes = [measure(task, failing[task_id]) for task_id, task in tasks.items()]
    groups = {split: [size for size in sizes if size.split == split] for split in get_args(Split)} | {"all": sizes}
    _print([{"split": split, **summarize(found)} for split, found in groups.items() if found], format)
    if format == "table":
        for field in ("category", "difficulty", "debugger"):
            _print(_counts(tasks, field), format)
    if plot is not None:
        from trajlog.harness.authoring.plot import draw_sizes

        draw_sizes(plot, {split: [size.lines for size in found] for split, found in groups.items() if found})
        out.print(f"drawn: {plot}", markup=False)


@app.command()
def similar(
    folder: Folder = None,
    top: Annotated[int, typer.Option(help="How many pairs to print.", min=1)] = 10,
    format: Format = "table",
) -> None:
    """Find near-duplicates: the pairs of tasks that share most runs of tokens. Fails if one pair is above the limit."""
    from trajlog.harness.authoring.similarity import LIMIT, compare

    pairs = compare(load_catalog(folder))
    _print([pair.row() for pair in pairs[:top]], format)
    too_alike = [pair for pair in pairs if pair.worst > LIMIT]
    if too_alike:
        raise TaskError(f"{len(too_alike)} pair(s) share more than {LIMIT:.0%}. Rewrite one task of each.")


@app.command()
def split(
    train: Annotated[int, typer.Option(help="Tasks for training.", min=0)],
    validation: Annotated[int, typer.Option(help="Tasks for validation.", min=0)],
    test: Annotated[int, typer.Option(help="Tasks for testing.", min=0)],
    folder: Annotated[Path, typer.Option("--tasks", help="Folder of tasks.")],
    seed: Annotated[int, typer.Option(help="Another seed deals another way.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Deal anew where splits are fixed already.")] = False,
) -> None:
    """Fix which tasks are for training, validation and test, balanced by category, difficulty and debugger."""
    from trajlog.harness.authoring.splits import deal, write

    path = folder / SPLITS
    if path.exists() and not force:
        raise TaskError(f"{path} exists; tasks moved between splits would leak. Give --force to deal them anew.")
    tasks = load_catalog(folder)
    write(path, deal(tasks, {"train": train, "validation": validation, "test": test}, seed))
    tasks = load_catalog(folder)
    for field in ("category", "difficulty", "debugger"):
        _print(_counts(tasks, field), "table")
    out.print(f"written: {path}", markup=False)


@app.command()
def new(
    task_id: Annotated[str, typer.Argument(help="Lower-case letters, digits and _.")],
    into: Into = Path("tasks"),
    category: CategoryOption = "iteration",
    difficulty: Difficulty = 1,
    debugger: DebuggerOption = "optional",
) -> None:
    """Begin a task: a small, valid one whose parts you replace by yours (docs/tasks.md tells what makes a good one)."""
    from trajlog.harness.authoring.skeleton import skeleton
    from trajlog.harness.authoring.write import write_task

    write_task(into, skeleton(task_id, category, difficulty, debugger))
    out.print(f"made {into / task_id}. Change it, then: trajlog tasks validate {task_id} --tasks {into}", markup=False)


@app.command("import")
def import_tasks(
    source: Annotated[Path, typer.Argument(help="What to import.", exists=True, file_okay=False)],
    into: Into = Path("tasks"),
    layout: Annotated[
        Literal["before-after", "quixbugs"],
        typer.Option(help="before-after: a program before and after a fix; quixbugs: a checkout of QuixBugs."),
    ] = "before-after",
    category: CategoryOption = "iteration",
    difficulty: Difficulty = 2,
    debugger: DebuggerOption = "optional",
    sandbox: SandboxOption = "auto",
) -> None:
    """Make tasks from bugs kept in another layout, and say of each whether it is valid (docs/tasks.md)."""
    from trajlog.harness.authoring.before_after import read_before_after
    from trajlog.harness.authoring.quixbugs import read_quixbugs
    from trajlog.harness.authoring.write import with_expected_ids, write_task
    from trajlog.harness.grading import grade
    from trajlog.harness.sandbox.choice import open_pool
    from trajlog.harness.validate import validate

    num_found = num_valid = 0
    with open_pool(sandbox, on_status=lambda line: err.print(line, markup=False)) as pool:
        if layout == "quixbugs":
            found = read_quixbugs(source, category, difficulty, debugger, pool)
        else:
            found = read_before_after(source, category, difficulty, debugger)
        for name, task in found:
            num_found += 1
            try:
                if isinstance(task, TaskError):
                    raise task
                task = write_task(into, with_expected_ids(task, pool))
            except TaskError as error:
                out.print(f"{name:24} not imported: {error}", markup=False)
                continue
            problems = validate(task, runs=1, runner=partial(grade, make_sandbox=pool)).problems
            num_valid += not problems
            out.print(f"{name:24} {'; '.join(problems) or 'valid'}", markup=False)
    out.print(f"{num_valid} of {num_found} are valid; look at each before you train on it: {into}", markup=False)


@app.command()
def validate(
    ids: Annotated[list[str] | None, typer.Argument(help="Task ids; default: all.")] = None,
    folder: Folder = None,
    runs: Annotated[int, typer.Option(help="Runs of the buggy and of the corrected source.", min=1)] = 5,
    changed: Annotated[
        bool, typer.Option("--changed", help="Only tasks not recorded with their present content.")
    ] = False,
    record: Annotated[
        bool, typer.Option("--record", help="Keep the results with the tasks' digests, in validated.json.")
    ] = False,
    jobs: Annotated[int, typer.Option(help="Tasks at once.", min=1)] = 1,
    sandbox: SandboxOption = "auto",
) -> None:
    """Prove that each task fails as shipped and passes with its solution, every time."""
    from trajlog.harness.authoring import record as records
    from trajlog.harness.grading import grade
    from trajlog.harness.sandbox.choice import open_pool
    from trajlog.harness.validate import validate as prove

    tasks, root = load_catalog(folder), folder or PACKAGED_TASKS
    known = {task_id: found for task_id, found in records.read_record(root).items() if task_id in tasks}
    chosen = select(tasks, ids=ids)
    if changed:
        chosen = records.changed(chosen, known)
    failed = 0
    with (
        open_pool(sandbox, num_warm=jobs, on_status=lambda line: err.print(line, markup=False)) as sandboxes,
        _progress() as progress,
        ThreadPoolExecutor(jobs) as pool,
    ):
        bar = progress.add_task("validating", total=len(chosen))
        runner = partial(grade, make_sandbox=sandboxes)
        waiting = {pool.submit(prove, task, runs=runs, runner=runner): task for task in chosen.values()}
        try:
            for future in as_completed(waiting):
                task, result = waiting[future], future.result()
                failed += bool(result.problems)
                slowest = max(grade.duration_s for grade in (*result.buggy, *result.solution))
                verdict = "; ".join(result.problems) or "ok"
                progress.console.print(
                    f"{task.task_id:24} {runs} x buggy, {runs} x solution, slowest {slowest:.1f} s: {verdict}",
                    markup=False,
                )
                if record and not result.problems:
                    known[task.task_id] = records.recorded(task, result)
                    records.write_record(root, known)
                progress.advance(bar)
        except BaseException:  # Ctrl-C too: what has not begun must not be waited for
            pool.shutdown(wait=False, cancel_futures=True)
            err.print("waiting for the tasks that have begun; interrupt again to leave at once", markup=False)
            raise
    if failed:
        raise TrajlogError(f"{failed} task(s) are not valid; see the lines above")
    out.print(
        f"{len(chosen)} task(s) valid, {len(tasks) - len(records.changed(tasks, known))} of {len(tasks)} recorded"
    )


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=out, transient=True, disable=not out.is_terminal)


def _counts(tasks: Mapping[str, Task], field: str) -> list[dict[str, Any]]:
    """Tasks of each split by the values of a field."""
    values = sorted({getattr(task, field) for task in tasks.values()})
    rows = []
    for value in values:
        found = [task.split for task in tasks.values() if getattr(task, field) == value]
        rows.append({field: value, **{name: found.count(name) for name in get_args(Split)}, "all": len(found)})
    return rows


def _print(rows: Sequence[Mapping[str, Any]], format: Literal["table", "json", "csv"]) -> None:
    from trajlog.analytics.render import render

    columns = list(rows[0])
    sys.stdout.write(render(columns, [[row[name] for name in columns] for row in rows], format).rstrip("\n") + "\n")
