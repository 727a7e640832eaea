"""House rules."""

from dataclasses import dataclass, field


@dataclass
class Rules:
    """`handicap` are rounds that everybody is given before the start."""

    max_points: int = 30
    bonus_every: int = 5
    handicap: list = field(default_factory=list)
