"""A lift with several cars."""

from lift.calls import Call, CallBoard
from lift.car import Car


class Controller:
    def __init__(self, floors, homes, doors=None):
        """`homes` are the floors where the cars stand at first."""
        self.floors = floors
        self.board = CallBoard()
        self.cars = [Car(f"car {number}", self.board, floor, doors) for number, floor in enumerate(homes, 1)]

    def start(self, timeout=2):
        for car in self.cars:
            car.start()
        return self.settle(timeout)

    def call(self, origin, target, name=""):
        for floor in (origin, target):
            if not 0 <= floor < self.floors:
                raise ValueError(f"there is no floor {floor}")
        if origin == target:
            raise ValueError("you are there already")
        self.board.put(Call(origin, target, name or f"{origin}>{target}"))

    def settle(self, timeout=2):
        """Wait until every car has nothing to do."""
        return self.board.wait_idle(len(self.cars), timeout)

    def stop(self, timeout=2):
        self.board.close()
        for car in self.cars:
            car.join(timeout)

    def report(self):
        """Rows (name, state, passengers, floors driven)."""
        return [(car.name, car.state, len(car.served), car.driven) for car in self.cars]
