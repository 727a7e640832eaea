from datetime import date
from decimal import Decimal

import pytest
from bakery.baking import baking_plan, slip, trays
from bakery.codec import FileError, dumps, loads
from bakery.shop import Shop

DAY = date(2024, 5, 3)


@pytest.fixture
def shop():
    made = Shop()
    made.take("Ada", "2024-05-03", "NOON", "30 roll, 1 cake", "candles")
    made.take("Ben", "2024-05-03", "EARLY", "4 bun, 10 roll")
    made.take("Cleo", "2024-05-04", "EARLY", "2 loaf")
    return made


def test_plan_of_a_day(shop):
    plan = baking_plan(shop.book, DAY)
    assert plan == {"6-10": {"bun": 4, "roll": 10}, "10-14": {"roll": 30, "cake": 1}}
    assert trays(plan) == {"bun": 1, "cake": 1, "roll": 2}


def test_plan_of_a_loaded_book(shop, tmp_path):
    shop.save(tmp_path / "book.json")
    loaded = Shop.load(tmp_path / "book.json")
    assert baking_plan(loaded.book, DAY) == {"6-10": {"bun": 4, "roll": 10}, "10-14": {"roll": 30, "cake": 1}}
    assert slip(loaded.book.orders[1]) == ["Ben, 03.05., 6-10 h", "4 x bun 4.80", "10 x roll 4.50", "total 9.30"]


def test_plain_values():
    assert loads(dumps([DAY, Decimal("1.10"), {"a": 1}])) == [DAY, Decimal("1.10"), {"a": 1}]


def test_refused():
    with pytest.raises(TypeError, match="complex"):
        dumps([1j])
    with pytest.raises(FileError, match="Torte"):
        loads('{"is": "Torte", "value": 1}')
    with pytest.raises(LookupError):
        Shop().lines("1 pizza")
