import pytest
from building.rules import parse_rule
from building.simulation import Simulation, by_room, quiet_rooms
from building.words import RuleError


def test_single_room():
    simulation = Simulation()
    window = "when temp rises above 24 do open window"
    simulation.agent("h", "hall", window, "when light < 2 and temp > 18 do lamp on")
    readings = ["hall temp=20 light=3"]
    readings += ["hall temp=25", "", "hall temp=26 light=1", "hall temp=23", "hall temp=30"]
    log = simulation.run("\n".join(readings))
    assert log == [
        '2 hall: open window', '4 hall: lamp on', '5 hall: lamp on', '6 hall: open window',
        '6 hall: lamp on',
    ]


def test_two_rooms_with_equal_rules():
    simulation = Simulation()
    for name in ("attic", "cellar"):
        simulation.agent(name, name, "when temp falls below 16 do heat")
    log = simulation.run("attic temp=18\ncellar temp=12\nattic temp=15\ncellar temp=11")
    assert log == ["3 attic: heat"]


def test_lasting():
    simulation = Simulation()
    simulation.agent("h", "hall", "when (damp > 60 or not temp > 5) for 3 do alarm 7")
    log = simulation.run("hall damp=70 temp=9\nhall damp=75\nhall temp=3\nhall damp=10\nhall temp=8\nhall temp=1")
    assert log == ["3 hall: alarm 7"]


def test_quiet_agent():
    simulation = Simulation()
    simulation.agent("q", "hall", "when door changes do greet", quiet_after=2)
    assert simulation.run("hall door=1\nhall door=2\nhall door=1\nhall door=2") == ["2 hall: greet", "3 hall: greet"]
    assert simulation.summary() == {"q": 2}


def test_errors():
    cases = (("when temp > warm do x", "number expected instead of 'warm'"), ("when a > 1 do", "nothing to do"))
    for text, message in cases:
        with pytest.raises(RuleError, match=message):
            parse_rule(text)


def test_log_by_room():
    simulation = Simulation()
    for room in ("hall", "attic"):
        simulation.agent(room, room, "when light < 3 do lamp on")
    log = simulation.run("hall light=2\nattic light=5\nhall light=1")
    assert by_room(log) == {"hall": [(1, "lamp on"), (3, "lamp on")]}
    assert quiet_rooms(simulation, log) == ["attic"]
