"""Drivers of the shuttle service."""

from dataclasses import dataclass, field


@dataclass
class Driver:
    name: str
    since: int
    licences: frozenset = frozenset({"van"})
    on_break: bool = False
    runs: list = field(default_factory=list)

    def may_drive(self, vehicle):
        return vehicle in self.licences and not self.on_break

    @property
    def seniority(self):
        """Sort key: the longest-serving first."""
        return self.since, self.name
