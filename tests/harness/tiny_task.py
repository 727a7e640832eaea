"""A task of one function and three tests, for tests of the harness; `calc_task(**changes)` varies it."""

import msgspec

from trajlog.harness.task import Task

BUGGY = b"def add(a, b):\n    # sum\n    return a - b\n"
FIXED = b"def add(a, b):\n    # sum\n    return a + b\n"

CALC = Task(
    task_id="calc",
    title="Sums are wrong",
    category="lifecycle",
    difficulty=1,
    debugger="optional",
    split="train",
    statement="add(1, 2) is not 3.",
    workspace={
        "calc.py": BUGGY,
        "test_calc.py": (
            b"from calc import add\n\n"
            b"def test_add():\n    print('adding')\n    assert add(1, 2) == 3\n\n"
            b"def test_zero():\n    assert add(0, 0) == 0\n"
        ),
    },
    source_files=("calc.py",),
    solution={"calc.py": FIXED},
    visible_tests=("test_calc.py",),
    hidden_tests={"test_hidden.py": b"from calc import add\n\ndef test_more():\n    assert add(5, 5) == 10\n"},
    expected_ids=("test_calc.py::test_add", "test_calc.py::test_zero", "test_hidden.py::test_more"),
    timeout_s=60.0,
)


def calc_task(**changes: object) -> Task:
    return msgspec.structs.replace(CALC, **changes)
