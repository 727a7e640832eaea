"""Listing and choosing tasks, and what the shipped set has to be."""

import shutil
import statistics
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

from trajlog.errors import TaskError
from trajlog.harness.authoring.record import changed, failing_tests, read_record
from trajlog.harness.authoring.similarity import LIMIT, compare
from trajlog.harness.authoring.sizes import code_lines, measure
from trajlog.harness.catalog import PACKAGED_TASKS, SPLITS, list_rows, load_catalog, load_splits, select
from trajlog.harness.task import Category, Task

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"
SIZES = {"train": 130, "validation": 40, "test": 30}


@pytest.fixture(scope="module")
def packaged() -> dict[str, Task]:
    return load_catalog()


@pytest.fixture(scope="module")
def demo() -> dict[str, Task]:
    return load_catalog(DEMO_TASKS)


def test_two_hundred_tasks_of_nine_categories_in_three_fixed_splits(packaged: dict[str, Task]) -> None:
    assert len(packaged) == 200
    assert list(packaged) == sorted(packaged)
    assert Counter(task.split for task in packaged.values()) == SIZES
    assert set(load_splits(PACKAGED_TASKS / SPLITS, packaged)) == set(packaged)
    categories = Counter(task.category for task in packaged.values())
    assert set(categories) == set(get_args(Category))
    assert all(22 <= count <= 23 for count in categories.values()), categories


@pytest.mark.parametrize("field", ["category", "difficulty", "debugger"])
def test_splits_are_alike(packaged: dict[str, Task], field: str) -> None:
    overall = Counter(getattr(task, field) for task in packaged.values())
    found = Counter((task.split, getattr(task, field)) for task in packaged.values())
    for split, size in SIZES.items():
        for value, count in overall.items():
            assert abs(found[split, value] - count * size / 200) <= 1.5, (split, value, found[split, value])


def test_every_task_was_validated_as_it_is_now(packaged: dict[str, Task]) -> None:
    record = read_record(PACKAGED_TASKS)
    assert set(record) == set(packaged)
    assert sorted(changed(packaged, record)) == [], "run make validate-tasks"
    assert {found.runs for found in record.values()} == {5}
    assert all(found.failing_visible for found in record.values())


def test_sizes_are_spread_around_130_lines_and_three_files(packaged: dict[str, Task]) -> None:
    failing = failing_tests(read_record(PACKAGED_TASKS), packaged)
    sizes = [measure(task, failing[task_id]) for task_id, task in packaged.items()]
    lines = sorted(size.lines for size in sizes)
    assert 120 <= statistics.median(lines) <= 145
    assert lines[20] < 85
    assert lines[-20] > 190
    assert 3 <= statistics.median(size.files for size in sizes) <= 4


def test_most_tasks_have_a_trap(packaged: dict[str, Task]) -> None:
    assert sum(bool(task.trap) for task in packaged.values()) >= 150


def test_demo_tasks_are_small_enough_for_a_short_context(demo: dict[str, Task]) -> None:
    assert sorted(task.category for task in demo.values()) == [
        "concurrency",
        "lifecycle",
        "serialization",
        "shared_state",
    ]
    for task in demo.values():
        (source,) = task.source_files
        text = task.workspace[source]
        assert 6 <= code_lines(text) <= 15
        assert sorted(task.workspace) == sorted([source, *task.visible_tests])
        assert len(task.visible_tests) == len(task.hidden_tests) == 1
        assert len(task.statement) < 200
        assert sum(map(len, task.workspace.values())) < 800
        before, after = text.splitlines(), task.solution[source].splitlines()
        assert len(before) == len(after)
        (line,) = [a.strip() for a, b in zip(before, after, strict=True) if a != b]
        assert text.count(line) == 1


def test_no_two_tasks_are_near_duplicates(packaged: dict[str, Task]) -> None:
    worst = compare(packaged)[0]
    assert worst.worst <= LIMIT, worst


def test_select_by_split_keeps_catalog_order(packaged: dict[str, Task]) -> None:
    train = select(packaged, split="train")
    assert list(train) == [task_id for task_id, task in packaged.items() if task.split == "train"]
    assert select(packaged) == packaged


def test_select_by_ids(packaged: dict[str, Task]) -> None:
    chosen = select(packaged, ids=["route_archive", "async_pool"])
    assert list(chosen) == ["async_pool", "route_archive"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ids": ["dor"]}, ["no task 'dor'", "Did you mean door?"]),
        ({"ids": ["zzz"]}, ["no task 'zzz'", "There are: cart, door, pairs, runner"]),
        ({"split": "dev"}, ["no split 'dev'", "train, validation, test"]),
        ({"split": "test", "ids": ["cart"]}, ["'cart' is in split 'train', not 'test'"]),
        ({"ids": []}, ["no task is left of 4"]),
    ],
)
def test_select_says_what_is_wrong(demo: dict[str, Task], arguments: dict, words: list[str]) -> None:
    with pytest.raises(TaskError) as caught:
        select(demo, **arguments)
    for word in words:
        assert word in str(caught.value)


def test_a_folder_of_ones_own_works(tmp_path: Path) -> None:
    shutil.copytree(DEMO_TASKS / "door", tmp_path / "my_door")
    (tmp_path / "README.md").write_text("my tasks")
    (tmp_path / ".git").mkdir()
    assert list(load_catalog(tmp_path)) == ["my_door"]


def test_wrong_folders_are_explained(tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="is not a folder"):
        load_catalog(tmp_path / "nowhere")
    with pytest.raises(TaskError, match="holds no task"):
        load_catalog(tmp_path)
    with pytest.raises(TaskError, match="is one task, not a folder of tasks"):
        load_catalog(DEMO_TASKS / "door")


def test_rows_for_a_table(demo: dict[str, Task]) -> None:
    assert list_rows(demo)[0] == {
        "task": "cart",
        "category": "shared_state",
        "difficulty": 1,
        "debugger": "avoid",
        "split": "train",
        "lines": 8,
        "tests": 3,
        "title": "Two carts share their items",
    }


def test_importing_the_catalog_needs_only_msgspec() -> None:
    code = (
        "import sys; before = set(sys.modules); import trajlog.harness.catalog\n"
        "loaded = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "print(sorted(loaded - sys.stdlib_module_names))"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    # msgspec takes typing_extensions along where it is installed.
    assert result.stdout.replace(", 'typing_extensions'", "").strip() == "['msgspec', 'trajlog']"
