import threading

import pytest
from matching.desk import Desk
from matching.model import Order, OrderError


class WatchedCondition(threading.Condition):
    """Tells when a thread is about to wait."""

    def __init__(self):
        super().__init__()
        self.entered = threading.Semaphore(0)

    def wait(self, timeout=None):
        self.entered.release()
        return super().wait(timeout)


def start_waiter(desk, condition, number, results):
    thread = threading.Thread(target=lambda: results.append((number, desk.wait_filled(number))), daemon=True)
    thread.start()
    assert condition.entered.acquire(timeout=2)
    return thread


def test_price_then_time():
    desk = Desk()
    for number, price in (("s1", 12), ("s2", 10), ("s3", 10)):
        desk.place(Order(number, "sell", price, 5))
    trades = desk.place(Order("b1", "buy", 11, 8))
    assert [(trade.seller, trade.price, trade.quantity) for trade in trades] == [("s2", 10, 5), ("s3", 10, 3)]


def test_filled_order_does_not_wait():
    desk = Desk()
    desk.place(Order("s1", "sell", 10, 4))
    desk.place(Order("s2", "sell", 13, 2))
    desk.place(Order("b1", "buy", 13, 6))
    assert desk.wait_filled("b1", timeout=0) == 11.0


def test_trader_behind_another_waiting_trader():
    condition = WatchedCondition()
    desk = Desk(condition=condition)
    desk.place(Order("far", "buy", 5, 1))
    desk.place(Order("near", "buy", 20, 3))
    results = []
    start_waiter(desk, condition, "far", results)
    thread = start_waiter(desk, condition, "near", results)
    desk.place(Order("s1", "sell", 18, 3))
    thread.join(1.5)
    assert results == [("near", 20.0)]


def test_same_number_twice():
    desk = Desk()
    desk.place(Order("b1", "buy", 10, 1))
    with pytest.raises(OrderError, match="b1 exists"):
        desk.place(Order("b1", "buy", 11, 1))
