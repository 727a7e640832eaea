"""Tasks dealt to train, validation and test, alike in category, difficulty and debugger preference.

Sorted by these three, tasks are dealt along one evenly mixed pattern, so that each split gets its share of every run of
alike tasks; of many seeded orders within the runs the most even one is taken. Pure and repeatable.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from trajlog.errors import TaskError
from trajlog.harness.task import Split, Task

SPLITS: tuple[Split, ...] = get_args(Split)
_ORDERS = 400
_FIELDS = ("category", "difficulty", "debugger")


def deal(tasks: Mapping[str, Task], counts: Mapping[Split, int], seed: int = 0) -> dict[str, Split]:
    """A split for every task. Raises TaskError unless `counts` add up to the number of tasks."""
    if sum(counts.values()) != len(tasks):
        raise TaskError(
            f"the splits add up to {sum(counts.values())}, but there are {len(tasks)} tasks. Give counts that fit."
        )
    pattern = _mixed(counts)
    candidates = (_dealt(tasks, pattern, order) for order in range(seed, seed + _ORDERS))
    return min(candidates, key=lambda split: imbalance(tasks, split))


def imbalance(tasks: Mapping[str, Task], split_of: Mapping[str, Split]) -> float:
    """How far the splits are from the whole: the sum, over splits and values of the fields, of squared differences
    between tasks there and tasks expected there, each over the number expected. 0 is perfect."""
    total = 0.0
    sizes = Counter(split_of.values())
    for field in _FIELDS:
        overall = Counter(getattr(task, field) for task in tasks.values())
        found = Counter((split_of[task_id], getattr(task, field)) for task_id, task in tasks.items())
        for split, size in sizes.items():
            for value, count in overall.items():
                expected = count * size / len(tasks)
                total += (found[split, value] - expected) ** 2 / expected
    return total


def write(path: Path, split_of: Mapping[str, Split]) -> None:
    """Fix the splits in a file (see `trajlog.harness.catalog`)."""
    lines = []
    for split in SPLITS:
        ids = sorted(task_id for task_id, found in split_of.items() if found == split)
        lines += [f"{split} = [", *(f'    "{task_id}",' for task_id in ids), "]"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _mixed(counts: Mapping[Split, int]) -> list[Split]:
    """Each split as often as wanted, as evenly spread as can be."""
    places = [((i + 0.5) / count, split) for split, count in counts.items() for i in range(count)]
    return [split for _, split in sorted(places)]


def _dealt(tasks: Mapping[str, Task], pattern: Sequence[Split], order: int) -> dict[str, Split]:
    shuffled = sorted(tasks)
    random.Random(order).shuffle(shuffled)
    alike = sorted(shuffled, key=lambda task_id: tuple(getattr(tasks[task_id], field) for field in _FIELDS))
    return dict(zip(alike, pattern, strict=True))
