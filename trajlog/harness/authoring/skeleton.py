"""A first task for `trajlog tasks new`: small, complete and valid, so that an author changes something that works."""

from __future__ import annotations

from trajlog.harness.task import Category, Debugger, Task

_CORRECT = '''\
"""Pages of a list."""


def page(items, number, size):
    """The items of page `number`, counted from 1. Raises ValueError for a number below 1."""
    if number < 1:
        raise ValueError(f"page {number}: the first page is 1")
    start = (number - 1) * size
    return items[start : start + size]


def num_pages(items, size):
    return -(-len(items) // size)
'''

_VISIBLE = """\
from paging import num_pages, page

LETTERS = list("abcdefg")


def test_first_page():
    assert page(LETTERS, 1, 3) == ["a", "b", "c"]


def test_number_of_pages():
    assert num_pages(LETTERS, 3) == 3
"""

_HIDDEN = """\
import pytest
from paging import num_pages, page

LETTERS = list("abcdefg")


def test_every_page():
    assert [page(LETTERS, n, 3) for n in (1, 2, 3)] == [["a", "b", "c"], ["d", "e", "f"], ["g"]]


def test_whole_pages():
    assert [num_pages(LETTERS[:6], 3), num_pages(LETTERS[:1], 3), num_pages([], 3)] == [2, 1, 0]


def test_page_zero_is_refused():
    with pytest.raises(ValueError, match="the first page is 1") as caught:
        page(LETTERS, 0, 3)
    assert str(caught.value) == "page 0: the first page is 1"
"""

_STATEMENT = """\
# Wrong number of pages

With seven items and three to a page, `num_pages` says 2, so the last item is never shown. An empty list has no page,
and a list that fills its pages exactly has no empty one at the end.
"""


def skeleton(task_id: str, category: Category, difficulty: int, debugger: Debugger) -> Task:
    """A valid task named `task_id`: its bug drops the last page, its trap adds one page too many."""
    return Task(
        task_id=task_id,
        title="The last page is missing",
        category=category,
        difficulty=difficulty,
        debugger=debugger,
        split="train",
        statement=_STATEMENT,
        workspace={
            "paging.py": _CORRECT.replace("-(-len(items) // size)", "len(items) // size").encode(),
            "test_paging.py": _VISIBLE.encode(),
        },
        source_files=("paging.py",),
        solution={"paging.py": _CORRECT.encode()},
        visible_tests=("test_paging.py",),
        hidden_tests={"test_more_pages.py": _HIDDEN.encode()},
        expected_ids=(
            "test_paging.py::test_first_page",
            "test_paging.py::test_number_of_pages",
            "test_more_pages.py::test_every_page",
            "test_more_pages.py::test_whole_pages",
            "test_more_pages.py::test_page_zero_is_refused",
        ),
        timeout_s=30.0,
        trap={"paging.py": _CORRECT.replace("-(-len(items) // size)", "len(items) // size + 1").encode()},
    )
