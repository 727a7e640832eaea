"""How long the chaos runs take (the options are in tests/conftest.py), and the room that a long one gets."""

import tempfile
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    minutes = config.getoption("--chaos-minutes")
    for item in items:
        if "chaos_minutes" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(600 + 60 * minutes))
        elif Path(__file__).parent in item.path.parents and item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(900))  # several waits of WITHIN_S on a busy machine


@pytest.fixture
def chaos_minutes(request: pytest.FixtureRequest) -> float:
    """0: the short form."""
    return request.config.getoption("--chaos-minutes")


@pytest.fixture
def chaos_seed(request: pytest.FixtureRequest) -> int:
    return request.config.getoption("--chaos-seed")


@pytest.fixture
def chaos_folder() -> Path:
    """A folder of a run, removed by a run that passes and kept by one that does not."""
    return Path(tempfile.mkdtemp(prefix="trajlog-chaos-"))
