"""Mission control: ticks, groups, log."""

from collections import Counter

from drones.tower import Tower


class Control:
    def __init__(self, *corridors):
        self.tower = Tower(corridors)
        self.log = []
        self.now = 0
        self._missions = {}
        self._flying = []
        self._leaders = {}
        self._orders = []

    def add(self, mission, leader=None):
        """Put a mission in line; it will follow its leader home."""
        if mission.name in self._missions:
            raise ValueError(f"{mission.name} has a mission")
        self._missions[mission.name] = mission
        if leader is not None:
            self._leaders[mission.name] = leader
        self.tower.ask(mission)
        return mission

    def order_abort(self, name, at, reason="operator"):
        """Abort a mission at the end of a later tick."""
        self._orders.append((at, name, reason))

    def abort(self, name, reason="operator"):
        mission = self._missions[name]
        was_waiting = mission.state == "waiting"
        if not mission.abort(reason):
            return False
        self._note(f"{name} {mission.state}: {reason}")
        if was_waiting:
            self.tower.withdraw(mission)
        for follower, leader in self._leaders.items():
            if leader == name:
                self.abort(follower, f"after {name}")
        return True

    def tick(self):
        self.now += 1
        for mission, corridor in self.tower.assign():
            mission.start()
            self._flying.append(mission)
            self._note(f"{mission.name} starts in {corridor}")
        landed = []
        for mission in tuple(self._flying):
            if mission.step():
                if mission.is_low:
                    self.abort(mission.name, "battery")
            else:
                landed.append(mission)
        for mission in landed:
            mission.finish()
        for order in [order for order in self._orders if order[0] <= self.now]:
            self._orders.remove(order)
            self.abort(*order[1:])
        for mission in landed:
            self._flying.remove(mission)
            self.tower.give_back(mission)
            self._note(f"{mission.name} {mission.state}")

    def run(self, ticks=200):
        """Go on until all missions are over; the number of ticks."""
        start = self.now
        while not all(mission.is_over for mission in self._missions.values()):
            if self.now - start >= ticks:
                break
            self.tick()
        return self.now - start

    def report(self):
        states = Counter(mission.state for mission in self._missions.values())
        return dict(sorted(states.items()))

    def places(self):
        return {mission.name: (mission.drone.place, mission.drone.height) for mission in self._flying}

    def _note(self, text):
        self.log.append(f"{self.now} {text}")
