"""Tax by brackets."""

from payroll.money import part

BRACKETS = ((50000, 0), (150000, 14), (400000, 24), (None, 42))  # upper bound in cents, percent


def tax(gross):
    """Each bracket's percentage is taken of the part of the gross pay that lies in it."""
    total = 0
    lower = 0
    for upper, percent in BRACKETS:
        inside = (gross if upper is None else min(gross, upper)) - lower
        if inside <= 0:
            break
        total += part(inside, percent, 100)
        lower = upper
    return total
