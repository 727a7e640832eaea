import pytest
from aquarium import Aquarium, Pump, Schedule, Timer, TimerError
from aquarium.guards import dry_run


def test_two_pumps():
    aquarium = Aquarium(100, [Pump("filter", -2, 30), Pump("fill", 5, 45)])
    aquarium.in_service()
    aquarium.advance(90)
    assert aquarium.log == [
        '0 filter in service', '0 fill in service', '30 filter on', '45 fill on', '60 filter on',
        '90 fill on', '90 filter on',
    ]
    assert (aquarium.level, aquarium.report()) == (104, ["filter: in service, 6 l", "fill: in service, 10 l"])


def test_stop_by_hand():
    aquarium = Aquarium(100, [Pump("filter", -2, 30)])
    aquarium.in_service("filter")
    aquarium.advance(70)
    aquarium.out_of_service("filter")
    aquarium.advance(100)
    assert (aquarium.level, aquarium.schedule.planned()) == (96, [])


def test_dry_run():
    aquarium = Aquarium(25, [Pump("filter", -10, 60, [dry_run(20)])])
    aquarium.in_service("filter")
    aquarium.advance(120)
    aquarium.level = 50
    aquarium.advance(300)
    assert aquarium.log == ["0 filter in service", "60 filter on", "120 filter out of service"]


def test_errors():
    aquarium = Aquarium(5, [Pump("filter", -3, 10)])
    aquarium.in_service("filter")
    aquarium.advance(50)
    assert (aquarium.errors, aquarium.level) == (["filter: no 3 l left"], 2)
    with pytest.raises(TimerError, match="no interval"):
        Timer(Schedule(), 0, print)
