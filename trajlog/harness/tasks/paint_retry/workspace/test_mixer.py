import pytest
from mixer import Mixer, OrderFailed
from pumps import PumpRack

GREEN = {"yellow": 3, "blue": 1}


def test_mix():
    rack = PumpRack()
    can = Mixer(rack).mix(GREEN, 1000)
    assert (can.contents, can.ml, rack.num_open) == ({"yellow": 750, "blue": 250}, 1000, 0)


def test_single_jam():
    can = Mixer(PumpRack(["blue"])).mix(GREEN, 400)
    assert can.contents == {"yellow": 300, "blue": 100}


def test_unknown_colour():
    with pytest.raises(ValueError, match="no base colour pink"):
        Mixer(PumpRack()).mix({"pink": 1}, 10)


def test_always_jammed():
    with pytest.raises(OrderFailed, match="jammed 2 times"):
        Mixer(PumpRack(["blue"] * 9), attempts=2).mix(GREEN, 400)
