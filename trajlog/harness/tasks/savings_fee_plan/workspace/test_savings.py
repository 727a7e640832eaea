import pytest
from savings import Forecast, Plan, PlanError, Spread, SpreadError, months_to_reach, statement


def test_plain_plan():
    found = statement(Plan("A", 500000, 24))
    assert (found.total_fee, set(found.fees)) == (5000, {208, 209})


def test_raised_plan():
    found = statement(Plan("B", 480000, 24), "12 raise 6,000")
    assert found.lines() == ["from month 1: 2.00", "from month 13: 3.00", "fees 60.00", "balance 6,012.43"]


def test_prolonged_plan():
    found = statement(Plan("C", 300000, 10), "5 prolong 20")
    assert found.fees == (
        300, 300, 300, 300, 300, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100,
        100,
    )


def test_interest():
    plan = Plan("D", 120000, 24, fee_rate=0, interest=30)
    found = statement(plan)
    assert (found.total_fee, found.balance, found.earned) == (0, 123474, 3474)


def test_forecast():
    plan = Plan("F", 90000, 15, interest=40)
    for _ in range(4):
        plan.advance()
    forecast = Forecast(plan)
    assert (forecast.text(), months_to_reach(plan, 50000), months_to_reach(plan, 10**6)) == (
        'F: 904.06 in 11 months', 5, None,
    )


def test_limits():
    spread = Spread(100, 2)
    assert [spread.charge(), spread.charge()] == [50, 50]
    with pytest.raises(SpreadError, match="all 2 months"):
        spread.charge()
    with pytest.raises(PlanError, match="unknown change"):
        statement(Plan("E", 1000, 2), "1 cancel 0")
