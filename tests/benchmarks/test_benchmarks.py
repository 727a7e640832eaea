"""Every benchmark takes --quick and ends with one JSON object of its figures."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
BENCHMARKS = sorted([*FOLDER.glob("*.py"), *FOLDER.glob("learner/*.py")])


@pytest.mark.slow
@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda path: path.stem)
def test_its_short_form_ends_within_two_minutes_with_a_table_and_one_line_of_json(script):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}  # threads that spin for each other starve beside other tests
    done = subprocess.run(
        [sys.executable, str(script), "--quick"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *table, figures = done.stdout.splitlines()
    assert len(table) >= 2
    assert isinstance(json.loads(figures), dict)
