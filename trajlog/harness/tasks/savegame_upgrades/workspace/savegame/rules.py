"""Starting values, as designed."""

import copy

STARTING_STATS = {
    "health": 20,
    "strength": 5,
    "wit": 5,
    "resist": {"fire": 4, "cold": 2},
}
STARTING_PACK = ("bread", "torch")
STARTING_GOLD = 30


def starting_stats():
    return copy.deepcopy(STARTING_STATS)
