"""The plan of the workshop."""

import json

from services import Service
from vehicles import Done, Van


def month(year, number):
    return 12 * (year - 2000) + number - 1


class Workshop:
    def __init__(self, vans=()):
        self._vans = {van.plate: van for van in vans}

    def van(self, plate):
        return self._vans[plate]

    def due(self, van, now):
        """What must be done on a van in the month `now`."""
        found = []
        for service in Service:
            last = van.last(service)
            if service.value.is_over(van.km - last.km, now - last.month):
                found.append(service)
        return found

    def plan(self, now):
        """A dict of plate and labels of the work that is due; vans with nothing to do are left out."""
        plan = {}
        for plate, van in sorted(self._vans.items()):
            work = [service.label for service in self.due(van, now)]
            if work:
                plan[plate] = work
        return plan

    def finish(self, plate, keys, now):
        """Enter finished work."""
        for service in [Service.of_key(key) for key in keys]:
            self._vans[plate].enter(service, now)

    def counts(self):
        """How often each kind was done, over all vans."""
        counts = dict.fromkeys((service.key for service in Service), 0)
        for van in self._vans.values():
            for service, entries in van.history.items():
                counts[service.key] += len(entries)
        return counts

    def dump(self):
        rows = []
        for plate, van in sorted(self._vans.items()):
            history = {service.key: [[done.km, done.month] for done in each] for service, each in van.history.items()}
            rows.append({"plate": plate, "bought": van.bought, "km": van.km, "history": history})
        return json.dumps(rows, sort_keys=True)


def load(text):
    vans = []
    for row in json.loads(text):
        history = {Service.of_key(key): [Done(*pair) for pair in each] for key, each in row["history"].items()}
        vans.append(Van(row["plate"], row["bought"], row["km"], history))
    return Workshop(vans)


def leaflet():
    """The intervals, for the notice board."""
    return [f"{service.label}: every {service.value.text()}" for service in Service]
