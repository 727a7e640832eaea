"""Vehicles with their histories."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Done:
    km: int
    month: int


@dataclass
class Van:
    """Months are counted from January 2000."""

    plate: str
    bought: int
    km: int = 0
    history: dict = field(default_factory=dict)

    def drive(self, km):
        if km < 0:
            raise ValueError(f"{self.plate} cannot drive {km} km")
        self.km += km

    def enter(self, service, month, km=None):
        """Work was done in `month`, at the present mileage or at `km`."""
        entry = Done(self.km if km is None else km, month)
        entries = self.history.setdefault(service, [])
        entries.append(entry)
        entries.sort(key=lambda done: (done.month, done.km))

    def last(self, service):
        """Work that was never done counts from the purchase."""
        entries = self.history.get(service)
        return entries[-1] if entries else Done(0, self.bought)
