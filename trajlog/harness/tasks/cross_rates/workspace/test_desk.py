from fractions import Fraction

import pytest
from fx.bank import Bank
from fx.clock import ManualClock
from fx.desk import Desk
from fx.paths import NoPath


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def bank():
    return Bank({("EUR", "USD"): "1.25", ("USD", "JPY"): 120, ("GBP", "EUR"): "1.2"})


def test_direct_rate_is_fetched_again_after_the_limit(bank, clock):
    desk = Desk(bank, clock)
    seen = [desk.convert(10, "EUR", "USD")]
    bank.set(("EUR", "USD"), "1.5")
    for step in (60, 1):
        clock.advance(step)
        seen.append(desk.convert(10, "EUR", "USD"))
    assert seen == [12.5, 12.5, 15.0]
    assert bank.asked == [("EUR", "USD"), ("EUR", "USD")]


def test_cross_rate(bank, clock):
    desk = Desk(bank, clock)
    assert (desk.rate("EUR", "JPY"), desk.rate("JPY", "USD")) == (150, Fraction(1, 120))


def test_cross_rate_is_not_older_than_its_legs(bank, clock):
    desk = Desk(bank, clock)
    desk.rate("EUR", "USD"), desk.rate("USD", "JPY")
    clock.advance(50)
    assert desk.convert(2, "EUR", "JPY") == 300.0
    bank.set(("EUR", "USD"), "1.5")
    bank.set(("USD", "JPY"), 110)
    clock.advance(50)
    assert desk.convert(2, "EUR", "JPY") == 330.0
    assert desk.age_of("EUR", "JPY") == 0


def test_suspended_currency(bank, clock):
    desk = Desk(bank, clock)
    desk.rate("GBP", "JPY")
    desk.suspend("USD")
    with pytest.raises(NoPath, match="no way from GBP to JPY"):
        desk.rate("GBP", "JPY")
    assert desk.rate("GBP", "EUR") == Fraction(6, 5)
