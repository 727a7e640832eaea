"""Zones as an authoritative server holds them."""

from resolver.records import Answer, normal


class Zone:
    def __init__(self, origin, negative=300):
        self.origin = normal(origin)
        self.negative = negative
        self._records = {}

    def add(self, name, kind, *values, ttl=60):
        full = self.origin if name == "@" else f"{normal(name)}.{self.origin}"
        self._records.setdefault(full, {})[kind] = (values, ttl)
        return self

    def remove(self, name):
        self._records.pop(f"{normal(name)}.{self.origin}", None)

    def holds(self, name):
        return name == self.origin or name.endswith("." + self.origin)

    def answer(self, name, kind):
        kinds = self._records.get(name)
        if kinds is None:
            return Answer("noname", ttl=self.negative)
        if kind in kinds:
            return Answer("found", *kinds[kind])
        if "CNAME" in kinds:
            return Answer("alias", *kinds["CNAME"])
        return Answer("norecord", ttl=self.negative)


class Upstream:
    def __init__(self, *zones):
        self._zones = list(zones)
        self.log = []

    def query(self, name, kind):
        self.log.append(f"{name} {kind}")
        held = [zone for zone in self._zones if zone.holds(name)]
        if not held:
            return Answer("noname", ttl=30)
        return max(held, key=lambda zone: len(zone.origin)).answer(name, kind)
