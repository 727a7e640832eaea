"""The network between roles and a real broker is cut, and comes back; the broker's disk is another one afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from plumbing.cut_proxy import CutProxy
from plumbing.kafka_broker import KafkaBroker

from tests.chaos.faulty_run import ROLES, SHORT, WITHIN_S, FaultyRun, pause
from tests.chaos.proxied_broker import ProxiedBroker


@pytest.fixture(scope="module")
def broker() -> Iterator[ProxiedBroker]:
    with ProxiedBroker() as broker:
        yield broker


@pytest.fixture
def proxy(broker: ProxiedBroker) -> Iterator[CutProxy]:
    with broker.proxy() as proxy:
        yield proxy


@pytest.fixture
def run(broker: ProxiedBroker, proxy: CutProxy, tmp_path: Path, kafka_prefix: str) -> Iterator[FaultyRun]:
    log_url = f"kafka://127.0.0.1:{broker.proxy_port}"
    with FaultyRun(tmp_path, broker.url, log_url=log_url, prefix=kafka_prefix, numbers=SHORT) as run:
        yield run


@pytest.mark.kafka
@pytest.mark.slow
def test_a_short_cut_of_the_network_in_the_middle_of_appends_fetches_and_transactions_heals_without_a_loss(
    run: FaultyRun, proxy: CutProxy
) -> None:
    run.start(*ROLES)
    run.until_verdicts(1)
    # An append of the player and a transaction of the assembler, in the middle; a plain cut meets fetches.
    for marker in (b"episode_finished", b"group_verdict", None):
        proxy.was_cut.clear()
        if marker is None:
            proxy.cut()
        proxy.cut_on = marker
        assert proxy.was_cut.wait(WITHIN_S), marker
        pause(2.0)
        proxy.mend()
        run.until_verdicts(2)
    run.finish()


@pytest.mark.kafka
@pytest.mark.slow
def test_a_long_cut_ends_every_role_with_log_unavailable_and_a_restart_goes_on(run: FaultyRun, proxy: CutProxy) -> None:
    run.start(*ROLES)
    run.until_verdicts(1)
    proxy.cut()
    run.lose_the_log(*ROLES)
    proxy.mend()
    run.start(*ROLES)
    run.until_verdicts(2)
    run.finish(abandoned=4)


@pytest.mark.kafka
@pytest.mark.slow
@pytest.mark.timeout(700)
@pytest.mark.usefixtures("lost_sockets")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_broker_whose_volume_was_recreated_stops_roles_and_archive_and_nothing_is_mixed(
    own_kafka_broker: KafkaBroker, tmp_path: Path, kafka_prefix: str
) -> None:
    with FaultyRun(tmp_path, own_kafka_broker.url, prefix=kafka_prefix, numbers=SHORT) as run:
        run.start(*ROLES)
        run.until_verdicts(2)
        run.finish()
        before = sorted(path.name for path in (tmp_path / "archive").rglob("*") if path.is_file())
        run.start("assembler", "archiver")  # they live while the broker goes, and idle
        run.until(lambda: run.is_ready("archiver") and run.is_ready("assembler"))
        own_kafka_broker.kill()
        own_kafka_broker.wipe()
        own_kafka_broker.start()
        with FaultyRun(tmp_path / "new", own_kafka_broker.url, prefix=kafka_prefix) as fresh:
            for role in ("assembler", "archiver"):
                said = run.ended(role)
                assert said.startswith(("LogIdentityMismatch: ", "LogUnavailable: ", "LogError: ")), (role, said)
            run.start("archiver")
            said = run.ended("archiver")
            assert said.startswith("LogIdentityMismatch: "), said
            assert "Point --log at the old log, or start a new run directory" in said
            fresh.start(*ROLES)
            fresh.until_verdicts(1)
            fresh.finish()
        assert before == sorted(path.name for path in (tmp_path / "archive").rglob("*") if path.is_file())
