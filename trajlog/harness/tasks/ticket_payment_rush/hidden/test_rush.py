import asyncio

from boxoffice.evening import order_all, report
from boxoffice.gateway import Gateway
from boxoffice.hall import Hall
from boxoffice.office import Office


def run(wishes, gateway, side_by_side):
    hall = Hall("ABC", 6)
    office = Office(hall, gateway, side_by_side)
    order_all(office, wishes)
    asyncio.run(asyncio.wait_for(office.sell(), 2))
    return office, hall


def test_refused_among_sold_at_one_moment():
    gateway = Gateway(refuse=["ben", "dan"])
    office, hall = run([("ada", 5), ("ben", 4), ("cleo", 2), ("dan", 6)], gateway, 4)
    assert report(office, hall) == {
        'orders': 4, 'sold': 2, 'refused': ['ben', 'dan'], 'takings': 26650, 'seats': (11, 0, 7),
    }
    assert (gateway.taken, office.settled) == (26650, [1, 2, 3, 4])


def test_slow_payment_holds_up_nobody():
    gateway = Gateway({"slow": 40, "b": 2, "c": 2, "d": 3, "e": 1})
    office, _ = run([("slow", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)], gateway, 3)
    assert office.settled == [2, 3, 4, 5, 1]
    assert [order.history for order in office.orders] == [
        ['paying', 'sold'], ['paying', 'sold'], ['paying', 'sold'], ['paying', 'sold'], ['paying', 'sold'],
    ]


def test_next_order_begins_when_any_is_answered():
    gateway = Gateway({"slow": 30, "b": 1, "c": 5, "d": 5})
    seen = []

    class Watching(Office):
        def _settle(self, order, receipt):
            seen.append((order.customer, list(gateway.started)))
            return super()._settle(order, receipt)

    office = Watching(Hall("A", 6), gateway, 2)
    order_all(office, [("slow", 1), ("b", 1), ("c", 1), ("d", 1)])
    asyncio.run(asyncio.wait_for(office.sell(), 2))
    assert seen == [
        ('b', ['slow', 'b']),
        ('c', ['slow', 'b', 'c']),
        ('d', ['slow', 'b', 'c', 'd']),
        ('slow', ['slow', 'b', 'c', 'd']),
    ]


def test_waves_of_equal_payments():
    wishes = [(f"g{n}", 1 + n % 3) for n in range(9)]
    office, hall = run(wishes, Gateway(refuse=["g4"]), 4)
    assert (office.settled, report(office, hall)) == (
        [1, 2, 3, 4, 5, 6, 7, 8, 9],
        {'orders': 9, 'sold': 8, 'refused': ['g4'], 'takings': 51200, 'seats': (2, 0, 16)},
    )
