"""Levels of members and what they are worth."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Level:
    name: str
    needed: int
    percent: int


LEVELS = (Level("basic", 0, 100), Level("silver", 500, 125), Level("gold", 2000, 150))
CENTS_PER_POINT = 50


def level_of(earned):
    """The highest level that so many earned points reach."""
    reached = [level for level in LEVELS if earned >= level.needed]
    return reached[-1]


def points_for(cents, level):
    """Full points only; the level adds its percents before rounding down."""
    return cents * level.percent // (100 * CENTS_PER_POINT)
