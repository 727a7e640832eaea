import pytest
from rivers.board import board, day_summary, outlook
from rivers.gauges import ConfigError, read_gauges
from rivers.watch import Watch

INI = """
[mill]
river = Oder
alarm = 250

[ford]
river = Elbe
alarm = 400
slack = 20
zero = 100
"""


@pytest.fixture
def gauges():
    return read_gauges(INI)


def test_quiet_day(gauges):
    watch = Watch(gauges)
    watch.report("mill", "06:00 100", "06:15 1.20m", "06:30 110")
    watch.report("ford", "06:00 50")
    assert watch.round() == 4
    assert board(gauges, watch) == ["ELBE", "ford: 150 = 06:00", "ODER", "mill: 110 + 06:30"]
    assert day_summary(gauges, watch) == {"ford": (1, 150.0, "06:00"), "mill": (3, 110.0, "06:15")}


def test_level_after_an_alarm(gauges):
    watch = Watch(gauges)
    watch.report("mill", "06:00 240", "06:15 255", "06:30 262")
    watch.round()
    assert watch.siren.sent == ["06:15 mill ALARM at 255 cm"]
    assert board(gauges, watch) == ["ELBE", "ford: no reading", "ODER", "mill: 262 + 06:30 !"]


def test_outlook(gauges):
    watch = Watch(gauges)
    watch.report("mill", "06:00 200", "06:10 210", "06:20 220", "06:30 230")
    watch.report("ford", "06:00 200", "06:10 195")
    watch.round()
    assert outlook(gauges, watch) == ["mill: alarm level in 20 min, 290 cm in 60 min"]


def test_rejected(gauges):
    watch = Watch(gauges)
    watch.report("mill", "noon 12")
    watch.report("weir", "06:00 12")
    assert (watch.round(), watch.rejected) == (2, ["mill: 'noon 12'", "weir: unknown gauge"])


def test_topics_without_handler_wait(gauges):
    watch = Watch(gauges)
    watch.relay.publish("rain", "mill", "3 mm")
    assert (watch.round(), watch.relay.num_waiting) == (0, 1)


def test_wrong_level():
    with pytest.raises(ConfigError, match="alarm 0"):
        read_gauges("[mill]\nriver = Oder\n")
