"""The curves are those of the surviving steps, whatever was lost before."""

from pathlib import Path

import pytest

from tests.learner.test_replay_step import step_event
from trajlog.learner import curves
from trajlog.learner.curves import Curves


@pytest.fixture
def points(monkeypatch) -> list:
    """What the board was given: (step, values)."""
    given = []

    class Board:
        def __init__(self, folder: Path) -> None:
            given.append(folder.name)

        def add(self, step, values, wall_time_s) -> None:
            given.append((step, values, wall_time_s))

        def close(self) -> None:
            given.append("closed")

    monkeypatch.setattr(curves, "Board", Board)
    return given


def test_a_point_for_every_step_that_trained_and_rejections_go_to_the_next(points, tmp_path: Path) -> None:
    first, second = step_event(1, "a"), step_event(2, "b")
    with Curves(tmp_path, [first, step_event(1)]) as shown:
        shown.add(step_event(1))
        shown.add(second)
    folder, one, two, closed = points
    assert (folder, closed) == ("tensorboard", "closed")
    assert (one[0], one[1]["train/num_rejected_groups"]) == (1, 0.0)
    assert (two[0], two[1]["train/num_rejected_groups"], two[1]["train/policy_version"]) == (2, 2.0, 2.0)
    assert two[2] == second.emitted_at.timestamp()


def test_a_learner_shows_every_metric_of_its_steps_and_all_of_them_again_after_a_restart(
    points, tmp_path: Path
) -> None:
    from tests.learner.learner_process import make_config, make_log
    from tests.learner.lives import fill, history, run

    config = make_config(max_steps=3)
    with make_log(tmp_path, config) as log:
        fill(log, config)
        run(log, config, tmp_path / "l")
        steps = history(log, config).steps
        shown = [(step, values) for step, values, _ in points[1:-1]]
        assert [step for step, _ in shown] == [1, 2, 3]
        for step, (_, values) in zip(steps, shown, strict=True):
            assert {f"train/{name}": value for name, value in step.metrics.items()}.items() <= values.items()
        del points[:]
        run(log, config, tmp_path / "l")
        assert [(step, values) for step, values, _ in points[1:-1]] == shown
