"""compose.yaml, brought up for real: Kafka and every role in containers, until the learner has trained."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from plumbing.docker import compose_command

ROOT = Path(__file__).parents[2]
SETTINGS = Path(__file__).with_name("compose.toml")
PROJECT = f"trajlog-test-{hashlib.sha256(bytes(ROOT)).hexdigest()[:8]}"  # one a checkout
ROLES = {"scheduler", "assembler", "learner", "archiver", "engine", "worker"}
START_WITHIN_S = 900.0  # Compose returns when the demonstrations are done
FIRST_STEP_WITHIN_S = 600.0


class Stack:
    """One Compose project of the repository's compose.yaml."""

    def __init__(self, compose: tuple[str, ...]) -> None:
        self._words = [*compose, "-p", PROJECT, "-f", str(ROOT / "compose.yaml")]
        self._environment = {**os.environ, "TRAJLOG_SETTINGS": str(SETTINGS)}

    def __call__(self, *args: str, timeout_s: float = 120.0) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self._words, *args],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def down(self) -> None:
        """End every container and forget the volumes."""
        self("down", "-v", "--remove-orphans", "--timeout", "5", timeout_s=180)

    def sql(self, query: str) -> list[dict[str, object]] | None:
        """Rows of a query run beside the archiver, or None where it cannot be answered yet."""
        done = self("exec", "-T", "archiver", "trajlog", "sql", query, "--format", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def restarts(self) -> dict[str, int]:
        """How often each container that ended badly was started again."""
        ids = self("ps", "-q").stdout.split()
        form = "{{.Name}} {{.RestartCount}}"
        done = subprocess.run(
            ["docker", "inspect", "--format", form, *ids], capture_output=True, text=True, timeout=60, check=True
        )
        counts = (line.split() for line in done.stdout.splitlines())
        return {name: int(count) for name, count in counts if count != "0"}


@pytest.fixture(scope="module")
def image(docker_engine: None) -> None:
    """The project's image, from base images that are pulled or, where none can be, made here."""
    for command in (
        ["bash", "tests/plumbing/base_image.sh"],
        ["docker", "build", "--force-rm", "--network", "host", "-t", "trajlog", "."],
    ):
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=900, check=False)
        assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"


@pytest.fixture
def stack(image: None) -> Iterator[Stack]:
    """The stack, started; taken down with its volumes at the end."""
    compose = compose_command()
    assert compose is not None
    stack = Stack(compose)
    stack.down()  # what a killed run may have left
    try:
        up = stack("up", "-d", "--no-build", timeout_s=START_WITHIN_S)
        assert up.returncode == 0, f"{up.stdout}\n{up.stderr}\n{stack('logs', '--no-color').stdout[-8000:]}"
        yield stack
    finally:
        stack.down()


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(2000)
def test_the_stack_reaches_its_first_train_step(stack: Stack) -> None:
    began = time.monotonic()
    rows: list[dict[str, object]] | None = None
    while not rows:
        waited = time.monotonic() - began
        restarts = stack.restarts()
        if waited > FIRST_STEP_WITHIN_S or restarts:
            why = f"containers failed: {restarts}" if restarts else f"no train_step within {waited:.0f} s"
            pytest.fail(f"{why}\n{stack('ps').stdout}\n{stack('logs', '--no-color', '--tail=60').stdout}")
        time.sleep(3)
        rows = stack.sql("SELECT step, policy_version, len(groups_trained) AS trained FROM train_steps ORDER BY step")
    print(f"first train_step after {time.monotonic() - began:.0f} s: {rows}")
    assert int(str(rows[0]["trained"])) >= 1

    running = set(stack("ps", "--services", "--filter", "status=running").stdout.split())
    assert running >= ROLES, f"only these still run: {sorted(running)}"
    told = stack("exec", "-T", "archiver", "trajlog", "tail", "--last", "5")
    assert told.returncode == 0, told.stderr
    assert told.stdout.strip()
