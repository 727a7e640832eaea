"""examples/ are run as a reader would run them."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parents[2] / "examples"
WITHOUT_TORCH = """
import runpy, sys
sys.modules["torch"] = sys.modules["transformers"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_the_smallest_example_solves_its_tasks_without_torch(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(EXAMPLES / "smallest.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    tasks = sorted(path.name for path in (EXAMPLES / "demo_tasks").iterdir())
    rows = [line.split("│")[1:3] for line in done.stdout.splitlines() if line.startswith("│")]
    assert [[cell.strip() for cell in row] for row in rows] == [[task, "solved"] for task in tasks]


def test_an_example_has_fewer_than_fifty_lines():
    for path in EXAMPLES.glob("*.py"):
        assert len(path.read_text().splitlines()) < 50, path.name
