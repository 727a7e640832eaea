"""The run's train_step events as curves: RUN_DIR/tensorboard/.

A view of the log, written anew from the surviving steps at each start: steps that a restored checkpoint took back are
gone from it, and a step that was killed before its point is in it.
"""

from collections.abc import Iterable
from pathlib import Path

from trajlog.learner.tensorboard import Board
from trajlog.schemas import TrainStep


class Curves:
    """Every metric of every step that trained something, by the step's number. A context manager."""

    def __init__(self, directory: Path, steps: Iterable[TrainStep]) -> None:
        """`directory` of the run; `steps` so far (history.py). Raises OSError."""
        self._board = Board(directory / "tensorboard")
        self._num_rejected = 0
        for step in steps:
            self.add(step)

    def add(self, step: TrainStep) -> None:
        """A point of each curve. Rejections since the step before are counted to the next step that trains."""
        self._num_rejected += len(step.groups_rejected)
        if step.groups_trained:
            values = {f"train/{name}": value for name, value in step.metrics.items()}
            values |= {"train/num_rejected_groups": float(self._num_rejected), "train/duration_s": step.duration_s}
            values["train/policy_version"] = float(step.policy_version)
            self._board.add(step.step, values, step.emitted_at.timestamp())
            self._num_rejected = 0

    def __enter__(self) -> "Curves":
        return self

    def __exit__(self, *exc: object) -> None:
        self._board.close()
