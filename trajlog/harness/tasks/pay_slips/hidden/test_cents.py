import pytest
from payroll.contract import read_contract
from payroll.money import PayError, cents
from payroll.slip import make_slip


def test_amounts_mean_what_they_say():
    assert [cents(t) for t in ("19.99", "0.29", "1.15", "4.35", " 1001.10", "-0.57", "33", "9007199254740993.01")] == [
        1999,
        29,
        115,
        435,
        100110,
        -57,
        3300,
        900719925474099301,
    ]


def test_halves_go_away_from_zero():
    assert [cents(t) for t in ("1.005", "2.675", "0.125", "0.135", "-0.125", "-1.005", "0.0049")] == [
        101,
        268,
        13,
        14,
        -13,
        -101,
        0,
    ]


def test_extras_of_a_contract():
    text = "Name: Eve\nRate: 18.115\nBonus: 64.10\nPension: -70.07\nUnion: -8.2850"
    contract = read_contract(text)
    assert (contract.rate, contract.extras) == (1812, {"bonus": 6410, "pension": -7007, "union": -829})


def test_slip_with_overtime():
    sheet = ["5,Mon,08:00,20:00", "5,Tue,08:00,20:00", "5,Wed,08:00,20:00", "5,Thu,12:00,20:20"]
    slip = make_slip("name: Eve\nrate: 32.45\nticket: -29.01", sheet)
    assert (slip.lines, slip.net) == (
        [("hours", 129800), ("overtime", 21093), ("tax", -14214), ("ticket", -2901)],
        133778,
    )


def test_no_amounts():
    for text in ("", "1,5", "x", "1.2.3"):
        with pytest.raises(PayError):
            cents(text)
    with pytest.raises(PayError) as error:
        read_contract("name: A\nrate: 12 EUR")
    assert str(error.value).replace("' ", "'") == "no amount: '12 EUR'"
