"""Divide whole numbers by weights."""


def allocate(total, weights):
    """Parts of `total` in proportion to the weights; whole numbers that add up to it."""
    whole = sum(weights)
    if whole <= 0 or min(weights) < 0:
        raise ValueError(f"cannot divide by the weights {list(weights)}")
    sign = -1 if total < 0 else 1
    parts = [abs(total) * weight // whole for weight in weights]
    lost = [abs(total) * weight % whole for weight in weights]
    left = abs(total) - sum(parts)
    for index in sorted(range(len(parts)), key=lambda i: -lost[i])[:left]:
        parts[index] += 1
    return [sign * part for part in parts]
