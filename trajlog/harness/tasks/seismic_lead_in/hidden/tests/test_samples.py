from quake.bulletin import bulletin
from quake.measures import peak
from quake.run import Run
from tests.test_cutting import noise, recording

TWO = noise(25, 3) + noise(30, 90) + noise(45, 4) + noise(8, 500) + noise(26, 3) + noise(7, 800)


def test_all_blocks_of_an_event():
    events = list(Run(recording(TWO)))
    for event in events:
        assert event.samples() == TWO[event.start : event.start + len(event.samples())]
    assert [(e.start, e.lead, [peak(samples) for _, samples in e.blocks]) for e in events] == [
        (0, 2, [5, 5, 92, 92, 92, 92, 6, 6]), (80, 2, [6, 6, 502, 5, 5]), (130, 0, [802, 800]),
    ]


def test_bulletin():
    assert bulletin(Run(recording(TWO))) == [
        "    2.00 s  peak    92  noise    4.0  8.00 s |      ########      |",
        "   10.00 s  peak   502  noise    5.0  5.00 s |      *##*       |",
        "   13.00 s  peak   802  noise    0.0  1.10 s |    **#**#*|", "3 events in 15 blocks",
    ]


def test_resumed_runs():
    whole = [event.to_plain() for event in Run(recording(TWO))]
    for stop in range(16):
        first = Run(recording(TWO))
        events = list(first.events(limit=stop))
        second = Run.resume(recording(TWO), first.checkpoint())
        events += second
        assert [event.to_plain() for event in events] == whole
        assert second.blocks_done == 15
    assert [sum(map(abs, event.lead_in())) for event in events] == [79, 101, 0]
