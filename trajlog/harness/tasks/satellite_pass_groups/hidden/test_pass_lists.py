from antenna.handover import handovers, longest_pause
from antenna.main import main
from antenna.passes import grouped, passes
from antenna.plan import DayPlan
from antenna.sightings import Sighting


def sky():
    for second, satellite, elevation in [
        (0, "A", 10), (200, "A", 30), (501, "A", 50), (560, "B", 80), (570, "A", 20), (700, "A", 25), (1000, "C", 60),
    ]:  # fmt: skip
        yield Sighting(second, satellite, elevation)


def test_plan_takes_the_highest():
    out = []
    assert main(["plan", "antenna.csv"], out) == 0
    assert out == [
        "1. 06:08:00-06:09:30 ISS 61 deg", "2. 06:40:00-06:44:00 NOAA-18 47 deg",
        "3. 07:46:00-07:46:00 METEOR 70 deg",
    ]


def test_plan_of_a_stream():
    assert DayPlan(free=50, count=9).choose(sky()).lines() == [
        "1. 00:00:00-00:03:20 A 30 deg", "2. 00:08:21-00:08:21 A 50 deg",
        "3. 00:09:20-00:09:20 B 80 deg", "4. 00:16:40-00:16:40 C 60 deg",
    ]


def test_groups_in_any_way():
    groups = list(grouped(sky()))
    names = [satellite for satellite, _ in groups]
    seconds = [[sighting.second for sighting in group] for _, group in reversed(groups)]
    assert (names, seconds) == (["A", "A", "B", "A", "C"], [[1000], [570, 700], [560], [501], [0, 200]])


def test_handovers_of_a_stream():
    found = [(handover.second, handover.old + handover.new, handover.pause) for handover in handovers(sky())]
    assert (found, longest_pause(sky()), longest_pause(sky(), gap=10)) == (
        [(501, "AA", 301), (560, "AB", 59), (570, "BA", 10), (1000, "AC", 300)], 301, 301,
    )


def test_passes_are_kept():
    kept = list(passes(sky(), gap=1000))
    assert [(each.satellite, each.seconds, each.top) for each in kept] == [
        ("A", 501, 50), ("B", 0, 80), ("A", 130, 25), ("C", 0, 60),
    ]
