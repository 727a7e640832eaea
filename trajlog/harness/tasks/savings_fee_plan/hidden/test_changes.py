import pytest
from savings import Plan, PlanError, Spread, statement


def test_several_changes():
    found = statement(Plan("A", 777700, 11), "3 raise 9,000.50\n5 prolong 14\n9 raise 9,999.99\n9 shorten 12")
    assert (found.fees, found.total_fee) == ((707, 707, 707, 860, 860, 573, 573, 574, 573, 1288, 1289, 1289), 10000)


def test_change_before_the_first_month():
    found = statement(Plan("B", 100000, 7), "0 raise 2,000\n0 prolong 9")
    assert (found.fees, found.total_fee, found.balance) == (
        (222, 222, 222, 222, 223, 222, 222, 222, 223), 2000, 198007,
    )


def test_two_changes_in_a_row_keep_the_rest():
    spread = Spread(1000, 6)
    parts = [spread.charge(), spread.charge()]
    spread.change(further=55)
    spread.change(further=45, months=5)
    assert (parts, spread.open, spread.rest(), spread.charged) == ([166, 167], 767, [255, 256, 256], 333)


def test_rest_after_a_change_charges_nothing():
    spread = Spread(997, 9)
    for _ in range(4):
        spread.charge()
    spread.change(months=8)
    before = spread.rest()
    assert (before, [spread.charge() for _ in range(4)], spread.open) == (
        [138, 139, 138, 139], [138, 139, 138, 139], 0,
    )


def test_too_short():
    plan = Plan("C", 90000, 12)
    parts = [plan.advance() for _ in range(6)]
    with pytest.raises(PlanError, match="6 months have passed"):
        plan.shorten(6)
    plan.shorten(7)
    parts.append(plan.advance())
    assert (parts, plan.spread.charged) == ([75, 75, 75, 75, 75, 75, 450], 900)


def test_change_every_month():
    found = statement(Plan("D", 50000, 8, fee_rate=33), "\n".join(f"{m} raise {600 + 75 * m}" for m in range(1, 7)))
    assert (found.fees, found.total_fee, found.balance, found.earned) == (
        (206, 288, 330, 379, 441, 524, 648, 649), 3465, 103704, 0,
    )
