"""Points and moves on the map."""

from math import hypot


def distance(one, other):
    return hypot(other[0] - one[0], other[1] - one[1])


def step_towards(start, goal, length):
    """The point that is `length` further on the way to the goal, or the goal."""
    total = distance(start, goal)
    if total <= length:
        return goal
    share = length / total
    return (round(start[0] + share * (goal[0] - start[0]), 3), round(start[1] + share * (goal[1] - start[1]), 3))
