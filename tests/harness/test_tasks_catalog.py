"""Listing and choosing tasks, and what the shipped set has to be."""

import io
import shutil
import statistics
import subprocess
import sys
import tokenize
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from trajlog.errors import TaskError
from trajlog.harness.catalog import list_rows, load_catalog, select, source_line_count
from trajlog.harness.task import Task

DEMO_TASKS = Path(__file__).parents[2] / "examples" / "demo_tasks"
CATEGORIES = ("concurrency", "lifecycle", "serialization", "shared_state")


@pytest.fixture(scope="module")
def packaged() -> dict[str, Task]:
    return load_catalog()


@pytest.fixture(scope="module")
def demo() -> dict[str, Task]:
    return load_catalog(DEMO_TASKS)


def test_packaged_tasks_cover_each_category_and_split(packaged: dict[str, Task]) -> None:
    assert Counter(task.category for task in packaged.values()) == dict.fromkeys(CATEGORIES, 2)
    assert Counter(task.split for task in packaged.values()) == {"train": 4, "validation": 2, "test": 2}
    assert Counter(task.debugger for task in packaged.values()) == {
        "recommended": 4,
        "optional": 2,
        "avoid": 2,
    }
    assert list(packaged) == sorted(packaged)


def test_packaged_tasks_have_the_intended_size(packaged: dict[str, Task]) -> None:
    lines = [source_line_count(task) for task in packaged.values()]
    assert 100 <= statistics.median(lines) <= 160
    assert min(lines) < 60
    assert max(lines) > 180


def test_demo_tasks_are_small_enough_for_a_short_context(demo: dict[str, Task]) -> None:
    assert sorted(task.category for task in demo.values()) == list(CATEGORIES)
    for task in demo.values():
        (source,) = task.source_files
        text = task.workspace[source]
        assert 6 <= source_line_count(task) <= 15
        assert sorted(task.workspace) == sorted([source, *task.visible_tests])
        assert len(task.visible_tests) == len(task.hidden_tests) == 1
        assert len(task.statement) < 200
        assert sum(map(len, task.workspace.values())) < 800
        before, after = text.splitlines(), task.solution[source].splitlines()
        assert len(before) == len(after)
        (changed,) = [a.strip() for a, b in zip(before, after, strict=True) if a != b]
        assert text.count(changed) == 1


def test_no_two_tasks_are_near_duplicates(packaged: dict[str, Task], demo: dict[str, Task]) -> None:
    shingles = {task_id: token_shingles(task) for task_id, task in {**packaged, **demo}.items()}
    assert len(shingles) == 12
    for (one, first), (other, second) in combinations(shingles.items(), 2):
        share = len(first & second) / min(len(first), len(second))
        assert share < 0.3, f"{one} and {other} share {share:.0%} of their token runs"


def token_shingles(task: Task, length: int = 6) -> set[tuple[str, ...]]:
    """Runs of `length` code tokens of the sources; comments, strings and layout left out."""
    dropped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    found = set()
    for path in task.source_files:
        tokens = [
            "STRING" if token.type == tokenize.STRING else token.string
            for token in tokenize.generate_tokens(io.StringIO(task.workspace[path].decode()).readline)
            if token.type not in dropped
        ]
        found |= {tuple(tokens[start : start + length]) for start in range(len(tokens) - length + 1)}
    return found


def test_select_by_split_keeps_catalog_order(packaged: dict[str, Task]) -> None:
    train = select(packaged, split="train")
    assert list(train) == ["journal_offsets", "once_listeners", "price_flight", "tenant_settings"]
    assert select(packaged) == packaged


def test_select_by_ids(packaged: dict[str, Task]) -> None:
    chosen = select(packaged, split="test", ids=["route_archive", "async_pool"])
    assert list(chosen) == ["async_pool", "route_archive"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"ids": ["async_pol"]}, ["no task 'async_pol'", "Did you mean async_pool?"]),
        ({"ids": ["zzz"]}, ["no task 'zzz'", "There are: async_pool, journal_offsets"]),
        ({"split": "dev"}, ["no split 'dev'", "train, validation, test"]),
        ({"split": "train", "ids": ["async_pool"]}, ["'async_pool' is in split 'test', not 'train'"]),
        ({"ids": []}, ["no task is left of 8"]),
    ],
)
def test_select_says_what_is_wrong(packaged: dict[str, Task], arguments: dict, words: list[str]) -> None:
    with pytest.raises(TaskError) as caught:
        select(packaged, **arguments)
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
        "source_lines": 8,
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
