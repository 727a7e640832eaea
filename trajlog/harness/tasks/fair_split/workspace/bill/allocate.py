"""Divide whole numbers by weights."""


def allocate(total, weights):
    """Parts of `total` in proportion to the weights; whole numbers that add up to it."""
    whole = sum(weights)
    if whole <= 0 or min(weights) < 0:
        raise ValueError(f"cannot divide by the weights {list(weights)}")
    parts = [round(total * weight / whole) for weight in weights[:-1]]
    return [*parts, total - sum(parts)]
