"""Which direct quotes lead from one currency to another."""

from collections import deque


class NoPath(LookupError):
    pass


def shortest(pairs, start, goal, closed=()):
    """Currencies from start to goal with the fewest steps; quotes may be used in both directions."""
    links = {}
    for left, right in pairs:
        links.setdefault(left, []).append(right)
        links.setdefault(right, []).append(left)
    waiting, before = deque([start]), {start: None}
    while waiting:
        here = waiting.popleft()
        if here == goal:
            break
        for following in sorted(links.get(here, ())):
            if following not in before and following not in closed:
                before[following] = here
                waiting.append(following)
    if goal not in before:
        raise NoPath(f"no way from {start} to {goal}")
    path = [goal]
    while before[path[-1]] is not None:
        path.append(before[path[-1]])
    return path[::-1]
