"""Every command of the README runs: here, in the demo's checkout, or in the test that is named for it."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
ELSEWHERE = {
    "make setup": "every test runs in the environment that it makes (.ci/run)",
    "make demo": "tests/e2e/test_demo.py",
    "make test": "this very run (.ci/run)",
    "docker compose up": "tests/e2e/test_compose.py",
    ".venv/bin/trajlog up demo.toml": "tests/e2e/test_demo.py, again after the demo",
    ".venv/bin/trajlog up demo.toml --log kafka://localhost:9092": "tests/e2e/test_demo.py, on Kafka",
    ".venv/bin/trajlog scheduler --log kafka://localhost:9092 --config demo.toml": "tests/e2e/test_compose.py",
    ".venv/bin/trajlog worker --log kafka://localhost:9092 --slots 16": "tests/e2e/test_compose.py",
}


def commands():
    blocks = re.findall(r"^```console\n(.*?)^```", README.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_commands_that_run_elsewhere_are_still_in_the_readme():
    assert set(ELSEWHERE) <= set(commands())


def test_the_readme_has_no_placeholder():
    assert "@@" not in README.read_text(encoding="utf-8")


@pytest.mark.model
@pytest.mark.slow
@pytest.mark.timeout(2000)
def test_the_other_commands_run_after_the_demo(demo):
    for command in commands():
        if command not in ELSEWHERE:
            done = demo.run(command)
            assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
            assert done.stdout.strip(), command
