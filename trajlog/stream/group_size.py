"""How many members a group gets: few where they are likely to differ, more where most would end alike. Pure."""

MIXED = 0.9
"""Wanted chance that a group has both a solved and an unsolved episode: without, it has nothing to learn from."""


def choose_group_size(success: float, smallest: int, largest: int) -> int:
    """The smallest size within the range for which 1 - p^G - (1 - p)^G >= MIXED at the estimated success p, else the
    largest.

    >>> [choose_group_size(p, 4, 16) for p in (0.5, 0.7, 0.2, 0.05)]
    [5, 7, 11, 16]
    """
    for size in range(smallest, largest):
        if 1 - success**size - (1 - success) ** size >= MIXED:
            return size
    return largest
