from datetime import date
from decimal import Decimal

import pytest
from bakery.baking import baking_plan, slip
from bakery.codec import dumps, loads
from bakery.model import Line, Slot
from bakery.shop import Shop


def make():
    shop = Shop()
    shop.take("Dan", "2024-05-06", "EVENING", "3 loaf", "sliced")
    shop.take_standing("Cafe", "EARLY", {0: "40 roll, 6 bun", 4: "60 roll"})
    shop.take_standing("School", "NOON", {0: "24 bun"})
    return shop


def test_standing_orders_come_back():
    loaded = loads(dumps(make().book))
    assert loaded == make().book
    assert [(s.customer, s.slot.name, {day: [tuple(line) for line in lines] for day, lines in s.week.items()})
            for s in loaded.standing] == [
        ("Cafe", "EARLY", {0: [("roll", 40, Decimal("0.45")), ("bun", 6, Decimal("1.20"))],
                           4: [("roll", 60, Decimal("0.45"))]}),
        ("School", "NOON", {0: [("bun", 24, Decimal("1.20"))]})]
    assert [type(line).__name__ for lines in loaded.standing[0].week.values() for line in lines] == [
        'Line', 'Line', 'Line',
    ]


def test_plan_with_standing_orders_after_two_nights(tmp_path):
    shop = make()
    for night in ("one", "two"):
        shop.save(tmp_path / night)
        shop = Shop.load(tmp_path / night)
    assert [baking_plan(shop.book, date(2024, 5, day)) for day in (6, 7, 10)] == [
        {'6-10': {'roll': 40, 'bun': 6}, '10-14': {'bun': 24}, '14-18': {'loaf': 3}}, {}, {'6-10': {'roll': 60}},
    ]
    assert (tmp_path / "one").read_text() == (tmp_path / "two").read_text()


def test_slips_of_standing_orders():
    loaded = loads(dumps(make().book))
    assert [slip(order) for order in loaded.of_day(date(2024, 5, 6))] == [
        ['Cafe, 06.05., 6-10 h', '40 x roll 18.00', '6 x bun 7.20', 'total 25.20', '(standing order)'],
        ['School, 06.05., 10-14 h', '24 x bun 28.80', 'total 28.80', '(standing order)'],
        ['Dan, 06.05., 14-18 h', '3 x loaf 12.30', 'total 12.30', '(sliced)'],
    ]


def test_types_wherever_they_stand():
    value = {"slots": [Slot.NOON, [Slot.EARLY]], "lines": [{"best": Line("bun", 2, Decimal("1.2"))}], "n": 2}
    loaded = loads(dumps(value))
    assert loaded == value
    assert [repr(part) for part in (loaded["slots"], loaded["lines"], loaded["n"])] == [
        '[<Slot.NOON: 2>, [<Slot.EARLY: 1>]]',
        "[{'best': Line(article='bun', pieces=2, price=Decimal('1.2'))}]",
        '2',
    ]


def test_other_tuples_of_their_own_type_are_refused():
    class Pair(tuple):
        pass

    refused = []
    for value in (Pair("ab"), [{1, 2}], {"k": b"x"}):
        with pytest.raises(TypeError) as caught:
            dumps(value)
        refused.append(str(caught.value))
    assert refused == ['no form for a Pair', 'no form for a set', 'no form for a bytes']
