"""Tasks dealt to train, validation and test, alike in category, difficulty and debugger preference.

Dealt at random, then two tasks at a time change places wherever that makes the splits more alike. Pure and repeatable.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from trajlog.errors import TaskError
from trajlog.harness.task import Split, Task

SPLITS: tuple[Split, ...] = get_args(Split)
_SWAPS = 5000
_FIELDS = ("category", "difficulty", "debugger")


def deal(tasks: Mapping[str, Task], counts: Mapping[Split, int], seed: int = 0) -> dict[str, Split]:
    """A split for every task. Raises TaskError unless `counts` add up to the number of tasks."""
    if sum(counts.values()) != len(tasks):
        raise TaskError(
            f"the splits add up to {sum(counts.values())}, but there are {len(tasks)} tasks. Give counts that fit."
        )
    random_ = random.Random(seed)
    ids = sorted(tasks)
    splits = [split for split, count in counts.items() for _ in range(count)]
    random_.shuffle(splits)
    split_of = dict(zip(ids, splits, strict=True))
    best = imbalance(tasks, split_of)
    for _ in range(_SWAPS if len(ids) > 1 else 0):
        one, other = random_.sample(ids, 2)
        if split_of[one] == split_of[other]:
            continue
        split_of[one], split_of[other] = split_of[other], split_of[one]
        found = imbalance(tasks, split_of)
        if found > best:
            split_of[one], split_of[other] = split_of[other], split_of[one]
        best = min(best, found)
    return split_of


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
