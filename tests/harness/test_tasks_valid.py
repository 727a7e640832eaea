"""Shipped tasks fail as shipped and with their trap, and pass with the solution: a seeded sample, and the demo's."""

import random
from pathlib import Path

import pytest

from trajlog.harness.catalog import PACKAGED_TASKS
from trajlog.harness.task import load_task
from trajlog.harness.validate import validate

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"
PACKAGED = sorted(path.parent for path in PACKAGED_TASKS.glob("*/task.toml"))
SAMPLE = random.Random(20).sample(PACKAGED, min(20, len(PACKAGED)))
DEMO = sorted(path.parent for path in DEMO_TASKS.glob("*/task.toml"))
RUNS = 2


@pytest.mark.slow
@pytest.mark.parametrize("folder", [*sorted(SAMPLE), *DEMO], ids=lambda folder: folder.name)
def test_task_validates(folder: Path) -> None:
    task = load_task(folder)
    validation = validate(task, runs=RUNS)
    assert validation.problems == ()
    assert validation.is_valid
    assert len(validation.buggy) == len(validation.solution) == RUNS
    assert len(validation.trap) == (RUNS if task.trap else 0)
    for found in (*validation.buggy, *validation.trap):
        assert not found.solved
        assert not found.missing_ids
        assert found.duration_s < task.timeout_s
    assert [found.tests_passed for found in validation.solution] == [len(task.expected_ids)] * RUNS
