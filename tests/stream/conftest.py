"""Fixtures of the stream's tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from trajlog.stream.log import Log
from trajlog.stream.open import open_log


@pytest.fixture(params=["sqlite", pytest.param("kafka", marks=pytest.mark.kafka)])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Log]:
    """A log of each engine; on Kafka it holds what other tests put there, so take topics by `kafka_prefix`."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path}/log.db"
    else:
        url = str(request.getfixturevalue("kafka_broker").url)
    with open_log(url, create=True) as opened:
        yield opened
