import pytest
from cloth import balance, floats, threading, weave
from draft import Draft, DraftError
from library import Library, table, yarn


def test_text_round_trip():
    draft = Draft.of("xx.. .xx. ..xx")
    draft.add([1, 0, 0, 1])
    assert draft.text().split() == ["xx..", ".xx.", "..xx", "x..x"]
    with pytest.raises(DraftError, match="pick 5 has 2 shafts, not 4"):
        draft.add([1, 0])


def test_repeat_and_correct():
    draft = Draft.of("x.x. .x.x").repeat(3)
    draft.drop(3, 1)
    assert draft.text().split() == ["x.x.", ".x.x", "..x.", ".x.x", "x.x.", ".x.x"]


def test_cloth_of_twill():
    rows = weave(Library().block("twill"), 8, "point")
    assert rows == ['##---###', '-##-##-#', '--###---', '#--#--#-']
    assert (floats(rows), balance(rows)) == ([3, 2, 3, 2], 50)


def test_threading():
    assert threading("straight", 3, 7) == [1, 2, 3, 1, 2, 3, 1]
    with pytest.raises(DraftError):
        threading("fancy", 3, 7)


def test_compose():
    assert Library().compose("plain*2 basket~").text().split() == [
        "x.x.", ".x.x", "x.x.", ".x.x", "xx..", "xx..", "..xx", "..xx", "..xx", "xx..", "xx..",
    ]


def test_workshop_figures():
    assert yarn(Library().block("twill"), 400) == {'warp': 440.0, 'weft': 440.0, 'warp_face': 50}
    assert table(Library())[0] == 'basket   4 shafts 4 picks xx.. xx.. ..xx ..xx'
