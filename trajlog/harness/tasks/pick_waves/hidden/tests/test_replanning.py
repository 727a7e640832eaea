from picking.orders import Order
from picking.stock import Stock
from picking.waves import Planner


def test_partly_confirmed_wave():
    planner = Planner(Stock([("A1", "tea", 5), ("B2", "cup", 4), ("C3", "tea", 9)]))
    order = Order(7, [("tea", 8), ("cup", 1)])
    planner.submit(order)
    wave = planner.next_wave()
    planner.confirm(wave, 1)
    planner.cancel(wave)
    assert order.open_units() == 4
    assert planner.next_wave().walk() == [("B2", 1, 7), ("C3", 3, 7)]
    assert planner.stock.units() == {"A1": (0, 0), "B2": (4, 1), "C3": (9, 3)}


def test_wave_takes_no_more_than_it_can_reserve():
    planner = Planner(Stock([("A1", "tea", 2), ("A2", "tea", 1)]))
    first, second = Order(1, [("tea", 2)]), Order(2, [("tea", 5)])
    for order in (first, second):
        planner.submit(order)
    wave = planner.next_wave()
    assert wave.walk() == [("A1", 2, 1), ("A2", 1, 2)]
    planner.confirm(wave)
    planner.cancel(wave)
    assert [(order.number, order.open_units()) for order in planner.queue] == [(2, 4)]


def test_two_lines_of_one_sku():
    planner = Planner(Stock([("A1", "tea", 3), ("B1", "tea", 6)]))
    order = Order(3, [("tea", 2), ("tea", 4)])
    planner.submit(order)
    planner.cancel(planner.next_wave())
    wave = planner.next_wave()
    assert wave.walk() == [("A1", 2, 3), ("A1", 1, 3), ("B1", 3, 3)]
    assert order.open_units() == 6
    planner.confirm(wave, 2)
    assert [(line.sku, line.units) for line in order.open_lines()] == [("tea", 3)]


def test_missing_units_are_those_without_a_stop():
    planner = Planner(Stock([("A1", "tea", 4), ("B1", "cup", 1)]))
    for number, wanted in ((1, [("tea", 3), ("cup", 3)]), (2, [("tea", 2)])):
        planner.submit(Order(number, wanted))
    wave = planner.next_wave()
    assert wave.missing() == {1: {"cup": 2}, 2: {"tea": 1}}
    planner.confirm(wave, 1)
    assert wave.missing() == {1: {"cup": 2}, 2: {"tea": 1}}


def test_cancelled_orders_are_first_again():
    planner = Planner(Stock([("A1", "tea", 30)]), per_wave=2)
    for number in (1, 2, 3):
        planner.submit(Order(number, [("tea", number)]))
    planner.cancel(planner.next_wave())
    walks = [planner.next_wave().walk(), planner.next_wave().walk()]
    assert walks == [[("A1", 1, 1), ("A1", 2, 2)], [("A1", 3, 3)]]
