"""Pumps and the aquarium they belong to."""

from aquarium.schedule import Schedule
from aquarium.timer import Timer


class Pump:
    """Moves `litres` in each turn; negative ones leave the aquarium."""

    def __init__(self, name, litres, every, guards=()):
        self.name = name
        self.litres = litres
        self.every = every
        self.guards = list(guards)
        self.timer = None
        self.moved = 0


class Aquarium:
    def __init__(self, level, pumps=(), schedule=None):
        self.level = level
        self.schedule = schedule or Schedule()
        self.pumps = {}
        self.log = []
        self.errors = []
        for pump in pumps:
            self.add(pump)

    def add(self, pump):
        if pump.name in self.pumps:
            raise ValueError(f"pump {pump.name} exists")
        self.pumps[pump.name] = pump
        pump.timer = Timer(self.schedule, pump.every, lambda: self._turn(pump),
                           lambda error: self.errors.append(f"{pump.name}: {error}"))

    def note(self, text):
        self.log.append(f"{self.schedule.now} {text}")

    def in_service(self, *names):
        for name in names or self.pumps:
            self.pumps[name].timer.start()
            self.note(f"{name} in service")

    def out_of_service(self, name):
        self.pumps[name].timer.stop()
        self.note(f"{name} out of service")

    def _turn(self, pump):
        for guard in pump.guards:
            guard(self, pump)
            if not pump.timer.running:
                return
        if self.level + pump.litres < 0:
            raise RuntimeError(f"no {-pump.litres} l left")
        self.level += pump.litres
        pump.moved += abs(pump.litres)
        self.note(f"{pump.name} on")

    def advance(self, seconds):
        self.schedule.advance(seconds)

    def report(self):
        return [f"{pump.name}: {'in' if pump.timer.running else 'out of'} service, {pump.moved} l"
                for pump in self.pumps.values()]
