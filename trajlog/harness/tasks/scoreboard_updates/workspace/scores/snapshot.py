"""What a board shows."""

from dataclasses import dataclass, field
from types import MappingProxyType


@dataclass(frozen=True)
class Snapshot:
    """Never changed after it was made."""

    version: int = 0
    points: MappingProxyType = field(default_factory=lambda: MappingProxyType({}))
    period: int = 1

    def leader(self):
        """The team in front, None in a tie."""
        ranked = sorted(self.points.items(), key=lambda item: -item[1])
        if not ranked or len(ranked) > 1 and ranked[0][1] == ranked[1][1]:
            return None
        return ranked[0][0]

    def line(self):
        scores = " : ".join(f"{team} {points}" for team, points in sorted(self.points.items()))
        return f"P{self.period} {scores}"


def with_points(snapshot, team, points):
    changed = {**snapshot.points, team: max(0, snapshot.points.get(team, 0) + points)}
    return Snapshot(snapshot.version + 1, MappingProxyType(changed), snapshot.period)


def with_period(snapshot, period):
    return Snapshot(snapshot.version + 1, snapshot.points, period)
