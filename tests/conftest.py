"""Fixtures that every folder of tests may use: a Kafka broker and a Docker engine."""

from __future__ import annotations

import gc
import logging
import os
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from plumbing.docker import START_HINT, engine_problem
from plumbing.kafka_broker import BrokerUnavailable, KafkaBroker
from plumbing.s3_server import S3Server

settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")  # how long an example takes is the machine's business

NOT_RUN = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--chaos-minutes", type=float, default=0.0, help="how long tests/chaos goes on killing; 0: the short form"
    )
    parser.addoption("--chaos-seed", type=int, default=1, help="seed of tests/chaos")


def pytest_configure(config: pytest.Config) -> None:
    # kafka-python reads its message schemas through an importlib function deprecated in Python 3.11.
    config.addinivalue_line("filterwarnings", "ignore:(read|open)_text is deprecated:DeprecationWarning")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out tests that need a Docker engine where none answers, unless TRAJLOG_REQUIRE_DOCKER=1."""
    of_docker = [item for item in items if item.get_closest_marker("docker")]
    if not of_docker or os.environ.get("TRAJLOG_REQUIRE_DOCKER") == "1" or engine_problem() is None:
        return
    config.stash[NOT_RUN] = [item.nodeid for item in of_docker]
    config.hook.pytest_deselected(items=of_docker)
    items[:] = [item for item in items if item not in of_docker]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker process tells the one that prints what was taken out."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["not_run"] = session.config.stash.get(NOT_RUN, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    node.config.stash[NOT_RUN] = getattr(node, "workeroutput", {}).get("not_run", [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the tests that were taken out, and say why and what would run them."""
    if not (left_out := config.stash.get(NOT_RUN, [])):
        return
    terminalreporter.section("not run: no Docker engine", yellow=True)
    for nodeid in left_out:
        terminalreporter.line(f"NOT RUN {nodeid}")
    terminalreporter.line(f"Why: {engine_problem()}. To run them, {START_HINT}. CI runs them.")


@pytest.fixture(scope="session")
def docker_engine() -> None:
    """A Docker engine that answers, with Compose. Mark the test `docker` as well."""
    if problem := engine_problem():
        pytest.fail(f"No Docker engine: {problem}. To run this test, {START_HINT}.", pytrace=False)


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
    with made_broker() as broker:
        yield broker


def made_broker() -> KafkaBroker:
    try:
        return KafkaBroker()
    except BrokerUnavailable as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def own_kafka_broker() -> Iterator[KafkaBroker]:
    """A broker of the test's own, to kill, restart (same address and data) and wipe."""
    with made_broker() as broker:
        yield broker


@pytest.fixture
def lost_sockets() -> Iterator[None]:
    """kafka-python leaves the socket of every refused connection to the garbage collector: collect them here,
    in a test that ignores their warnings, before log records that pytest keeps can hold on to them."""
    logger = logging.getLogger("kafka")
    logger.setLevel(logging.CRITICAL + 1)
    yield
    logger.setLevel(logging.NOTSET)
    gc.collect()


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """An S3-compatible server on loopback, shared by the whole run. Use `s3_bucket`."""
    with S3Server() as server:
        yield server


@pytest.fixture
def s3_bucket(s3_server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of a bucket that no other test uses; the environment has what it takes to reach it."""
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    return s3_server.new_bucket()


@pytest.fixture
def kafka_prefix() -> str:
    """A topic prefix that no other test uses."""
    return f"test-{uuid.uuid4().hex[:12]}"
