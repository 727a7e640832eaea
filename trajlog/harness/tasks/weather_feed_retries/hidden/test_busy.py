from archive import Archive
from feed import Feed
from readings import parse_all

TEXT = """
hill 0 50F
port 0 12.25C
hill 1 51.8F dew
port 1 30C
hill 2 200F
lake 0 280.15K
port 2 11C calm
"""
OFFSETS = {"hill": 1.8, "lake": -2.0, "port": 0.25}


def collected(busy):
    archive = Archive(busy)
    feed = Feed(archive, OFFSETS)
    feed.collect(parse_all(TEXT))
    return archive, feed


def test_values_after_many_refusals():
    archive, feed = collected([1, 3, 4, 5, 8, 9])
    assert archive.stored == collected([])[0].stored
    assert {name: archive.values(name) for name in ("hill", "port", "lake")} == {
        'hill': [11.0, 12.0], 'port': [12.5, 30.25, 11.25], 'lake': [5.0],
    }
    assert feed.dropped == 1


def test_notes_stand_once():
    assert collected([1, 2, 5, 6, 7, 10])[0].notes() == [
        ('calibrated +1.8', 'was F'),
        ('calibrated +0.25',),
        ('dew', 'calibrated +1.8', 'was F'),
        ('calibrated +0.25', 'jump'),
        ('calibrated -2', 'was K'),
        ('calm', 'calibrated +0.25', 'jump'),
    ]


def test_raw_data_stay():
    lines = [collected(busy)[1].raw_lines() for busy in ([], [2, 3])]
    assert lines[0] == lines[1]
    assert lines[0] == [
        'hill 0 50F',
        'port 0 12.25C',
        'hill 1 51.8F dew',
        'port 1 30C',
        'hill 2 200F',
        'lake 0 280.15K',
        'port 2 11C calm',
    ]


def test_stations_without_offset():
    archive = Archive([1, 2, 4])
    feed = Feed(archive, {}, jump=1.0)
    feed.collect(parse_all("moor 0 14F frost\nmoor 1 41F\n"))
    assert (archive.stored, feed.raw_lines()) == (
        [('moor', 0, -10.0, 'C', ('frost', 'was F')), ('moor', 1, 5.0, 'C', ('was F', 'jump'))],
        ['moor 0 14F frost', 'moor 1 41F'],
    )
