import gc

import pytest
from backups import Archive, Plan, Run, Scheduler, Volume, VolumeError
from backups.journal import Journal
from backups.report import differences, oldest, report, space


@pytest.fixture
def volume():
    volume = Volume("home")
    for path in ("a.txt", "b.txt", "tmp/c.txt", "d.png"):
        volume.write(path, path * 2)
    return volume


def test_plain_run(volume):
    archive, journal = Archive(), Journal()
    with Run(Plan.read("nightly +*.txt -tmp/*"), volume, archive, journal) as run:
        assert (len(run.files), volume.num_open, run.files.total(), run.copy()) == (2, 2, 20, 1)
    assert (volume.num_open, journal.lines()) == (0, ["nightly: copied 2 files"])
    assert archive.restore("nightly") == {"a.txt": "a.txta.txt", "b.txt": "b.txtb.txt"}


def test_only_changes_are_copied(volume):
    archive, plan = Archive(), Plan("nightly", keep=2)
    scheduler = Scheduler(volume, archive)
    scheduler.add(plan)
    scheduler.night()
    for text in ("one", "two"):
        volume.write("b.txt", text)
        scheduler.night()
    volume.write("e.txt", "new")
    assert scheduler.night() == {"nightly": 4}
    assert report(scheduler, archive, [plan]) == ["nightly    snapshots 3,4 files 5"]
    assert differences(archive, "nightly", 3, 4) == ["+e.txt"]


def test_dropped_run_closes_its_files(volume):
    journal = Journal()
    run = Run(Plan("nightly"), volume, Archive(), journal)
    assert volume.num_open == 4
    del run
    gc.collect()
    assert volume.num_open == 0


def test_too_many_files(volume):
    for number in range(9):
        volume.write(f"f{number}", "x")
    scheduler = Scheduler(volume, Archive())
    scheduler.add(Plan("nightly", ("f*",)))
    assert (scheduler.night(), volume.num_open) == ({}, 0)
    assert scheduler.journal.lines()[-1] == "nightly: failed: too many open files"


def test_plan_errors():
    with pytest.raises(ValueError, match="plan p: 'x'"):
        Plan.read("p x")
    with pytest.raises(VolumeError, match="no file z"):
        Volume("v").open("z")


def test_space(volume):
    archive = Archive()
    scheduler = Scheduler(volume, archive)
    scheduler.add(Plan("nightly"))
    scheduler.night()
    volume.write("e.txt", "12345")
    scheduler.night()
    assert (space(archive, "nightly"), oldest(archive, "nightly", "e.txt")) == ({1: 48, 2: 5}, 2)
