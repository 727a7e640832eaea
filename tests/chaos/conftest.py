"""How long the chaos runs take (the options are in tests/conftest.py), and the room that a long one gets."""

import gc
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    minutes = config.getoption("--chaos-minutes")
    for item in items:
        if "chaos_minutes" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(600 + 60 * minutes))


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


@pytest.fixture
def lost_sockets() -> Iterator[None]:
    """As in test_log_kafka.py: kafka-python leaves the sockets of refused connections to the garbage collector."""
    logger = logging.getLogger("kafka")
    logger.setLevel(logging.CRITICAL + 1)
    yield
    logger.setLevel(logging.NOTSET)
    gc.collect()
