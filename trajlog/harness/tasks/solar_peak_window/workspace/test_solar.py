import pytest
from solar import HoldWindow, LogError, PowerLog, Roof, highest
from solar.log import parse_log


def test_a_report_every_minute():
    log = PowerLog("east", [(60 * i, 1000 + 50 * (i % 7)) for i in range(40)])
    peak = highest(log)
    assert (peak.second, round(peak.watts, 2)) == (1260, 1160.0)


def test_sparse_reports():
    log = PowerLog("east", [(0, 4000), (600, 1000), (1200, 1000)])
    assert highest(log).watts == 2000.0


def test_energy_and_comments():
    log = parse_log("west", "0 1800  # sunrise\n\n3600 900\n7200 0\n")
    assert (len(log), log.energy_wh(), log.at(4000)) == (3, 2700.0, 900)


def test_order_is_checked():
    with pytest.raises(LogError, match="30 s comes after 60 s"):
        PowerLog("east", [(60, 1), (30, 2)])


def test_partial_window():
    window = HoldWindow(900)
    window.push(0, 100, 500)
    window.push(100, 300, 800)
    assert (window.covered, window.mean()) == (300, 700.0)


def test_limit_of_a_roof():
    roof = Roof([PowerLog("a", [(0, 3000), (900, 0)]), PowerLog("b", [(0, 3000), (900, 0)])], limit=4200)
    assert roof.bill_line() == "2 inverters, 1050.0 Wh, peak 00:15 4200 W"
