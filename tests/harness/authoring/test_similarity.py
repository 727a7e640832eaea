"""Near-duplicates are found whether text or names were changed."""

from pathlib import Path

import msgspec

from trajlog.harness.authoring.similarity import LIMIT, compare
from trajlog.harness.catalog import load_catalog
from trajlog.harness.task import Task

DEMO_TASKS = Path(__file__).parents[3] / "examples" / "demo_tasks"

PROGRAM = b"""
def total(items, rate):
    result = 0
    for item in items:
        if item.price > 0 and not item.free:
            result += item.price * (1 + rate)
    return round(result, 2)
"""


def task(name: str, source: bytes) -> Task:
    door = load_catalog(DEMO_TASKS)["door"]
    return msgspec.structs.replace(door, task_id=name, workspace={"door.py": source}, source_files=("door.py",))


def test_renamed_copy_is_found_by_shape_and_other_code_is_not() -> None:
    renamed = PROGRAM
    for old, new in ((b"total", b"weight"), (b"items", b"boxes"), (b"item", b"box"), (b"rate", b"tare")):
        renamed = renamed.replace(old, new)
    renamed = renamed.replace(b"result", b"kilos").replace(b"price", b"mass").replace(b"free", b"empty")
    other = (
        b"class Stack:\n    def push(self, x):\n        self.top.append(x)\n\n    def pop(self):\n        return 1\n"
    )
    pairs = {
        (p.one, p.other): p
        for p in compare(
            {
                t.task_id: t
                for t in (
                    task("a", PROGRAM),
                    task("b", renamed),
                    task("c", other),
                    task("d", PROGRAM.replace(b"2", b"3")),
                )
            }
        )
    }
    assert len(pairs) == 6
    assert pairs["a", "b"].shape == 1.0
    assert pairs["a", "b"].text < LIMIT
    assert pairs["a", "d"].text > 0.8
    assert pairs["a", "c"].worst == 0.0
    assert next(iter(pairs)) in (("a", "b"), ("a", "d"), ("b", "d"))
