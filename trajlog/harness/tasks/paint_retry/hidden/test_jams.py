import pytest
from mixer import Mixer, OrderFailed
from pumps import PumpRack

GREY = {"white": 2, "black": 1, "blue": 1}


def test_rinsed_before_each_attempt():
    rack = PumpRack(["black", "blue"])
    can = Mixer(rack).mix(GREY, 800)
    assert (can.contents, rack.log, rack.rinsed, rack.num_open) == (
        {'white': 400, 'black': 200, 'blue': 200},
        ['white 400', 'black 200', 'white 400', 'black 200', 'blue 200', 'white 400', 'black 200',
        'blue 200'],
        3, 0,
    )


def test_all_attempts_jam():
    rack = PumpRack(["white"] * 3)
    mixer = Mixer(rack)
    with pytest.raises(OrderFailed) as failed:
        mixer.mix(GREY, 400)
    second = mixer.mix(GREY, 400)
    assert (str(failed.value), rack.rinsed, rack.num_open, second.contents, len(mixer.delivered)) == (
        'jammed 3 times', 4, 0, {'white': 200, 'black': 100, 'blue': 100}, 1,
    )


def test_orders_in_a_row():
    rack = PumpRack(["blue", "white"])
    mixer = Mixer(rack)
    cans = [mixer.mix(GREY, ml) for ml in (400, 40, 4)]
    assert ([can.ml for can in cans], rack.rinsed, rack.num_open, rack.log[-4:]) == (
        [400, 40, 4], 5, 0, ['blue 10', 'white 2', 'black 1', 'blue 1'],
    )
