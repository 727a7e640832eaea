"""A mission: one drone, one plan."""

from drones.drone import HOME
from drones.geometry import step_towards
from drones.plan import Fly, Land, Photo, TakeOff, Wait

CLIMB = 20


class MissionError(RuntimeError):
    """The mission is in the wrong state."""



class Mission:
    """States: waiting, flying, returning, landed, aborted, cancelled."""

    def __init__(self, drone, plan, reserve=20):
        self.drone = drone
        self.state = "waiting"
        self.reason = None
        self._plan = plan
        self._reserve = reserve
        self._flight = None

    @property
    def name(self):
        return self.drone.name

    @property
    def is_over(self):
        return self.state in ("landed", "aborted", "cancelled")

    def start(self):
        if self.state != "waiting":
            raise MissionError(f"{self.name} is {self.state}")
        self.state = "flying"
        self._flight = self._fly()

    def step(self):
        """One tick of the flight; False when the drone is on the ground again."""
        self.drone.use()
        return next(self._flight, "over") != "over"

    def finish(self):
        self.state = "aborted" if self.state == "returning" else "landed"

    @property
    def is_low(self):
        return self.state == "flying" and self.drone.battery < self._reserve

    def abort(self, reason):
        """End the mission early; False if it is over or on its way home already."""
        if self.state == "waiting":
            self.state = "cancelled"
        elif self.state == "flying":
            self.state = "returning"
            self._flight = self._return()
        else:
            return False
        self.reason = reason
        return True

    def _fly(self):
        for command in self._plan:
            match command:
                case TakeOff(height):
                    yield from self._climb(height)
                case Fly(goal):
                    yield from self._move(goal)
                case Wait(ticks):
                    for _ in range(ticks):
                        yield
                case Photo(subject):
                    self.drone.photograph(subject)
                    self.drone.use(2)
                case Land():
                    yield from self._climb(0)

    def _return(self):
        yield from self._move(HOME)
        yield from self._climb(0)

    def _climb(self, height):
        while self.drone.height != height:
            change = max(-CLIMB, min(CLIMB, height - self.drone.height))
            self.drone.height += change
            if height or self.drone.height:
                yield

    def _move(self, goal):
        while self.drone.place != goal:
            self.drone.place = step_towards(self.drone.place, goal, self.drone.speed)
            yield
