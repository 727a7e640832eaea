"""Gives the runs of a day to drivers."""

from dataclasses import dataclass

from rota.ring import Ring


class NobodyFree(LookupError):
    """No driver may take a run."""


@dataclass(frozen=True)
class Run:
    time: str
    line: str
    vehicle: str = "van"


class Roster:
    def __init__(self, drivers=()):
        self._ring = Ring(key=lambda driver: driver.seniority)
        self._by_name = {}
        self.given = []
        for driver in drivers:
            self.join(driver)

    def join(self, driver):
        if driver.name in self._by_name:
            raise ValueError(f"{driver.name} drives already")
        self._by_name[driver.name] = driver
        self._ring.add(driver)

    def leave(self, name):
        """The driver leaves; runs that were driven stay on record."""
        driver = self._by_name.pop(name)
        self._ring.remove(driver)
        return driver.runs

    def set_break(self, name, on_break):
        self._by_name[name].on_break = on_break

    def order(self):
        """Names in the order in which they would be asked now."""
        return [driver.name for driver in self._ring]

    def give(self, run):
        """The driver for a run."""
        for driver in self._ring:
            if driver.may_drive(run.vehicle):
                self._ring.turn_to_after(driver)
                driver.runs.append(run)
                self.given.append((run.time, driver.name))
                return driver
        raise NobodyFree(f"nobody for the {run.time} to {run.line} ({run.vehicle})")
