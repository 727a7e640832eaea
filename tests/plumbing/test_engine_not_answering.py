"""Tests that need a Docker engine are named as not run where none answers, and fail where one is required."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCKER_TEST = "tests/e2e/test_compose.py"


def run_pytest(**environment: str) -> subprocess.CompletedProcess[str]:
    nowhere = {"DOCKER_HOST": "unix:///no/such/docker.sock", "TRAJLOG_REQUIRE_DOCKER": "0"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", DOCKER_TEST],
        cwd=ROOT,
        env={**os.environ, **nowhere, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_summary_names_what_was_not_run_and_why() -> None:
    done = run_pytest()
    assert done.returncode == pytest.ExitCode.NO_TESTS_COLLECTED
    assert f"NOT RUN {DOCKER_TEST}::" in done.stdout
    assert "To run them, start one" in done.stdout


def test_a_required_engine_that_is_missing_is_a_failure() -> None:
    done = run_pytest(TRAJLOG_REQUIRE_DOCKER="1")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "No Docker engine: " in done.stdout
