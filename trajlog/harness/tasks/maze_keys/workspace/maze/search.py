"""Find the cheapest way."""

from dataclasses import dataclass

from maze.frontier import Frontier


class NoWay(LookupError):
    def __init__(self):
        super().__init__("no way out")


@dataclass(frozen=True)
class Step:
    """A place, what is carried there, and how it was reached."""

    place: tuple
    keys: frozenset = frozenset()
    move: str = ""
    before: "Step | None" = None

    def trail(self):
        """The steps from the start up to this one."""
        steps = []
        step = self
        while step is not None:
            steps.append(step)
            step = step.before
        return steps[::-1]


@dataclass(frozen=True)
class Solution:
    cost: int
    moves: str
    places: tuple
    keys: str
    explored: int


def steps_from(grid, step):
    """Yield the steps that can be taken next."""
    for move, place in grid.neighbours(step.place):
        if grid.is_door(place) and grid[place].lower() not in step.keys:
            continue
        key = grid.key_at(place)
        keys = step.keys if key is None else step.keys | {key}
        yield Step(place, keys, move, step)


def solve(grid):
    frontier = Frontier()
    frontier.push(0, Step(grid.start))
    seen = set()
    while frontier:
        cost, step = frontier.pop()
        if step.place in seen:
            continue
        seen.add(step.place)
        if step.place == grid.exit:
            trail = step.trail()
            return Solution(
                cost,
                "".join(part.move for part in trail),
                tuple(part.place for part in trail),
                "".join(sorted(step.keys)),
                len(seen),
            )
        for following in steps_from(grid, step):
            price = 1 if following.move == "J" else grid.cost(following.place)
            frontier.push(cost + price, following)
    raise NoWay
