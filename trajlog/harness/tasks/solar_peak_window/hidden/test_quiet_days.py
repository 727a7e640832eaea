from solar import HoldWindow, PowerLog, Roof, daily_peaks, highest


def test_value_from_long_before():
    window = HoldWindow(900)
    seen = []
    for begin, end, watts in [(0, 5000, 700), (5000, 5300, 1600), (5300, 5350, 100), (5350, 9000, 40)]:
        window.push(begin, end, watts)
        seen.append((window.covered, round(window.mean(), 3)))
    assert seen == [(900, 700.0), (900, 1000.0), (900, 966.667), (900, 40.0)]


def test_first_value_is_cut_twice():
    log = PowerLog("east", [(0, 900), (1000, 1800), (1100, 2700), (1200, 0), (1300, 0)])
    peak = highest(log, 600)
    assert (peak.second, peak.watts) == (1200, 1350.0)


def test_odd_widths():
    log = PowerLog("east", [(0, 120), (50, 480), (170, 60), (400, 960), (410, 0), (500, 0)])
    peaks = [highest(log, width) for width in (7, 45, 130, 333, 2000)]
    assert [(peak.second, round(peak.watts, 4)) for peak in peaks] == [
        (410, 960.0), (170, 480.0), (170, 452.3077), (410, 204.3243), (170, 374.1176),
    ]


def test_roof_of_three():
    logs = [
        PowerLog("a", [(0, 1000), (2000, 3000), (2400, 0), (4000, 0)]),
        PowerLog("b", [(100, 500), (2100, 1500), (3900, 0)]),
        PowerLog("c", [(1500, 2500), (2300, 250)]),
    ]
    assert [Roof(logs).bill_line(), Roof(logs, limit=4000).bill_line(600)] == [
        '3 inverters, 2590.3 Wh, peak 00:40 4972 W', '3 inverters, 2347.2 Wh, peak 00:35 4000 W',
    ]


def test_days():
    log = PowerLog("a", [(80000, 600), (86000, 2000), (87000, 100), (90000, 900), (172000, 300), (172900, 0)])
    peaks = {day: (peak.second, round(peak.watts, 3)) for day, peak in daily_peaks(log).items()}
    assert peaks == {0: (86000, 600.0), 1: (87000, 2000.0), 2: (172900, 300.0)}
