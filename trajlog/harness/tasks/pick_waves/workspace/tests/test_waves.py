import pytest
from picking.orders import Order
from picking.stock import Stock
from picking.waves import Planner


@pytest.fixture
def planner():
    bins = [("A1", "tea", 5), ("B2", "cup", 4), ("C3", "tea", 9)]
    made = Planner(Stock(bins))
    made.submit(Order(1, [("cup", 2), ("tea", 7)]))
    made.submit(Order(2, [("tea", 3)]))
    return made


def test_walk_is_in_aisle_order(planner):
    assert planner.next_wave().walk() == [("A1", 5, 1), ("B2", 2, 1), ("C3", 2, 1), ("C3", 3, 2)]


def test_reserved_stock(planner):
    planner.next_wave()
    assert planner.stock.units() == {"A1": (5, 5), "B2": (4, 2), "C3": (9, 5)}


def test_cancelled_wave_is_planned_again(planner):
    wave = planner.next_wave()
    before = wave.walk()
    planner.cancel(wave)
    assert [order.open_units() for order in planner.queue] == [9, 3]
    assert planner.next_wave().walk() == before == [("A1", 5, 1), ("B2", 2, 1), ("C3", 2, 1), ("C3", 3, 2)]


def test_sheet_and_carts(planner):
    wave = planner.next_wave()
    assert wave.sheet()[:3] == ["aisle A", "  A1     5 x tea for 1", "aisle B"]
    assert planner.carts(wave) == [[("A1", 5, 1), ("B2", 2, 1), ("C3", 2, 1), ("C3", 1, 2)], [("C3", 2, 2)]]


def test_too_many_units_are_refused():
    with pytest.raises(ValueError, match="order 4 wants no more tea"):
        Order(4, [("tea", 1)]).confirm("tea", 2)
