"""`trajlog rewards`: rewards computed again from a run's archive."""

import contextlib
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer

from trajlog.errors import ConfigError
from trajlog.harness.rewards import RewardConfig

app = typer.Typer(help="Compute rewards again with other weights.", no_args_is_help=True)


@app.callback()
def rewards() -> None:
    """Compute rewards again with other weights."""


@app.command()
def recompute(
    run_dir: Annotated[
        Path, typer.Option("--run-dir", help="Folder of the run: archive, checkpoints.", envvar="TRAJLOG_RUN_DIR")
    ] = Path("runs/demo"),
    weights: Annotated[
        Path | None,
        typer.Option(help="TOML file whose section `rewards` replaces the run's weights; a settings file will do."),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE: one weight; may be given several times.")
    ] = None,
    format: Annotated[Literal["table", "csv", "json"], typer.Option(help="How to print the episodes.")] = "table",
    out: Annotated[Path | None, typer.Option(help="Parquet file to write besides; it must not exist.")] = None,
) -> None:
    """Compute every archived episode's reward again from its events, and what that would do to the groups.

    Reads only: no event is changed. With the run's own weights every logged reward comes out exactly.

    Example: trajlog rewards recompute --run-dir runs/demo --set turn_cost=-0.4
    """
    from trajlog.analytics.query import connect
    from trajlog.analytics.render import render
    from trajlog.analytics.rewards import group_changes, recompute, run_settings, summarize, write_parquet
    from trajlog.producers.facts import FactsMissing, episode_reward
    from trajlog.schemas import Event

    with contextlib.closing(connect(run_dir)) as con:
        settings = run_settings(con)
        chosen = changed_weights(read_weights(weights) if weights else settings.rewards, changes or [])

        def compute(events: Sequence[Event]) -> tuple[float, dict[str, float]] | str:
            try:
                return episode_reward(events, chosen)
            except FactsMissing as missing:
                return str(missing)

        episodes = recompute(con, compute)
        groups = group_changes(con, episodes, settings.group.min_reward_std)
    summary = summarize(episodes, groups)
    if out is not None:
        write_parquet(episodes, msgspec.structs.asdict(chosen), out)
    if format == "json":
        printed = {"weights": chosen, "episodes": episodes, "groups": groups, "summary": summary}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(printed), indent=2).decode() + "\n")
        return
    columns = ["episode_id", "group_id", "task_id", "outcome", "logged", "reward", "why_not"]
    sys.stdout.write(render(columns, [[getattr(row, name) for name in columns] for row in episodes], format))
    if format == "csv":
        sys.stderr.write(f"{summary}\n")
        return
    if groups:
        names = list(groups[0].__struct_fields__)
        sys.stdout.write(render(names, [[getattr(group, name) for name in names] for group in groups], format))
    sys.stdout.write(f"{summary}\n")


def read_weights(path: Path) -> RewardConfig:
    """The section [rewards] of a TOML file. Raises ConfigError naming the file and the weight."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"the weights in {path} cannot be read: {error}") from None
    if "rewards" not in data:
        raise ConfigError(f"{path} has no section [rewards]; write one with any of {_names()}")
    return _converted(data["rewards"], str(path))


def changed_weights(weights: RewardConfig, changes: Sequence[str]) -> RewardConfig:
    """`weights` with `name=value` texts applied. Raises ConfigError naming the weight and what is wrong.

    >>> changed_weights(RewardConfig(), ["turn_cost=-0.4"]).turn_cost
    -0.4
    """
    values = msgspec.structs.asdict(weights)
    for change in changes:
        name, equals, text = (part.strip() for part in change.partition("="))
        if not equals or name not in values:
            raise ConfigError(f"--set {change!r} names no weight: write NAME=VALUE with one of {_names()}")
        try:
            values[name] = float(text)
        except ValueError:
            raise ConfigError(f"--set {change!r}: {text!r} is no number") from None
    return _converted(values, "--set")


def _converted(values: object, where: str) -> RewardConfig:
    try:
        return msgspec.convert(values, RewardConfig)
    except (msgspec.ValidationError, ValueError) as error:
        raise ConfigError(f"{where}: {error}. The weights are {_names()}") from None


def _names() -> str:
    return ", ".join(RewardConfig.__struct_fields__)
