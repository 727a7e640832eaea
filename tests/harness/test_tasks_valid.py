"""Shipped tasks fail as shipped and with their trap, and pass with the solution.

Validated here are the tasks changed since their recorded validation, a seeded sample of 20, and the demo's.
"""

import random
from pathlib import Path

import pytest

from trajlog.harness.authoring.record import changed, read_record
from trajlog.harness.catalog import PACKAGED_TASKS, load_catalog
from trajlog.harness.task import Task
from trajlog.harness.validate import validate

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"
PACKAGED = load_catalog()
CHANGED = changed(PACKAGED, read_record(PACKAGED_TASKS))
SAMPLE = random.Random(20).sample(sorted(PACKAGED), 20)
TASKS = {**{task_id: PACKAGED[task_id] for task_id in sorted({*SAMPLE, *CHANGED})}, **load_catalog(DEMO_TASKS)}
RUNS = 2


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_task_validates(task: Task) -> None:
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
