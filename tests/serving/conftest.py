"""Models for the tests of this folder: the small real one, and tiny random ones."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def smollm2() -> Path:
    """Directory of SmolLM2-135M-Instruct, fetched on first use."""
    from trajlog.serving.models import fetch_model

    return fetch_model()
