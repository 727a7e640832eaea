import pytest
from rota.day import play, tally
from rota.drivers import Driver
from rota.roster import NobodyFree, Roster, Run

CREW = ["+ ada 1999", "+ ben 2004", "+ cy 2010 van bus", "+ dee 2012"]


def test_everybody_in_turn():
    roster, problems = play([*CREW, "07:00 airport", "07:30 airport", "08:00 fair", "08:30 fair", "09:00 zoo"])
    assert [name for _, name in roster.given] == ["ada", "ben", "cy", "dee", "ada"]
    assert (problems, tally(roster)) == ([], {"ada": 2, "ben": 1, "cy": 1, "dee": 1})


def test_bus_drivers_only():
    roster, problems = play([*CREW, "07:00 airport", "07:30 harbour bus", "08:00 fair", "break cy", "09:00 zoo bus"])
    assert [name for _, name in roster.given] == ["ada", "cy", "dee"]
    assert problems == ["line 9: nobody for the 09:00 to zoo (bus)"]


def test_somebody_leaves():
    roster, _ = play([*CREW, "07:00 airport", "07:30 airport", "- ada"])
    assert roster.order() == ["cy", "dee", "ben"]


def test_senior_driver_joins():
    roster, _ = play([*CREW, "07:00 airport", "07:30 airport", "+ old 1980"])
    assert roster.order() == ["cy", "dee", "old", "ada", "ben"]


def test_no_drivers():
    with pytest.raises(NobodyFree, match="nobody for the 07:00"):
        Roster([Driver("ada", 1999, frozenset())]).give(Run("07:00", "airport"))
