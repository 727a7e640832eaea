import gc

import pytest
from backups import Archive, Plan, Run, Scheduler, Volume, VolumeError
from backups.journal import Journal


def made(*paths, **options):
    volume = Volume("home", **options)
    for path in paths:
        volume.write(path, f"<{path}>")
    return volume, Archive(), Journal()


def test_note_of_a_dropped_run():
    volume, archive, journal = made("x", "y", "z")
    run = Run(Plan("nightly"), volume, archive, journal)
    seen = [volume.num_open, journal.lines()]
    del run
    gc.collect()
    gc.collect()
    assert (seen, volume.num_open, journal.lines()) == ([3, []], 0, ['nightly: released 3 files'])


def test_many_failing_nights():
    volume, archive, _ = made("x", "y", "z", limit=4)
    scheduler = Scheduler(volume, archive)
    scheduler.add(Plan("all"))
    volume.bad.add("y")
    counts = []
    for _ in range(4):
        scheduler.night()
        gc.collect()
        counts.append(volume.num_open)
    volume.bad.clear()
    numbers = scheduler.night()
    lines = scheduler.journal.lines("all")
    assert (counts, numbers, scheduler.failures, sorted(set(lines))) == (
        [0, 0, 0, 0], {'all': 1}, {'all': 4},
        ['all: copied 3 files', 'all: failed: y is damaged', 'all: released 3 files'],
    )


def test_closed_run_writes_no_note():
    volume, archive, journal = made("x", "y")
    with Run(Plan("one"), volume, archive, journal) as run:
        run.copy()
    run.close()
    later = Run(Plan("two"), volume, archive, journal)
    later.close()
    del run, later
    gc.collect()
    assert (volume.num_open, journal.lines(), archive.numbers("one")) == (0, ['one: copied 2 files'], [1])


def test_run_in_use_keeps_its_files():
    volume, archive, journal = made("x", "y")
    run = Run(Plan("long"), volume, archive, journal)
    other = Run(Plan("short", ("x",)), volume, archive, journal)
    volume.write("x", "changed")
    del other
    gc.collect()
    seen = [volume.num_open, run.files.read("x"), journal.lines()]
    number = run.copy()
    run.close()
    assert (seen, number, archive.restore("long"), journal.lines("long"), volume.num_open) == (
        [2, '<x>', ['short: released 1 files']], 1, {'x': '<x>', 'y': '<y>'}, ['long: copied 2 files'],
        0,
    )


def test_files_are_used_without_their_run():
    volume, archive, journal = made("x", "y", "zz")
    files = Run(Plan("part", ("?",)), volume, archive, journal).files
    gc.collect()
    with pytest.raises(VolumeError, match="zz is not part of part"):
        files.read("zz")
    seen = [volume.num_open, files.read("y"), files.total()]
    del files
    gc.collect()
    assert (seen, volume.num_open, journal.lines()) == ([2, '<y>', 6], 0, ['part: released 2 files'])
