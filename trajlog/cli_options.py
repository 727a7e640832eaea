"""What several commands share: options, the log that they name, settings, a stop on signals."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from trajlog.children import take_sigterm
from trajlog.config import RunConfig
from trajlog.errors import ConfigError
from trajlog.stream.log import Log

RunDir = Annotated[
    Path,
    typer.Option("--run-dir", help="Folder of the run: archive, checkpoints.", envvar="TRAJLOG_RUN_DIR"),
]
OptionalLog = Annotated[
    str | None,
    typer.Option("--log", help="The run's log; default: RUN_DIR/log.db if it exists.", envvar="TRAJLOG_LOG"),
]
NoDebugger = Annotated[
    bool,
    typer.Option("--no-debugger", help="The control arm: the same settings without the debugger, as a run of its own."),
]
Prefix = Annotated[str | None, typer.Option(help="Topic prefix of the run, when the log holds several.")]


@contextlib.contextmanager
def signals(stop: threading.Event) -> Iterator[None]:
    """SIGTERM and Ctrl-C set `stop`; a second Ctrl-C interrupts at once.

    One that `trajlog up` sent before it could be handled (children.py) sets it now.
    """

    def handle(number: int, frame: object) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    take_sigterm()
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


@contextlib.contextmanager
def log_of(run_dir: Path, url: str | None, wanted: bool) -> Iterator[Log | None]:
    """The log of a run directory: the one named, else RUN_DIR/log.db, else none."""
    path = run_dir / "log.db"
    if url is None and wanted and path.exists():
        url = f"sqlite:///{path.resolve()}"
    if url is None:
        yield None
        return
    from trajlog.stream.open import open_log

    with open_log(url) as log:
        yield log


@contextlib.contextmanager
def needed_log(run_dir: Path, url: str | None) -> Iterator[Log]:
    with log_of(run_dir, url, True) as log:
        if log is None:
            raise ConfigError(f"there is no {run_dir / 'log.db'}: name the log with --log, or the run with --run-dir")
        yield log


def read_settings(path: Path, no_debugger: bool) -> RunConfig:
    from trajlog.config import load_config
    from trajlog.control_arm import without_debugger

    config = load_config(path)
    return without_debugger(config) if no_debugger else config
