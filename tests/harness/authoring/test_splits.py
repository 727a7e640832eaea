"""Splits are balanced, repeatable and fixed by a file."""

from collections import Counter
from itertools import product
from pathlib import Path

import msgspec
import pytest

from trajlog.errors import TaskError
from trajlog.harness.authoring.splits import deal, imbalance, write
from trajlog.harness.catalog import load_catalog, load_splits
from trajlog.harness.task import Task

DEMO_TASKS = Path(__file__).parents[3] / "examples" / "demo_tasks"
CATEGORIES = ("shared_state", "serialization", "concurrency", "caching", "parsing")


@pytest.fixture(scope="module")
def tasks() -> dict[str, Task]:
    door = load_catalog(DEMO_TASKS)["door"]
    fields = product(CATEGORIES, (1, 2, 3, 4), ("recommended", "optional"), range(5))
    return {
        f"t{number:03}": msgspec.structs.replace(
            door, task_id=f"t{number:03}", category=category, difficulty=difficulty, debugger=debugger
        )
        for number, (category, difficulty, debugger, _) in enumerate(fields)
    }


def test_splits_are_balanced_by_each_field(tasks: dict[str, Task]) -> None:
    split_of = deal(tasks, {"train": 130, "validation": 40, "test": 30})
    assert Counter(split_of.values()) == {"train": 130, "validation": 40, "test": 30}
    for field, values in (("category", 5), ("difficulty", 4), ("debugger", 2)):
        found = Counter((split_of[task_id], getattr(task, field)) for task_id, task in tasks.items())
        for split, size in (("train", 130), ("validation", 40), ("test", 30)):
            counts = [count for (where, _), count in found.items() if where == split]
            assert len(counts) == values
            assert all(abs(count - size / values) <= 3 for count in counts), (split, field, counts)
    assert imbalance(tasks, split_of) < imbalance(
        tasks, dict(zip(sorted(tasks), sorted(split_of.values()), strict=True))
    )


def test_same_seed_same_splits_and_the_file_gives_them_back(tasks: dict[str, Task], tmp_path: Path) -> None:
    counts = {"train": 100, "validation": 60, "test": 40}
    split_of = deal(tasks, counts, seed=3)  # type: ignore[arg-type]
    assert split_of == deal(tasks, counts, seed=3)  # type: ignore[arg-type]
    write(tmp_path / "splits.toml", split_of)
    assert load_splits(tmp_path / "splits.toml", tasks) == split_of


def test_counts_must_fit(tasks: dict[str, Task]) -> None:
    with pytest.raises(TaskError, match="add up to 10, but there are 200"):
        deal(tasks, {"train": 10})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('train = ["a", "a"]', "names 'a' twice"),
        ('train = ["a"]\ntest = ["a"]', "names 'a' twice"),
        ('train = ["z"]', "'z', which is no task"),
        ('dev = ["a"]', "train, validation, test"),
        ("train = 3", "Write arrays of task ids"),
        ("train = [", "splits.toml"),
    ],
)
def test_wrong_split_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "splits.toml"
    path.write_text(text)
    with pytest.raises(TaskError, match=words):
        load_splits(path, ["a", "b"])


def test_without_a_file_every_task_is_for_training(tmp_path: Path) -> None:
    assert load_splits(tmp_path / "splits.toml", ["a"]) == {}
    assert {task.split for task in load_catalog(DEMO_TASKS).values()} == {"train"}
