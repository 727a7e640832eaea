"""Disks that are full: the log's, the archive's, the learner's. Real ones, of some megabytes (tmpfs)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.faulty_run import FaultyRun, learner_config
from tests.chaos.small_disk import SmallDisk, small_disk
from tests.learner.groups import simple_group
from trajlog.schemas import GroupVerdict, TrainStep, encode


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with small_disk(tmp_path / "disk", megabytes=24) as disk:
        yield disk


@pytest.mark.slow
def test_a_full_disk_under_the_log_ends_its_writers_with_log_full_and_a_restart_goes_on(
    disk: SmallDisk, tmp_path: Path
) -> None:
    with FaultyRun(tmp_path / "run", f"sqlite:///{disk.path}/log.db") as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        disk.fill()
        said = run.ended("player")
        assert said.startswith("LogFull: no space to append to "), said
        assert "Free space on its disk" in said
        disk.free()
        run.start("player")
        goal = len(run.events("control", GroupVerdict.kind)) + 2

        def goes_on() -> bool:
            for role in ("scheduler", "assembler", "archiver"):
                if run.processes[role].poll() is not None:  # it wrote before there was room, and took its time to end
                    assert run.ended(role).startswith("LogFull: no space"), role
                    run.start(role)
            return len(run.events("control", GroupVerdict.kind)) >= goal

        run.until_any(goes_on)
        run.finish(abandoned=4)


@pytest.mark.slow
def test_a_full_disk_under_the_archive_ends_the_archiver_alone_and_it_goes_on_where_the_table_says(
    disk: SmallDisk, tmp_path: Path
) -> None:
    with FaultyRun(disk.path, f"sqlite:///{tmp_path}/log.db", logs=tmp_path) as run:
        run.start("scheduler", "assembler", "archiver", "player")
        run.until_verdicts(1)
        disk.fill()
        said = run.ended("archiver")
        assert said.startswith("ArchiveError: cannot write to "), said
        assert "Free space" in said, said
        run.until_verdicts(1)  # nobody else cares
        disk.free()
        run.start("archiver")
        run.finish()


@pytest.mark.slow
def test_a_full_disk_under_the_checkpoints_ends_the_learner_and_no_group_is_lost_or_trained_twice(
    disk: SmallDisk, tmp_path: Path
) -> None:
    config = learner_config()
    with FaultyRun(disk.path, f"sqlite:///{tmp_path}/log.db", config=config, logs=tmp_path) as run:
        groups = [simple_group(f"g{n}", run_id=config.run_id) for n in range(8)]
        run.log.append(config.topic("groups"), encode(groups[:4]))
        run.start("learner")
        run.until(lambda: len(run.events("control", TrainStep.kind)) >= 2)
        disk.fill()
        run.log.append(config.topic("groups"), encode(groups[4:]))
        said = run.ended("learner")
        assert said.startswith(("LogFull: cannot write the checkpoint", "ModelError: cannot write the adapter")), said
        assert len(run.events("control", TrainStep.kind)) == 2
        disk.free()
        run.start("learner")
        run.until(lambda: len(run.events("control", TrainStep.kind)) >= 4)
        run.stop("learner")
        steps = [event for event in run.events("control", TrainStep.kind) if isinstance(event, TrainStep)]
        assert [step.step for step in steps] == [1, 2, 3, 4]
        assert [name for step in steps for name in step.groups_trained] == [f"g{n}" for n in range(8)]
