"""Lines of code reachable by imports."""

from pathlib import Path

import msgspec

from trajlog.harness.authoring.sizes import TaskSize, code_lines, measure, reachable_files, summarize
from trajlog.harness.catalog import load_catalog

DEMO_TASKS = Path(__file__).parents[3] / "examples" / "demo_tasks"

FILES = {
    "test_a.py": b"from shop.cart import Cart\n",
    "test_b.py": b"import tools\n",
    "shop/__init__.py": b"from .money import cents\n",
    "shop/cart.py": b"from . import stock\nimport json\n",
    "shop/money.py": b"from vendor.decimals import exact\n",
    "shop/stock.py": b"import importlib\nimportlib.import_module('shop.lazy')\n",
    "shop/lazy.py": b"x = 1\n",
    "vendor/decimals.py": b"import tools.rounding\n",
    "tools/__init__.py": b"",
    "tools/rounding.py": b"y = 1\n",
    "conftest.py": b"import shop.lazy\n",
}


def test_imports_are_followed_through_packages_and_vendored_code_but_not_through_computed_names() -> None:
    assert reachable_files(FILES, ["test_a.py"]) == [
        "shop/__init__.py",
        "shop/cart.py",
        "shop/money.py",
        "shop/stock.py",
        "tools/__init__.py",
        "tools/rounding.py",
        "vendor/decimals.py",
    ]
    assert reachable_files(FILES, ["test_b.py"]) == ["tools/__init__.py"]


def test_comments_and_blanks_are_no_source() -> None:
    source = b'''"""About
it."""

# a comment
def f(x):  # another
    """One line."""
    text = """two
lines"""
    return (x,
            text)
'''
    assert code_lines(source) == 8
    assert code_lines(b"def broken(\n\n    pass\n") == 2


def test_a_task_is_measured_from_its_failing_tests_and_summarized() -> None:
    door = load_catalog(DEMO_TASKS)["door"]
    two = msgspec.structs.replace(
        door, workspace={**FILES, "shop/cart.py": b"a = 1\nb = 2\n"}, visible_tests=("test_a.py", "test_b.py")
    )
    assert measure(two, ["test_b.py::test_x"]) == TaskSize("door", "train", 0, 0)
    assert measure(two, ["test_a.py::test_x"]) == TaskSize("door", "train", 6, 5)
    assert measure(two).lines == 6
    row = summarize([TaskSize("a", "train", 10, 1), TaskSize("b", "train", 20, 3), TaskSize("c", "train", 60, 2)])
    assert row == {
        "tasks": 3,
        "lines_min": 10,
        "lines_25%": 15,
        "lines_median": 20,
        "lines_75%": 40,
        "lines_max": 60,
        "files_median": 2,
    }
