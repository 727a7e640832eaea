"""Creatures of the world."""

from gauge import Gauge


class Creature:
    health = Gauge("max_health")
    courage = Gauge("max_courage")

    def __init__(self, kind, max_health, max_courage, force):
        self.kind = kind
        self.max_health = max_health
        self.max_courage = max_courage
        self.force = force

    @property
    def alive(self):
        return self.health > 0

    @property
    def flees(self):
        return self.alive and self.courage == 0

    def hit(self, other):
        other.health -= self.force
        other.courage -= 1
        return self.force

    def status(self):
        return f"{self.kind} {self.health}/{self.max_health} courage {self.courage}"
