"""A disk that is full under a Kafka broker: a real one, of some megabytes (tmpfs)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from plumbing.kafka_broker import KafkaBroker

from tests.chaos.faulty_run import ROLES, SHORT, FaultyRun
from tests.chaos.small_disk import SmallDisk, small_disk


class BrokerOnDisk(KafkaBroker):
    """Keeps its data on a given disk; its own messages, and what it needs to start, are elsewhere."""

    def __init__(self, disk: SmallDisk) -> None:
        super().__init__()
        self._disk = disk

    def settings(self) -> dict[str, object]:
        return super().settings() | {"log.dirs": self._disk.path / "data"}

    def has_ended(self) -> bool:
        return self._process is not None and self._process.poll() is not None


@pytest.fixture
def disk(chaos_minutes: float, tmp_path: Path) -> Iterator[SmallDisk]:
    if chaos_minutes == 0:
        pytest.skip("about a minute: with --chaos-minutes 1")
    with small_disk(tmp_path / "disk", megabytes=64) as disk:
        yield disk


@pytest.mark.kafka
@pytest.mark.slow
@pytest.mark.usefixtures("lost_sockets")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_full_disk_under_the_broker_ends_it_and_every_role_and_nothing_acknowledged_is_lost(
    disk: SmallDisk, tmp_path: Path, kafka_prefix: str
) -> None:
    with (
        BrokerOnDisk(disk) as broker,
        FaultyRun(tmp_path / "run", broker.url, prefix=kafka_prefix, numbers=SHORT) as run,
    ):
        run.start(*ROLES)
        run.until_verdicts(1)
        disk.fill()
        run.lose_the_log(*ROLES)
        assert broker.has_ended()  # its only log folder failed
        disk.free()
        broker.kill()
        broker.start()
        run.start(*ROLES)
        run.until_verdicts(2)
        run.finish(abandoned=4)
