import threading

from lift.controller import Controller


class Doors:
    """Keeps cars at the first floor of a call until they may go on."""

    def __init__(self):
        self.open = threading.Event()
        self.arrived = threading.Semaphore(0)

    def __call__(self, car, call):
        self.arrived.release()
        self.open.wait(2)

    def wait_for(self, count):
        """How many cars have arrived, up to `count`."""
        met = 0
        while met < count and self.arrived.acquire(timeout=1.5):
            met += 1
        return met


def test_all_cars_work_after_a_single_call():
    doors = Doors()
    lift = Controller(20, [0, 0, 0], doors)
    lift.start()
    doors.open.set()
    lift.call(1, 3, "first")
    lift.settle(1.5)
    doors.open.clear()
    for number in range(3):
        lift.call(5 + number, 0, f"p{number}")
    at_work = doors.wait_for(4)
    doors.open.set()
    lift.stop()
    assert at_work == 4
    assert sorted(name for car in lift.cars for name in car.served) == ["first", "p0", "p1", "p2"]


def test_two_cars_alternate():
    doors = Doors()
    lift = Controller(20, [0, 10], doors)
    lift.start()
    doors.open.set()
    for origin in (3, 4, 5, 6):
        lift.call(origin, origin + 1, f"p{origin}")
        if not lift.settle(1.5):
            break
    doors.open.clear()
    lift.call(2, 0, "low")
    lift.call(18, 0, "high")
    met = doors.wait_for(6)
    doors.open.set()
    lift.stop()
    rows = lift.report()
    assert met == 6
    assert [row[:2] for row in rows] == [("car 1", "ended"), ("car 2", "ended")]
    assert rows[0][2] + rows[1][2] == 6


def test_calls_before_the_end_are_served():
    doors = Doors()
    lift = Controller(9, [0, 8], doors)
    lift.start()
    lift.call(1, 2, "a")
    met = doors.wait_for(1)
    lift.board.wait_idle(1, 1.5)
    for name in ("b", "c", "d"):
        lift.call(4, 5, name)
    lift.board.close()
    doors.open.set()
    lift.stop()
    assert (met, sorted(name for car in lift.cars for name in car.served)) == (1, ["a", "b", "c", "d"])
    assert [car.error for car in lift.cars] == [None, None]


def test_nobody_calls():
    lift = Controller(9, [0, 3, 6])
    lift.start()
    lift.stop()
    assert lift.report() == [
        ("car 1", "ended", 0, 0),
        ("car 2", "ended", 0, 0),
        ("car 3", "ended", 0, 0),
    ]
