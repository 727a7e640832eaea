"""What is not allowed."""

from itertools import combinations, pairwise

from shifts.spans import show_minutes

MIN_REST = 11 * 60
MAX_SHIFT = 10 * 60


def long_shifts(plan):
    for shift in plan.shifts:
        if shift.span.minutes > MAX_SHIFT:
            yield f"{plan.show(shift)}: {show_minutes(shift.span.minutes)} hours"


def short_rests(plan):
    for person in plan.people():
        for shift, later in pairwise(plan.of(person)):
            rest = shift.span.gap(later.span)
            if 0 <= rest < MIN_REST:
                yield f"{plan.show(later)}: only {show_minutes(rest)} hours of rest"


def clashes(plan):
    """Shifts of one person, or at one post, at the same time."""
    for shift, other in combinations(plan.shifts, 2):
        if not shift.span.overlaps(other.span):
            continue
        if shift.person == other.person or shift.post == other.post:
            yield f"{plan.show(other)}: {show_minutes(shift.span.shared(other.span))} together with {plan.show(shift)}"


def problems(plan):
    return [*long_shifts(plan), *short_rests(plan), *clashes(plan)]
