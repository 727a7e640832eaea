"""Metrics of a training that has no log: JSON lines with `step` and `time` (seconds since 1970), and their curves."""

import json
import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from trajlog.learner.tensorboard import Board


def read_lines(path: Path, up_to: int) -> list[dict[str, Any]]:
    """The lines of steps up to that one; none where there is no file. A line that was torn by a kill ends them."""
    lines = []
    for text in path.read_bytes().splitlines() if path.exists() else ():
        try:
            line = json.loads(text)
        except ValueError:
            break
        if line["step"] <= up_to:
            lines.append(line)
    return lines


class MetricLines:
    """`folder/name` and `folder/tensorboard/`, begun anew from the lines that still count. A context manager.

    The file is replaced by one rename: killed at any instant, it holds what it held or what it is to hold.
    """

    def __init__(self, folder: Path, name: str, tag: str, lines: Sequence[Mapping[str, Any]]) -> None:
        """`tag` stands before every curve's name, as in `tag/loss`. Raises OSError."""
        self.lines: list[Mapping[str, Any]] = []
        self._tag = tag
        fresh = folder / f".{name}.tmp"
        self._file = fresh.open("wb")
        self._board = Board(folder / "tensorboard")
        for line in lines:
            self._write(line)
        self.sync()
        fresh.replace(folder / name)

    def add(self, step: int, **values: float) -> None:
        """Numbers of one step. They reach the file at once, and the disk with `sync`."""
        self._write({"step": step, **values, "time": time.time()})
        self._file.flush()

    def sync(self) -> None:
        """What was added is on the disk when this returns."""
        self._file.flush()
        os.fsync(self._file.fileno())

    def _write(self, line: Mapping[str, Any]) -> None:
        self.lines.append(line)
        self._file.write(json.dumps(line).encode() + b"\n")
        values = {f"{self._tag}/{name}": float(line[name]) for name in line if name not in ("step", "time")}
        self._board.add(line["step"], values, line["time"])

    def __enter__(self) -> "MetricLines":
        return self

    def __exit__(self, *exc: object) -> None:
        self._file.close()
        self._board.close()
