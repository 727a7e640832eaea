import threading

from matching.desk import Desk, OrderCancelled
from matching.model import Order


class WatchedCondition(threading.Condition):
    def __init__(self):
        super().__init__()
        self.entered = threading.Semaphore(0)

    def wait(self, timeout=None):
        self.entered.release()
        return super().wait(timeout)


class Floor:
    def __init__(self):
        self.condition = WatchedCondition()
        self.desk = Desk(condition=self.condition)
        self.results = {}

    def trader(self, number):
        def work():
            try:
                self.results[number] = self.desk.wait_filled(number)
            except OrderCancelled:
                self.results[number] = "cancelled"

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        assert self.condition.entered.acquire(timeout=2)
        return thread


def test_many_idle_traders_in_front():
    floor = Floor()
    for price in range(1, 7):
        floor.desk.place(Order(f"idle{price}", "buy", price, 1))
        floor.trader(f"idle{price}")
    floor.desk.place(Order("b", "buy", 30, 2))
    thread = floor.trader("b")
    floor.desk.place(Order("s", "sell", 29, 2))
    thread.join(1.5)
    assert floor.results == {"b": 30.0}


def test_one_order_fills_several_waiting_ones():
    floor = Floor()
    threads = []
    for number, price in (("x", 1), ("a", 10), ("y", 2), ("b", 11), ("z", 3), ("c", 12)):
        floor.desk.place(Order(number, "buy", price, 1))
        threads.append(floor.trader(number))
    floor.desk.place(Order("s", "sell", 9, 3))
    for thread in threads[1::2]:
        thread.join(1.5)
    assert floor.results == {"a": 10.0, "b": 11.0, "c": 12.0}


def test_cancelled_order_wakes_its_own_trader():
    floor = Floor()
    threads = []
    for number in ("a", "b", "c", "d"):
        floor.desk.place(Order(number, "sell", 50, 1))
        threads.append(floor.trader(number))
    floor.desk.cancel("d")
    threads[-1].join(1.5)
    assert floor.results == {"d": "cancelled"}


def test_later_trades_reach_the_rest():
    floor = Floor()
    threads = []
    for number, price in (("a", 40), ("b", 30), ("c", 20)):
        floor.desk.place(Order(number, "sell", price, 2))
        threads.append(floor.trader(number))
    seen = []
    for number, price, thread in zip(("p", "q", "r"), (25, 35, 45), reversed(threads), strict=True):
        floor.desk.place(Order(number, "buy", price, 2))
        thread.join(1.5)
        seen.append(sorted(floor.results.items()))
    assert seen == [[("c", 20.0)], [("b", 30.0), ("c", 20.0)], [("a", 40.0), ("b", 30.0), ("c", 20.0)]]
