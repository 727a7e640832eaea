"""Fixtures that every folder of tests may use: a Kafka broker and a Docker engine."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator

import pytest
from plumbing.kafka_broker import BrokerUnavailable, KafkaBroker


def pytest_configure(config: pytest.Config) -> None:
    # kafka-python reads its message schemas through an importlib function deprecated in Python 3.11.
    config.addinivalue_line("filterwarnings", "ignore:(read|open)_text is deprecated:DeprecationWarning")


class GivenKafka:
    """The broker that `TRAJLOG_TEST_KAFKA` names. It is not ours, so it cannot be killed or wiped."""

    def __init__(self, bootstrap: str) -> None:
        self.bootstrap = bootstrap
        self.url = f"kafka://{bootstrap}"


@pytest.fixture(scope="session")
def kafka_broker() -> Iterator[KafkaBroker | GivenKafka]:
    """A broker shared by the whole run: `.bootstrap` (host:port) and `.url`. Use `kafka_prefix` for topics.

    Fails, rather than skips, where no broker can be had.
    """
    given = os.environ.get("TRAJLOG_TEST_KAFKA")
    if given:
        yield GivenKafka(given)
        return
    try:
        broker = KafkaBroker()
    except BrokerUnavailable as error:
        pytest.fail(str(error), pytrace=False)
    with broker:
        yield broker


@pytest.fixture
def own_kafka_broker() -> Iterator[KafkaBroker]:
    """A broker of the test's own, to kill, restart (same address and data) and wipe."""
    try:
        broker = KafkaBroker()
    except BrokerUnavailable as error:
        pytest.fail(str(error), pytrace=False)
    with broker:
        yield broker


@pytest.fixture
def kafka_prefix() -> str:
    """A topic prefix that no other test uses."""
    return f"test-{uuid.uuid4().hex[:12]}"
