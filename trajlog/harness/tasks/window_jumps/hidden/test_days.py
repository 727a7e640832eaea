from sensors.reading import Reading
from sensors.report import jumps, longest_calm, summary
from sensors.windows import windows


def stream(*values, step=5, start=0):
    for i, value in enumerate(values):
        if value is not None:
            yield Reading(start + i * step, value)


def test_jumps_in_both_directions():
    assert jumps(stream(1, 3, 7, 7.5, 7, 8, 2, 1, 1.5), 10, 1.5) == [(10, 5.25), (30, -6.0)]


def test_gaps():
    values = stream(1, 2, None, None, 5, 5, 9, None, None, None, None, 1, start=60)
    assert jumps(values, 10, 3) == [(80, "gap"), (90, 4.0), (110, "gap")]


def test_longest_calm():
    values = stream(1, 1, 8, 8, 8.5, 9, 9, 9, None, None, 9, 9, step=30)
    assert longest_calm(values, 60, 2.0) == ["01:00-02:00", "02:00-03:00", "03:00-04:00"]


def test_windows_can_be_kept():
    kept = list(windows(stream(4, 6, 5, 5, 11), 10))
    assert [(w.label, [r.value for r in w.readings], [r.value for r in w.readings]) for w in kept] == [
        ("00:00-00:10", [4, 6], [4, 6]),
        ("00:10-00:20", [5, 5], [5, 5]),
        ("00:20-00:30", [11], [11]),
    ]


def test_windows_at_the_edges():
    assert summary(stream(2, 4, 6, 8, step=30, start=29.5), 30) == [
        "00:00-00:30 2.00 (2 to 2, 1)",
        "00:30-01:00 4.00 (4 to 4, 1)",
        "01:00-01:30 6.00 (6 to 6, 1)",
        "01:30-02:00 8.00 (8 to 8, 1)",
    ]
    assert jumps(stream(2, 4, 6.5, 8, step=30, start=29.5), 30, 2.5) == [(60, 2.5)]
